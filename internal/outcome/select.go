package outcome

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// Select returns the cells of the run that s picks, in the run's order. A nil selector picks none, an empty one all.
func Select(run *result.Run, s lesson.Selector) []*result.Cell {
	var picked []*result.Cell
	for i := range run.Cells {
		if Picks(s, &run.Cells[i].Cell) {
			picked = append(picked, &run.Cells[i])
		}
	}
	return picked
}

// Picks says whether every field that s names is equal in c. A field that c leaves out is 0, empty, false or null.
func Picks(s lesson.Selector, c *lesson.Cell) bool {
	if s == nil {
		return false
	}
	text, err := json.Marshal(c)
	if err != nil {
		return false
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &fields); err != nil {
		return false
	}
	for name, want := range s {
		if !equal(fields[name], want) {
			return false
		}
	}
	return true
}

// equal compares two JSON values; one that is missing equals what omitempty leaves out.
func equal(got, want json.RawMessage) bool {
	var a, b any
	if json.Unmarshal(want, &b) != nil {
		return false
	}
	if got == nil {
		switch b {
		case nil, "", 0.0, false:
			return true
		}
		return false
	}
	return json.Unmarshal(got, &a) == nil && reflect.DeepEqual(a, b)
}

// Text writes a selector as people read it: path=direct clients=10.
func Text(s lesson.Selector) string {
	var words []string
	for _, name := range fields() {
		if v, ok := s[name]; ok {
			words = append(words, name+"="+string(bytes.Trim(v, `"`)))
		}
	}
	return strings.Join(words, " ")
}

// fields are the names that run.json gives to what a cell is.
func fields() []string {
	var names []string
	for of, i := reflect.TypeFor[lesson.Cell](), 0; i < of.NumField(); i++ {
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// Name says in words which cell of its experiment c is.
func Name(c *result.Cell) string { return strings.Join(Parts(c), ", ") }

// Parts are those of a cell's name: its path, its latency where it has one, its workload, its clients, ...
func Parts(c *result.Cell) []string {
	parts := []string{c.Path}
	if c.Latency.Proxied() {
		parts = append(parts, fmt.Sprintf("%d ms", c.Latency.MS()))
	}
	parts = append(parts, c.Workload, metric.Count(c.Clients, "client"))
	if !c.HasUsualRole() {
		parts = append(parts, c.Role)
	}
	if c.PoolSize > 0 {
		parts = append(parts, fmt.Sprintf("pool of %d", c.PoolSize))
	}
	if c.Instances > 0 {
		parts = append(parts, metric.Count(c.Instances, "app instance"))
	}
	if c.InstancePool > 0 {
		parts = append(parts, fmt.Sprintf("pool of %d each", c.InstancePool))
	}
	return parts
}
