package pg

import (
	"maps"
	"slices"

	"github.com/grafana/sobek"
)

// method is a function that JavaScript calls.
type method = func(sobek.FunctionCall) sobek.Value

// methods are the functions of an object in JavaScript, by name. They are made
// when they are first asked for: each takes a kilobyte of each VU, and scripts
// use two or three.
type methods struct {
	runtime *sobek.Runtime
	known   map[string]method
	made    map[string]sobek.Value
}

// object returns an object in JavaScript that has these functions, for good.
func (i *instance) object(known map[string]method) *sobek.Object {
	return i.vu.Runtime().NewDynamicObject(&methods{i.vu.Runtime(), known, map[string]sobek.Value{}})
}

// Get returns the function of that name, or nil.
func (m *methods) Get(name string) sobek.Value {
	made := m.made[name]
	if made == nil && m.known[name] != nil {
		made = m.runtime.ToValue(m.known[name])
		m.made[name] = made
	}
	return made
}

// Has reports whether there is a function of that name.
func (m *methods) Has(name string) bool { return m.known[name] != nil }

// Keys returns the names.
func (m *methods) Keys() []string { return slices.Sorted(maps.Keys(m.known)) }

// Set refuses: a misspelt name would be found out by nobody.
func (m *methods) Set(string, sobek.Value) bool { return false }

// Delete refuses.
func (m *methods) Delete(string) bool { return false }
