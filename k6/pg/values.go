package pg

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/grafana/sobek"
	"github.com/jackc/pgx/v5/pgconn"
)

// The object identifiers of the types that become something else than a
// string in JavaScript. They are part of the protocol and never change.
const (
	oidBool   = 16
	oidBytea  = 17
	oidInt8   = 20
	oidInt2   = 21
	oidInt4   = 23
	oidOID    = 26
	oidJSON   = 114
	oidFloat4 = 700
	oidFloat8 = 701
	oidJSONB  = 3802
)

// maxSafeInteger is the largest integer below which a JavaScript number holds
// every one exactly.
const maxSafeInteger = 1<<53 - 1

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
	case oidBool:
		return rt.ToValue(text[0] == 't'), nil
	case oidInt2, oidInt4, oidInt8, oidOID:
		number, err := strconv.ParseInt(string(text), 10, 64)
		if number > maxSafeInteger || number < -maxSafeInteger {
			return rt.ToValue(big.NewInt(number)), err
		}
		return rt.ToValue(number), err
	case oidFloat4, oidFloat8:
		number, err := strconv.ParseFloat(string(text), 64)
		return rt.ToValue(number), err
	case oidJSON, oidJSONB:
		parse, _ := sobek.AssertFunction(rt.Get("JSON").ToObject(rt).Get("parse"))
		return parse(sobek.Undefined(), rt.ToValue(string(text)))
	case oidBytea:
		bytes, err := decodeHex(text)
		return rt.ToValue(rt.NewArrayBuffer(bytes)), err
	}
	return rt.ToValue(string(text)), nil
}

// encoder turns JavaScript arguments into the text form of parameters. Its
// buffers are used again by the next statement.
type encoder struct {
	text   []byte
	ends   []int
	values [][]byte
}

// parameters returns the arguments' text forms, nil for null. They are valid
// until the next call.
func (e *encoder) parameters(args []sobek.Value) ([][]byte, error) {
	e.text, e.ends, e.values = e.text[:0], e.ends[:0], e.values[:0]
	for at, arg := range args {
		text, null, err := appendText(e.text, arg)
		if err != nil {
			return nil, fmt.Errorf("argument $%d: %w", at+1, err)
		}
		if null {
			e.ends = append(e.ends, -1)
			continue
		}
		e.text = text
		e.ends = append(e.ends, len(text))
	}
	if e.text == nil {
		e.text = []byte{} // a slice of nil is nil, which means null
	}
	// The slices are cut only now: appending may have moved the text.
	start := 0
	for _, end := range e.ends {
		if end < 0 {
			e.values = append(e.values, nil)
			continue
		}
		e.values = append(e.values, e.text[start:end:end])
		start = end
	}
	return e.values, nil
}

// appendText appends the text form of a JavaScript value to buf, or reports
// that the value is null.
func appendText(buf []byte, value sobek.Value) (text []byte, null bool, err error) {
	switch exported := value.Export().(type) {
	case nil:
		return buf, true, nil
	case int64:
		return strconv.AppendInt(buf, exported, 10), false, nil
	case float64:
		return appendFloat(buf, exported), false, nil
	case string:
		return append(buf, exported...), false, nil
	case bool:
		return strconv.AppendBool(buf, exported), false, nil
	case *big.Int:
		return exported.Append(buf, 10), false, nil
	case []byte:
		return appendHex(buf, exported), false, nil
	case sobek.ArrayBuffer:
		return appendHex(buf, exported.Bytes()), false, nil
	case json.Marshaler: // a date: time.Time's JSON is a quoted RFC 3339 time
		quoted, err := exported.MarshalJSON()
		if err != nil {
			return buf, false, err
		}
		return append(buf, quoted[1:len(quoted)-1]...), false, nil
	case map[string]any, []any:
		encoded, err := json.Marshal(value)
		return append(buf, encoded...), false, err
	default:
		return buf, false, fmt.Errorf("a value of type %T can't be sent; convert it to a string", exported)
	}
}

// appendFloat appends a number the way PostgreSQL reads it back unchanged.
func appendFloat(buf []byte, number float64) []byte {
	switch {
	case math.IsInf(number, 1):
		return append(buf, "Infinity"...)
	case math.IsInf(number, -1):
		return append(buf, "-Infinity"...)
	}
	return strconv.AppendFloat(buf, number, 'g', -1, 64)
}
