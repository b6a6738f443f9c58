package pg

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/grafana/sobek"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// maxSafe is the largest integer up to which a JavaScript number holds every one
// exactly.
const maxSafe = 1<<53 - 1

// rows turns a result into an array of objects.
func (c *client) rows(result *pgconn.Result) sobek.Value {
	rt := c.vu.Runtime()
	if result == nil {
		return rt.NewArray()
	}
	objects := make([]any, len(result.Rows))
	for at, row := range result.Rows {
		object := rt.NewObject()
		for column, field := range result.FieldDescriptions {
			value, err := c.value(field.DataTypeOID, row[column])
			if err != nil {
				c.throw(fmt.Errorf("read column %q: %w", field.Name, err))
			}
			c.define(object, field.Name, value)
		}
		objects[at] = object
	}
	return rt.NewArray(objects...)
}

// value turns the text form of a value into JavaScript: null, a boolean, a
// number, a BigInt for integers that a number can't hold, an ArrayBuffer for
// bytea, what JSON means, and the server's own text for every other type, so
// that numeric, dates and intervals lose nothing.
func (c *client) value(oid uint32, text []byte) (sobek.Value, error) {
	rt := c.vu.Runtime()
	if text == nil {
		return sobek.Null(), nil
	}
	switch oid {
	case pgtype.BoolOID:
		return rt.ToValue(text[0] == 't'), nil
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.OIDOID:
		return integer(rt, string(text))
	case pgtype.Float4OID, pgtype.Float8OID:
		number, err := strconv.ParseFloat(string(text), 64)
		return rt.ToValue(number), err
	case pgtype.JSONOID, pgtype.JSONBOID:
		if manyDigits.Match(text) {
			return parseJSON(rt, text)
		}
		parse, _ := sobek.AssertFunction(rt.Get("JSON").ToObject(rt).Get("parse"))
		return parse(sobek.Undefined(), rt.ToValue(string(text)))
	case pgtype.ByteaOID:
		bytes, err := decodeHex(text)
		return rt.ToValue(rt.NewArrayBuffer(bytes)), err
	}
	return rt.ToValue(string(text)), nil
}

// integer returns a number, or a BigInt where a number can't hold it.
func integer(rt *sobek.Runtime, digits string) (sobek.Value, error) {
	if number, err := strconv.ParseInt(digits, 10, 64); err == nil && -maxSafe <= number && number <= maxSafe {
		return rt.ToValue(number), nil
	}
	number, ok := new(big.Int).SetString(digits, 10)
	if !ok {
		return nil, fmt.Errorf("%q is no integer", digits)
	}
	return rt.ToValue(number), nil
}

// manyDigits matches JSON that may hold an integer of which JSON.parse would lose the last digits.
var manyDigits = regexp.MustCompile(`[0-9]{16}`)

// parseJSON does what JSON.parse does, with a BigInt where an integer is too large for a number.
func parseJSON(rt *sobek.Runtime, text []byte) (sobek.Value, error) {
	tokens := json.NewDecoder(bytes.NewReader(text))
	tokens.UseNumber()
	return jsonValue(rt, tokens)
}

// jsonValue reads the next value.
func jsonValue(rt *sobek.Runtime, tokens *json.Decoder) (sobek.Value, error) {
	token, err := tokens.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case json.Number:
		if !strings.ContainsAny(token.String(), ".eE") {
			return integer(rt, token.String())
		}
		number, _ := token.Float64() // or infinity, as JSON.parse has it
		return rt.ToValue(number), nil
	case json.Delim:
		if token == '[' {
			return jsonArray(rt, tokens)
		}
		return jsonObject(rt, tokens)
	case nil:
		return sobek.Null(), nil
	}
	return rt.ToValue(token), nil
}

// jsonArray reads on to the end of an array.
func jsonArray(rt *sobek.Runtime, tokens *json.Decoder) (sobek.Value, error) {
	var items []any
	for tokens.More() {
		item, err := jsonValue(rt, tokens)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	_, err := tokens.Token() // its end
	return rt.NewArray(items...), err
}

// jsonObject reads on to the end of an object.
func jsonObject(rt *sobek.Runtime, tokens *json.Decoder) (sobek.Value, error) {
	object := rt.NewObject()
	for tokens.More() {
		name, err := tokens.Token()
		if err != nil {
			return nil, err
		}
		value, err := jsonValue(rt, tokens)
		if err != nil {
			return nil, err
		}
		// Not as an assignment: __proto__ is a name like any other here.
		err = object.DefineDataProperty(name.(string), value, sobek.FLAG_TRUE, sobek.FLAG_TRUE, sobek.FLAG_TRUE)
		if err != nil {
			return nil, err
		}
	}
	_, err := tokens.Token() // its end
	return object, err
}
