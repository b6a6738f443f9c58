package lesson

import "cmp"

// A Comparison is one metric of two cells: the ratio of the first to the second, in each group of slots or each block.
type Comparison struct {
	Name   string   `json:"name" yaml:"name"`
	Text   string   `json:"text" yaml:"text"`     // what is compared, in words that take no side
	Metric string   `json:"metric" yaml:"metric"` // by name: see package metric
	Of     Selector `json:"of" yaml:"of"`         // must pick one cell
	To     Selector `json:"to" yaml:"to"`         // must pick one cell

	// Until is the precision at which cells measured side by side have been measured enough: half the width of the
	// ratio's interval, as a share of it. AtMost is how many seconds that may take. 0 is the lesson's.
	Until  Percent `json:"until,omitempty" yaml:"until"`
	AtMost float64 `json:"at_most,omitempty" yaml:"at_most"`
}

// usualUntil is how precise a comparison is unless its lesson says otherwise.
const usualUntil Percent = 0.05

// What a comparison may take, in seconds, unless its lesson says otherwise. Twenty groups, before which no pair ends
// early, take about half a minute.
const (
	usualAtMost = 45
	fullAtMost  = 120 // in full size
)

// Precision is how precisely the comparison is measured side by side, and how many seconds that may take: as it says
// itself, or as its lesson does.
func (l *Lesson) Precision(c Comparison) (until Percent, atMost float64) {
	usual := float64(usualAtMost)
	if l.enlarged {
		usual = fullAtMost
	}
	return cmp.Or(c.Until, l.Until, usualUntil), cmp.Or(c.AtMost, l.AtMost, usual)
}

// A Study is a published one that a lesson reproduces.
type Study struct {
	Title    string        `json:"title" yaml:"title"`
	Source   string        `json:"source" yaml:"source"` // who and when
	Setup    string        `json:"setup" yaml:"setup"`   // on what the author measured, and what of it is converted here
	Figures  []StudyFigure `json:"figures" yaml:"figures"`
	Findings []Finding     `json:"findings" yaml:"findings"`
}

// A StudyFigure is one that the author saw; Of, where given, picks the cell whose metric stands beside it.
type StudyFigure struct {
	What   string   `json:"what" yaml:"what"`
	Value  string   `json:"value" yaml:"value"` // as printed, with its unit
	Metric string   `json:"metric" yaml:"metric"`
	Of     Selector `json:"of" yaml:"of"`
}

// A Finding is what must hold wherever it is measured: who wins, where it flips, what grows with what. It is reproduced
// where all of its conditions hold.
type Finding struct {
	Name string      `json:"name" yaml:"name"`
	Text string      `json:"text" yaml:"text"`
	All  []Condition `json:"all" yaml:"all"`
}

// A Condition says how a cell's metric, or its ratio or difference to another cell's, lies to a number; or that two
// comparisons have the same ratio.
type Condition struct {
	Metric string   `json:"metric" yaml:"metric"`
	Of     Selector `json:"of" yaml:"of"`
	To     Selector `json:"to" yaml:"to"`       // judges the ratio to it, in each group of slots or each block
	Minus  Selector `json:"minus" yaml:"minus"` // judges the difference, within each block; without both the metric itself
	Is     string   `json:"is" yaml:"is"`       // less, more or Same
	Than   *float64 `json:"than" yaml:"than"`   // 1 for a ratio where none is given

	// Of Same alone: the names of two comparisons, and how far the first ratio may be from the second.
	Comparisons []string `json:"comparisons,omitempty" yaml:"comparisons"`
	Within      Percent  `json:"within,omitempty" yaml:"within"`
}

// Same is the word of a condition that two comparisons have the same ratio.
const Same = "same"

// A Chart is one picture of a report.
type Chart struct {
	Title   string   `json:"title" yaml:"title"`
	Kind    string   `json:"kind" yaml:"kind"`       // lines, bars, or stack: shares, of wait events or phases
	Metric  string   `json:"metric" yaml:"metric"`   // of lines and bars
	Parts   []string `json:"parts" yaml:"parts"`     // metrics: of a stack (or "waits"), or along the axis of lines
	X       string   `json:"x" yaml:"x"`             // a dimension by its name: latency_ms, clients, path, ...
	Series  string   `json:"series" yaml:"series"`   // a dimension that has a line, or a bar, for each value
	Of      Selector `json:"of" yaml:"of"`           // only these cells
	Ceiling bool     `json:"ceiling" yaml:"ceiling"` // draws clients / round trip beside TPS
	Log     string   `json:"log" yaml:"log"`         // axes that are logarithmic: x, y or xy
	Note    string   `json:"note" yaml:"note"`       // how to read it
}

// Needs are what a lesson's full size takes.
type Needs struct {
	Minutes        float64 `yaml:"minutes"`
	MaxConnections int     `yaml:"max_connections"` // LAB_MAX_CONNECTIONS
	NodeMemoryGB   float64 `yaml:"node_memory_gb"`  // LAB_NODE_MEMORY
	HostMemoryGB   float64 `yaml:"host_memory_gb"`
	Files          int     `yaml:"files"` // descriptors, of k6
	Scale          int     `yaml:"scale"` // LAB_SCALE
}
