package lesson

import (
	"encoding/json"
	"fmt"
	"strconv"

	"gopkg.in/yaml.v3"
)

// A Value is what a cell has in a dimension: a word, a number, yes or no, or nothing. Two of them are equal (==) where
// they are the same.
type Value struct{ is any } // string, float64, bool or nil

// None is the value of a cell that doesn't have the dimension: a path without toxiproxy has no latency.
var None = Value{}

// Word is the value of that name.
func Word(s string) Value { return Value{s} }

// Number is the value v.
func Number(v float64) Value { return Value{v} }

// Number is the value as one, and whether it is one.
func (v Value) Number() (float64, bool) {
	n, ok := v.is.(float64)
	return n, ok
}

// MS is a latency in milliseconds, 0 where it is none.
func (v Value) MS() float64 {
	n, _ := v.Number()
	return n
}

// String is the value bare, without a unit.
func (v Value) String() string {
	switch is := v.is.(type) {
	case nil:
		return "none"
	case float64:
		return strconv.FormatFloat(is, 'f', -1, 64)
	}
	return fmt.Sprint(v.is)
}

// orNone takes what stands for nothing in a cell for none.
func (v Value) orNone() Value {
	switch v.is {
	case "", 0.0, false:
		return None
	}
	return v
}

// MarshalJSON writes the value; none is null.
func (v Value) MarshalJSON() ([]byte, error) { return json.Marshal(v.is) }

// UnmarshalJSON reads a word, a number, true or false, or null.
func (v *Value) UnmarshalJSON(text []byte) error { return v.from(json.Unmarshal(text, &v.is)) }

// UnmarshalYAML reads a word, a number, true or false; the word none is none.
func (v *Value) UnmarshalYAML(node *yaml.Node) error {
	err := node.Decode(&v.is)
	if v.is == "none" {
		v.is = nil
	}
	return v.from(err)
}

// from checks what was decoded, and has one kind of number.
func (v *Value) from(err error) error {
	switch is := v.is.(type) {
	case int:
		v.is = float64(is)
	case nil, string, float64, bool:
	default:
		return fmt.Errorf("a value is a word, a number, true or false, and this is %v", v.is)
	}
	return err
}

// A Selector picks cells by their dimensions: {"path": "direct", "latency_ms": null}. Every one that it names must be
// equal; those that it leaves out may be anything.
type Selector map[string]Value

// Words is one word or a list of them: plans write "workload: select" where there is only one.
type Words []string

// UnmarshalYAML reads a word or a list of words.
func (w *Words) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*w = Words{node.Value}
		return nil
	}
	return node.Decode((*[]string)(w))
}
