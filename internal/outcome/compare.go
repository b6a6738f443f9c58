package outcome

import (
	"fmt"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// A Comparison is what a run says of one that its lesson makes.
type Comparison struct {
	Plan    lesson.Comparison
	Metric  metric.Metric
	Of, To  *result.Cell // nil where there is none
	Ratio   Interval     // of Of's figure to To's, within each block; N is the blocks that both have
	Outcome Outcome
	Reason  Reason
}

// Compare judges the comparison by the run.
func Compare(run *result.Run, plan lesson.Comparison) Comparison {
	c := Comparison{Plan: plan}
	f, err := metric.Find(plan.Metric)
	if err != nil {
		return c.with(Inconclusive, Reason{Text: err.Error()})
	}
	c.Metric = f
	var outcome Outcome
	var why Reason
	if c.Of, outcome, why = one(run, plan.Of); outcome != "" {
		return c.with(outcome, why)
	}
	if c.To, outcome, why = one(run, plan.To); outcome != "" {
		return c.with(outcome, why)
	}
	c.Ratio = Summary(f.Ratios(c.Of, c.To))
	if why := flagged(f, c.Of, c.To); len(why.Flagged) > 0 {
		return c.with(Inconclusive, why)
	}
	switch {
	case c.Ratio.N == 0:
		return c.with(Inconclusive, noRatio(f, c.Of, c.To))
	case !c.Ratio.Known():
		return c.with(NoInterval, Reason{Text: fmt.Sprintf("%d of %d common repeats", c.Ratio.N, Fewest)})
	case c.Ratio.Hi < 1:
		return c.with(Lower, Reason{})
	case c.Ratio.Lo > 1:
		return c.with(Higher, Reason{})
	}
	return c.with(NoClearDifference, Reason{})
}

func (c Comparison) with(outcome Outcome, why Reason) Comparison {
	c.Outcome, c.Reason = outcome, why
	return c
}

// String is the outcome, and why it is no other where there is something to say.
func (c Comparison) String() string { return because(c.Outcome.String(), c.Reason.String()) }
