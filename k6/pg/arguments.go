package pg

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/grafana/sobek"
)

// parameters returns the text forms of JavaScript arguments, nil for null.
func parameters(args []sobek.Value) ([][]byte, error) {
	values := make([][]byte, len(args))
	for at, arg := range args {
		text, null, err := appendText([]byte{}, arg)
		if err != nil {
			return nil, fmt.Errorf("argument $%d: %w", at+1, err)
		}
		if !null {
			values[at] = text
		}
	}
	return values, nil
}

// appendText appends the text form of a JavaScript value to buf, or reports that the value is null. What has no form
// that PostgreSQL reads as JavaScript means it is an error.
func appendText(buf []byte, value sobek.Value) (text []byte, null bool, err error) {
	switch value := value.(type) {
	case *sobek.Object:
		buf, err = appendObject(buf, value)
		return buf, false, err
	case sobek.String:
		text, err := textOf(value)
		return append(buf, text...), false, err
	case *sobek.Symbol:
		return buf, false, errors.New("a symbol can't be sent")
	}
	switch exported := value.Export().(type) {
	case nil:
		return buf, true, nil
	case int64:
		buf = strconv.AppendInt(buf, exported, 10)
	case float64:
		buf = appendFloat(buf, exported)
	case bool:
		buf = strconv.AppendBool(buf, exported)
	case *big.Int:
		buf = exported.Append(buf, 10)
	default:
		err = fmt.Errorf("a value of type %T can't be sent", value)
	}
	return buf, false, err
}

// appendObject appends the text form of an object: of dates and bytes their own, of arrays and plain objects what
// JSON.stringify makes of them.
func appendObject(buf []byte, object *sobek.Object) ([]byte, error) {
	switch kind := kindOf(object); kind {
	case "Date":
		moment, valid := object.Export().(time.Time)
		if !valid {
			return buf, errors.New("an invalid Date can't be sent")
		}
		if moment.UTC().Year() < 1 {
			return buf, errors.New("a Date before the year 1 can't be sent: send its text, such as '0044-03-15 BC'")
		}
		return moment.UTC().AppendFormat(buf, "2006-01-02T15:04:05.000Z"), nil
	case "Uint8Array", "Uint8ClampedArray":
		return appendHex(buf, object.Export().([]byte)), nil
	case "ArrayBuffer":
		return appendHex(buf, object.Export().(sobek.ArrayBuffer).Bytes()), nil
	case "Array", "Object":
		text, err := object.MarshalJSON()
		return append(buf, text...), err
	default:
		return buf, unsendable(kind)
	}
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
	return utf, nil
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
