package outcome

import (
	"fmt"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// A measurement is the value that a comparison or a condition asks for: a ratio, or in its place a difference or a
// cell's own figure.
type measurement struct {
	of, to *result.Cell // as far as the run has them
	Ratio
	outcome Outcome // why it says nothing, with a reason; else empty
	why     Reason
}

// measure finds the value of the condition, whatever it is compared with.
func measure(run *result.Run, f metric.Metric, plan lesson.Condition) (m measurement) {
	if plan.To != nil {
		m.of, m.to, m.outcome, m.why = two(run, f, plan.Of, plan.To)
	} else if m.of, m.outcome, m.why = one(run, plan.Of); m.outcome == "" && plan.Minus != nil {
		m.to, m.outcome, m.why = one(run, plan.Minus)
	}
	if m.outcome != "" {
		return m
	}
	switch {
	case plan.To != nil:
		m.Ratio = RatioOf(run, f, m.of, m.to)
	case plan.Minus != nil:
		m.Ratio = Ratio{Interval: Summary(f.Differences(m.of, m.to)), cells: []*result.Cell{m.of, m.to}}
	default:
		m.Ratio = Ratio{Interval: Summary(f.Values(m.of)), cells: []*result.Cell{m.of}}
	}
	if veto, vetoed := m.flags(f).vetoed(); vetoed {
		m.outcome, m.why = Inconclusive, veto
	} else if m.N == 0 {
		m.outcome, m.why = Inconclusive, noValue(f, m.of, m.to)
	}
	return m
}

// noValue says why there is none of a cell, or between two.
func noValue(f metric.Metric, of, to *result.Cell) Reason {
	for _, c := range []*result.Cell{of, to} {
		switch {
		case c == nil || len(f.Values(c)) > 0:
		case f.OneNode(c):
			return Reason{Text: fmt.Sprintf("%s has no %s: its one session stays on one node", Name(c), f.Name)}
		default:
			return Reason{Text: fmt.Sprintf("%s has no %s", Name(c), f.Name)}
		}
	}
	if v, ok := f.Middle(to); ok && v == 0 {
		return Reason{Text: fmt.Sprintf("%s of %s is 0, so there is no ratio to it", f.Name, Name(to))}
	}
	return Reason{Text: "the two have no block in common"}
}
