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

// one returns the cell that s picks, where it has figures; otherwise a word (NotAsked, CantSay) and why.
func one(run *result.Run, s lesson.Selector) (c *result.Cell, word, why string) {
	cells := Select(run, s)
	switch {
	case len(cells) == 0:
		return missing(run, s)
	case len(cells) > 1:
		return nil, CantSay, fmt.Sprintf("%s picks %d cells of this run, it must pick one", Text(s), len(cells))
	}
	c = cells[0]
	failed := map[int]bool{} // blocks
	for _, r := range c.Repeats {
		failed[r.Block] = r.Status == result.Failed
	}
	n := 0
	for _, yes := range failed {
		if yes {
			n++
		}
	}
	switch {
	case len(c.Repeats) == 0:
		return c, CantSay, Name(c) + " didn't run"
	case n > 0:
		return c, CantSay, fmt.Sprintf("%s failed in %d of %d blocks: %s", Name(c), n, len(failed), c.Reason)
	case c.Last() == nil:
		return c, CantSay, Name(c) + " has no repeat that counts: " + c.Reason
	}
	return c, "", ""
}

// missing says why s picks no cell: its path is off, or nobody asked for it.
func missing(run *result.Run, s lesson.Selector) (*result.Cell, string, string) {
	for _, p := range run.Paths {
		if p.Unavailable != "" && equal(json.RawMessage(fmt.Sprintf("%q", p.Name)), s["path"]) {
			return nil, CantSay, p.Name + " is not available: " + p.Unavailable
		}
	}
	return nil, NotAsked, "no cell is " + Text(s)
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

// Name says in words which cell of its group c is.
func Name(c *result.Cell) string {
	words := []string{c.Path}
	if c.Latency.Proxied() {
		words = append(words, fmt.Sprintf("%d ms", c.Latency.MS()))
	}
	words = append(words, c.Workload, metric.Count(c.Clients, "client"))
	if !c.HasUsualRole() {
		words = append(words, c.Role)
	}
	for _, n := range []struct {
		count int
		said  string
	}{{c.PoolSize, fmt.Sprintf("pool of %d", c.PoolSize)}, {c.Instances, metric.Count(c.Instances, "pod")}, {c.InstancePool, fmt.Sprintf("%d each", c.InstancePool)}} {
		if n.count > 0 {
			words = append(words, n.said)
		}
	}
	return strings.Join(words, ", ")
}
