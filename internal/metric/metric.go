// Package metric holds what cells are judged by: each metric has a name, by which lessons ask for it, a unit, and a way
// to read it off a repeat.
package metric

import (
	"pooler-lab/internal/result"
	"pooler-lab/internal/shared"
)

// Better says which way a metric improves.
type Better int

// Neither is for metrics that describe and are no merit, such as where a server waits.
const (
	Neither Better = iota
	Less
	More
)

// A Metric is one thing to know of a cell.
type Metric struct {
	Name    string
	Heading string // for tables: its last word and the unit are a column's second line
	Unit    string // ms, us, s, /s, MB, MB/s, share (of 1), or empty for what is counted
	Better  Better
	Meaning string // for legends: a phrase that begins in lower case

	from    source
	open    string // the meaning in an open loop, where it is another
	opening string // the meaning where each iteration connects, where it is another
	drawn   bool   // by the node that a balancer draws for a session
}

// A source is where a metric's figures come from, and of which kind they are.
type source struct {
	kind   kind
	read   reading
	slots  bool     // k6 sees it within a slot: see Alternates
	trends []string // of k6, that it is read from
	least  int64    // times in a window that it takes
}

// of is a source of that kind.
func (k kind) of(read reading) source { return source{kind: k, read: read} }

// inSlots is the same of what k6 sees within a slot.
func (s source) inSlots() source {
	s.slots = true
	return s
}

// A reading reads a figure off a repeat that measured something; false where it didn't measure this.
type reading = func(*result.Cell, *result.Repeat) (float64, bool)

// Of reads the figure off a repeat of c; false where the repeat didn't measure it.
func (f Metric) Of(c *result.Cell, r *result.Repeat) (float64, bool) {
	if r == nil || r.Measured == nil || f.from.read == nil {
		return 0, false
	}
	return f.from.read(c, r)
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
func (f Metric) Counted() bool { return f.from.kind == count && f.Unit == "" }

// Alternates says whether the metric can be measured where two cells' clients alternate: whether k6 sees it within the
// counted part of a slot. Servers and machines don't alternate, and what a whole test shows (its first connect, when
// the last client is done) happens once.
func (f Metric) Alternates() bool { return f.from.slots }

// Middle is the median over the repeats of c that count; false where none measured it.
func (f Metric) Middle(c *result.Cell) (float64, bool) { return shared.Median(f.Values(c)) }
