// Package metric holds what cells are judged by: each metric has a name, by which lessons ask for it, a unit, and a way
// to read it off a repeat.
package metric

import (
	"strings"

	"pooler-lab/internal/result"
)

// Better says which way a metric improves.
type Better int

// Neither is for metrics that describe and are no merit, such as where a server waits.
const (
	Neither Better = iota
	Less
	More
)

// String is the word for it: less, more, neither.
func (b Better) String() string { return [...]string{"neither", "less", "more"}[b] }

// A Metric is one thing to know of a cell.
type Metric struct {
	Name    string
	Heading string // for tables: its last word and the unit are a column's second line
	Unit    string // ms, us, s, /s, MB, MB/s, share (of 1), or empty for what is counted
	Better  Better
	Meaning string // for legends: a phrase that begins in lower case

	kind    kind
	open    string // the meaning in an open loop, where it is another
	opening string // the meaning where each iteration connects, where it is another
	drawn   bool   // by the node that a balancer draws for a session
	slots   bool   // k6 sees it within a slot: see Alternates
	of      reading
	from    *timing // in place of of: what the figure is a statistic of
}

// A kind says which flags bear on a metric's figures: see Bears.
type kind int

const (
	timed   kind = iota // of how long iterations took and how many there were
	sampled             // no median of iterations: few of them are enough
	counted             // of things that are there or not, however fast the machine
)

// Of reads the figure off a repeat of c; false where the repeat didn't measure it.
func (f Metric) Of(c *result.Cell, r *result.Repeat) (float64, bool) {
	if r == nil || r.Measured == nil {
		return 0, false
	}
	if f.from != nil {
		t, ok := f.from.trend(r.Measured)
		return f.from.of(t), ok
	}
	if f.of == nil {
		return 0, false
	}
	return f.of(c, r)
}

// MeaningIn is the metric's meaning in c: it may be another in an open loop, where each iteration connects, and where
// one session had one node.
func (f Metric) MeaningIn(c *result.Cell) string {
	switch opens, openLoop := c.Opens(), c.Rate > 0 && f.open != ""; {
	case f.OneNode(c):
		return "in how many repeats the standby answered: a session stays on the node drawn for it, so a cell of one " +
			"session measures one node"
	case opens && openLoop:
		return f.open + ", its connect included"
	case opens && f.opening != "":
		return f.opening
	case openLoop:
		return f.open
	}
	return f.Meaning
}

// Counted says whether the metric is a whole number of things, so that it may be compared with a number exactly.
func (f Metric) Counted() bool { return f.kind == counted && f.Unit == "" }

// Bears says whether a flag of that kind bears on the figure. All flags do where time is part of the figure, but that
// there were few iterations matters to medians and rates alone. What is counted (errors, backends, round trips, memory)
// is what it is on a busy machine, too: only counts that contradict each other bear on it.
func (f Metric) Bears(kind result.FlagKind) bool {
	switch f.kind {
	case counted:
		return kind == result.FlagCounts
	case sampled:
		return kind != result.FlagFew
	}
	return true
}

// Alternates says whether the metric can be measured where two cells' clients alternate: whether k6 sees it within the
// counted part of a slot. Servers and machines don't alternate, and what a whole test shows (its first connect, when the
// last client is done) happens once.
func (f Metric) Alternates() bool { return f.slots }

// Middle is the median over the repeats of c that count; false where none measured it.
func (f Metric) Middle(c *result.Cell) (float64, bool) { return Middle(f.Values(c)) }

// Short is the heading's last word, to name the metric where there is no room.
func (f Metric) Short() string {
	return f.Heading[strings.LastIndex(f.Heading, " ")+1:]
}
