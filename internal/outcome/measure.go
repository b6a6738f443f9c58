package outcome

import (
	"fmt"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
	"pooler-lab/internal/shared"
)

// A measurement is the value that a comparison or a condition asks for: a ratio, or in its place a difference or a
// cell's own figure.
type measurement struct {
	Metric metric.Metric
	Of, To *result.Cell // as far as the run has them; To is nil for a cell's own figure
	Ratio
	Judged // where it says nothing, that and why

	run   *result.Run
	flags flagging
}

// valueOf finds the value of the condition, whatever it is compared with.
func valueOf(run *result.Run, plan lesson.Condition) (m measurement) {
	found, err := metric.Find(plan.Metric)
	m = measurement{Metric: found, run: run}
	switch {
	case err != nil:
		m.Judged = inconclusive(err.Error())
	case plan.To != nil:
		m.Of, m.To, m.Judged = two(run, found, plan.Of, plan.To)
	default:
		if m.Of, m.Judged = one(run, plan.Of); m.Outcome == "" && plan.Minus != nil {
			m.To, m.Judged = one(run, plan.Minus)
		}
	}
	if m.Outcome != "" {
		return m
	}
	switch {
	case plan.To != nil:
		m.Ratio = RatioOf(run, found, m.Of, m.To)
	case plan.Minus != nil:
		m.Ratio = Ratio{Interval: Summary(found.Differences(m.Of, m.To)), cells: []*result.Cell{m.Of, m.To}}
	default:
		m.Ratio = Ratio{Interval: Summary(found.Values(m.Of)), cells: []*result.Cell{m.Of}}
	}
	m.flags = m.Ratio.flags(run, found)
	if len(m.flags.vetoes) > 0 {
		m.Judged = m.flags.vetoed(m.flags.vetoes, "")
	} else if m.N == 0 {
		m.Judged = noValue(run, found, m.Of, m.To)
	} else if m.Drift != (shared.Drift{}) {
		m.Judged = inconclusive(notSteady(m.Drift))
	}
	return m
}

// noValue says why there is none of a cell, or between two.
func noValue(run *result.Run, f metric.Metric, of, to *result.Cell) Judged {
	for _, c := range []*result.Cell{of, to} {
		if c == nil || len(f.Values(c)) > 0 {
			continue
		}
		why := ""
		if f.OneNode(c) {
			why = "its one session stays on one node"
		}
		return inconclusive(Because(fmt.Sprintf("%s has no %s", NameIn(run, c), f.Name), why))
	}
	if v, ok := f.Middle(to); ok && v == 0 {
		return inconclusive(fmt.Sprintf("%s of %s is 0, so there is no ratio to it", f.Name, NameIn(run, to)))
	}
	return inconclusive("the two have no block in common")
}
