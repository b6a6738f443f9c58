package metric

import (
	"slices"

	"pooler-lab/internal/result"
)

// A Rule says what a flag on a repeat does to a figure of it, and so to an outcome that rests on the figure.
type Rule string

// The rules. A flag that this program doesn't know is a Veto.
const (
	None  Rule = "-"     // it doesn't bear on the figure
	Note  Rule = "note"  // the outcome stands, and says what was flagged
	Worse Rule = "worse" // the figure can only be worse for it: a Veto of what it may have caused, a Note on the contrary
	Veto  Rule = "veto"  // the outcome is inconclusive
)

// A kind of metric has rules of its own.
type kind int

const (
	throughput kind = iota // transactions a second
	median                 // of response times, connects and their parts
	tail                   // of the same: percentiles from the 95th on, means, the longest
	whole                  // of the whole test: bytes copied, its first connect, when its last client was done
	usage                  // what machines and servers did meanwhile: CPU time, stops, wait events
	count                  // of things that are there or not, however fast the machine: errors, backends, memory
)

// rules are the table of docs/limits.md, in which they have their reasons.
var rules = map[result.FlagKind][]Rule{
	//                      throughput, median, tail, whole, usage, count
	result.FlagErrors:    {Note, Note, Veto, Veto, Note, None},
	result.FlagCounts:    {Veto, Veto, Veto, Veto, Veto, Veto},
	result.FlagUncounted: {Veto, Veto, Veto, Veto, Veto, None},
	result.FlagLatency:   {Note, Note, Note, Note, Note, None},
	result.FlagHost:      {Worse, Worse, Worse, Worse, Veto, None},
	result.FlagGenerator: {Worse, Worse, Worse, Worse, Veto, None},
	result.FlagStolen:    {Note, Note, Note, Note, Note, None},
	result.FlagLate:      {Worse, Veto, Veto, Note, Note, None},
	result.FlagWarmup:    {Veto, Veto, Veto, Veto, Veto, None},
	result.FlagDrift:     {Veto, Note, Veto, None, Note, None},
	result.FlagThrottled: {None, Note, Veto, Note, Note, None},
	result.FlagFew:       {Veto, Veto, Veto, None, None, None},
}

// Rule is what a flag of that kind does to the figure.
func (f Metric) Rule(flag result.FlagKind) Rule {
	of, known := rules[flag]
	if !known || of[f.from.kind] == Worse && f.Better == Neither {
		return Veto
	}
	return of[f.from.kind]
}

// Flags are the kinds of the flags that star the figure: all that bear on it, of the repeats of c that count, and
// FlagFew where one of these has too few times for the figure. Sorted.
func (f Metric) Flags(c *result.Cell) []result.FlagKind {
	kinds := slices.DeleteFunc(c.Flags(), func(kind result.FlagKind) bool { return f.Rule(kind) == None })
	if slices.ContainsFunc(c.Repeats, f.tooFew) && !slices.Contains(kinds, result.FlagFew) {
		kinds = append(kinds, result.FlagFew)
		slices.Sort(kinds)
	}
	return kinds
}

// tooFew says whether a repeat that counts has some times, but fewer than the figure takes.
func (f Metric) tooFew(r result.Repeat) bool {
	if r.Status != result.OK || r.Measured == nil {
		return false
	}
	for _, name := range f.from.trends {
		if n := r.Measured.Trends[name].Count; n > 0 {
			return n < f.from.least
		}
	}
	return false
}
