package pg

import (
	"fmt"
	"math/big"
	"strconv"

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
// bytea, what JSON.parse makes of JSON, and the server's own text for every other type, so
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
