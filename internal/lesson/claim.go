package lesson

import "encoding/json"

// A Selector picks cells by their fields as run.json names them: {"path": "direct", "latency_ms": null}. Every field
// that it names must be equal; those that it leaves out may be anything.
type Selector map[string]json.RawMessage

// A Comparison is one figure of two cells: the ratio of the first to the second, within each block.
type Comparison struct {
	Name   string   `json:"name"`
	Says   string   `json:"says"`   // what is compared, in words that take no side
	Metric string   `json:"figure"` // by name: see package figure
	Of     Selector `json:"of"`     // must pick one cell
	To     Selector `json:"to"`     // must pick one cell
}

// A Study is a published one that a lesson asks again.
type Study struct {
	Title    string        `json:"title"`
	Source   string        `json:"source"` // who and when
	Setup    string        `json:"setup"`  // on what the author measured, and what of it is converted to the lab's words
	Figures  []StudyFigure `json:"figures"`
	Findings []Finding     `json:"shapes"`
}

// A StudyFigure is one that the author saw; Of, where given, picks the cell whose figure stands beside it.
type StudyFigure struct {
	What   string   `json:"what"`
	Said   string   `json:"said"` // as printed, with its unit
	Metric string   `json:"figure"`
	Of     Selector `json:"of"`
}

// A Finding is what must hold wherever the study is asked again: who wins, where it flips, what grows with what. It
// holds where all of its conditions do.
type Finding struct {
	Name string      `json:"name"`
	Says string      `json:"says"`
	All  []Condition `json:"all"`
}

// A Condition says how a cell's figure, or its ratio to another cell's, lies to a number.
type Condition struct {
	Metric string   `json:"figure"`
	Of     Selector `json:"of"`
	To     Selector `json:"to"`   // without one, the figure itself is judged
	Is     string   `json:"is"`   // less, more
	Than   *float64 `json:"than"` // 1 for a ratio where none is given
}

// A Chart is one picture of a report.
type Chart struct {
	Title   string   `json:"title"`
	Kind    string   `json:"kind"`    // lines, bars, or stack (shares: wait events, or the phases of a connect)
	Metric  string   `json:"figure"`  // of lines and bars
	Parts   []string `json:"parts"`   // of a stack: figures, or one of them "waits" for all wait events
	X       string   `json:"x"`       // a cell's field, as run.json names it: latency_ms, clients, path, ...
	Series  string   `json:"series"`  // a cell's field that has a line, or a bar beside the others, for each value
	Of      Selector `json:"of"`      // only these cells
	Ceiling bool     `json:"ceiling"` // draws clients / round trip beside TPS
	Log     string   `json:"log"`     // axes that are logarithmic: x, y or xy
	Note    string   `json:"note"`    // how to read it
}

// Needs are what a lesson's full size takes.
type Needs struct {
	Minutes        float64 `json:"minutes"`
	MaxConnections int     `json:"max_connections"` // LAB_MAX_CONNECTIONS
	NodeMemoryGB   float64 `json:"node_memory_gb"`  // LAB_NODE_MEMORY
	HostMemoryGB   float64 `json:"host_memory_gb"`
	Files          int     `json:"files"` // descriptors, of k6
	Scale          int     `json:"scale"` // LAB_SCALE
}
