package pg

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/grafana/sobek"
)

// encoder turns JavaScript arguments into the text form of parameters. Its
// buffers are used again by the next statement.
type encoder struct {
	runtime *sobek.Runtime
	text    []byte
	ends    []int
	values  [][]byte
}

// parameters returns the arguments' text forms, nil for null. They are valid
// until the next call.
func (e *encoder) parameters(args []sobek.Value) ([][]byte, error) {
	e.text, e.ends, e.values = e.text[:0], e.ends[:0], e.values[:0]
	for at, arg := range args {
		text, null, err := e.appendText(e.text, arg)
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

// appendText appends the text form of a JavaScript value to buf, or reports that the value is null. What has no form
// that PostgreSQL reads as JavaScript means it is an error.
func (e *encoder) appendText(buf []byte, value sobek.Value) (text []byte, null bool, err error) {
	value, kind, err := unboxed(value)
	if err != nil {
		return buf, false, err
	}
	switch value := value.(type) {
	case *sobek.Object:
		text, err := e.objectText(value, kind)
		return append(buf, text...), false, err
	case sobek.String:
		text, err := textOf(value)
		return append(buf, text...), false, err
	}
	if value == nil || value.Export() == nil {
		return buf, true, nil
	}
	buf, err = appendScalar(buf, value)
	return buf, false, err
}

// appendScalar appends a number, a BigInt or a boolean.
func appendScalar(buf []byte, value sobek.Value) ([]byte, error) {
	if _, symbol := value.(*sobek.Symbol); symbol {
		return buf, errors.New("a symbol can't be sent")
	}
	switch exported := value.Export().(type) {
	case int64:
		return strconv.AppendInt(buf, exported, 10), nil
	case float64:
		return appendFloat(buf, exported), nil
	case bool:
		return strconv.AppendBool(buf, exported), nil
	case *big.Int:
		return exported.Append(buf, 10), nil
	}
	return buf, fmt.Errorf("a value of type %T can't be sent", value)
}

// objectText returns the text form of an object of that kind: of dates and bytes their own, of all others JSON.
func (e *encoder) objectText(object *sobek.Object, kind string) ([]byte, error) {
	switch kind {
	case "Date":
		text, err := dateText(object)
		return []byte(text), err
	case "Uint8Array", "Uint8ClampedArray":
		return appendHex(nil, object.Export().([]byte)), nil
	case "ArrayBuffer":
		return appendHex(nil, object.Export().(sobek.ArrayBuffer).Bytes()), nil
	}
	return e.jsonText(object)
}

// unsendable is the error of an object that has no text form, with what has one.
func unsendable(kind string) error {
	instead := ""
	switch {
	case kind == "Map":
		instead = ": send Object.fromEntries(...)"
	case kind == "Set":
		instead = ": send Array.from(...)"
	case kind == "Promise":
		instead = ": await it"
	case kind == "DataView", strings.HasSuffix(kind, "Array"): // a typed one
		instead = ": send its bytes (new Uint8Array(it.buffer)) or, as JSON, Array.from(it)"
	}
	return fmt.Errorf("an object of the kind %s can't be sent%s", kind, instead)
}

// kindOf returns what Object.prototype.toString calls an object: Object, Array, Map, Uint8Array, ...
func kindOf(object *sobek.Object) string {
	if _, ok := sobek.AssertFunction(object); ok {
		return "Function"
	}
	if tag, ok := object.GetSymbol(sobek.SymToStringTag).(sobek.String); ok {
		return tag.String()
	}
	return object.ClassName()
}

// textOf returns a text as UTF-8, unless it has what PostgreSQL's texts can't have.
func textOf(text sobek.String) (string, error) {
	utf := text.String()
	if strings.IndexByte(utf, 0) >= 0 {
		return "", errors.New("the text has a character U+0000, which PostgreSQL can't store")
	}
	return utf, halfPair(text)
}

// halfPair is the error of a text that has half of a surrogate pair.
func halfPair(text sobek.String) error {
	if !strings.ContainsRune(text.String(), utf8.RuneError) {
		return nil // which is what such a half becomes
	}
	for at := 0; at < text.Length(); at++ {
		switch unit := rune(text.CharAt(at)); {
		case !utf16.IsSurrogate(unit):
		case at+1 < text.Length() && utf16.DecodeRune(unit, rune(text.CharAt(at+1))) != utf8.RuneError:
			at++
		default:
			return fmt.Errorf("the text has half of a surrogate pair at %d, which UTF-8 can't hold", at)
		}
	}
	return nil
}

// dateText returns a date as JavaScript's toISOString does, in UTC, with years that PostgreSQL reads.
func dateText(object *sobek.Object) (string, error) {
	moment, valid := object.Export().(time.Time)
	if !valid {
		return "", errors.New("an invalid Date can't be sent")
	}
	moment = moment.UTC()
	year, era := moment.Year(), ""
	if year < 1 {
		year, era = 1-year, " BC"
	}
	return fmt.Sprintf("%04d%s%s", year, moment.Format("-01-02T15:04:05.000Z"), era), nil
}

// appendFloat appends a number as JavaScript prints it: no integer that PostgreSQL has gets an exponent. (Sobek's own
// String loses the last digit of one number in ten thousand.)
func appendFloat(buf []byte, number float64) []byte {
	size := math.Abs(number)
	switch {
	case math.IsInf(number, 1):
		return append(buf, "Infinity"...)
	case math.IsInf(number, -1):
		return append(buf, "-Infinity"...)
	case size == 0:
		return append(buf, '0')
	case size >= 1e-6 && size < 1e21 || math.IsNaN(number):
		return strconv.AppendFloat(buf, number, 'f', -1, 64)
	}
	return append(buf, strings.Replace(strconv.FormatFloat(number, 'e', -1, 64), "e-0", "e-", 1)...)
}

// jsonText returns an object as JSON.stringify does, unless that would leave out or change a part of it. What is
// undefined is left out, as everywhere in JavaScript. A BigInt is the integer that it is.
func (e *encoder) jsonText(object *sobek.Object) ([]byte, error) {
	text, present, err := e.appendJSON(nil, "", object, nil)
	if err == nil && !present {
		err = errors.New("toJSON() returned nothing")
	}
	return text, err
}

// appendJSON appends the value that the last of the objects within has under a key, unless it is undefined.
func (e *encoder) appendJSON(buf []byte, key string, value sobek.Value, within []*sobek.Object) ([]byte, bool, error) {
	if object, ok := value.(*sobek.Object); ok && kindOf(object) == "Date" {
		text, err := dateText(object)
		return appendQuoted(buf, text), true, err
	} else if ok {
		if toJSON, ok := sobek.AssertFunction(object.Get("toJSON")); ok {
			instead, err := toJSON(object, e.runtime.ToValue(key))
			if err != nil {
				return buf, true, err
			}
			value = instead
		}
	}
	value, kind, err := unboxed(value)
	if err != nil {
		return buf, true, err
	}
	object, ok := value.(*sobek.Object)
	if !ok {
		return appendPrimitive(buf, value)
	}
	if slices.Contains(within, object) {
		return buf, true, errors.New("JSON can't hold an object that is a part of itself")
	}
	switch kind {
	case "Array":
		buf, err := e.appendItems(buf, object, append(within, object))
		return buf, true, err
	case "Object":
		buf, err := e.appendProperties(buf, object, append(within, object))
		return buf, true, err
	}
	return buf, true, unsendable(kind)
}

// appendItems appends an array. What is undefined in it becomes null.
func (e *encoder) appendItems(buf []byte, array *sobek.Object, within []*sobek.Object) ([]byte, error) {
	buf = append(buf, '[')
	for at := range array.Get("length").ToInteger() {
		if at > 0 {
			buf = append(buf, ',')
		}
		key := strconv.FormatInt(at, 10)
		text, present, err := e.appendJSON(buf, key, array.Get(key), within)
		if err != nil {
			return buf, fmt.Errorf("[%d]: %w", at, err)
		}
		if buf = text; !present {
			buf = append(buf, "null"...)
		}
	}
	return append(buf, ']'), nil
}

// appendProperties appends an object.
func (e *encoder) appendProperties(buf []byte, object *sobek.Object, within []*sobek.Object) ([]byte, error) {
	buf = append(buf, '{')
	begin := len(buf)
	for _, key := range object.Keys() {
		before := len(buf)
		if before > begin {
			buf = append(buf, ',')
		}
		buf = append(appendQuoted(buf, key), ':')
		text, present, err := e.appendJSON(buf, key, object.Get(key), within)
		if err != nil {
			return buf, fmt.Errorf(".%s: %w", key, err)
		}
		if buf = text; !present {
			buf = buf[:before]
		}
	}
	return append(buf, '}'), nil
}

// appendPrimitive appends what is no object, unless it is undefined.
func appendPrimitive(buf []byte, value sobek.Value) (text []byte, present bool, err error) {
	if value == nil || sobek.IsUndefined(value) {
		return buf, false, nil
	}
	if text, ok := value.(sobek.String); ok {
		return appendQuoted(buf, text.String()), true, halfPair(text)
	}
	switch exported := value.Export().(type) {
	case nil:
		return append(buf, "null"...), true, nil
	case float64:
		if math.IsNaN(exported) || math.IsInf(exported, 0) {
			return buf, true, fmt.Errorf("JSON has no %s", value)
		}
	}
	buf, err = appendScalar(buf, value)
	return buf, true, err
}

// appendQuoted appends a string as JSON has it.
func appendQuoted(buf []byte, text string) []byte {
	var quoted bytes.Buffer
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string into a buffer: nothing fails
	return append(buf, bytes.TrimSuffix(quoted.Bytes(), []byte("\n"))...)
}

// unboxed returns what new Number(1) and the like hold, any other value as it is, and of an object its kind.
func unboxed(value sobek.Value) (held sobek.Value, kind string, err error) {
	object, ok := value.(*sobek.Object)
	if !ok {
		return value, "", nil
	}
	switch kind = kindOf(object); kind {
	case "Number", "String", "Boolean", "BigInt":
		valueOf, callable := sobek.AssertFunction(object.Get("valueOf"))
		if !callable {
			return nil, kind, errors.New("the object has no value")
		}
		held, err = valueOf(object)
		return held, "", err
	}
	return object, kind, nil
}
