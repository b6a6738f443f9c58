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
	Ratio   Ratio        // of Of's figure to To's, within each group of a pair or within each block that both have
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
	if c.Of, c.To, outcome, why = two(run, f, plan.Of, plan.To); outcome != "" {
		return c.with(outcome, why)
	}
	c.Ratio = RatioOf(run, f, c.Of, c.To)
	cells := c.Ratio.cells
	if why := vetoed(f, cells...); len(why.Flagged) > 0 {
		return c.with(Inconclusive, why)
	}
	found := Beside1(c.Ratio.Interval)
	switch {
	case c.Ratio.N == 0:
		return c.with(Inconclusive, noRatio(f, c.Of, c.To))
	case !c.Ratio.Known():
		why := starred(f, cells...)
		fewest, what := c.Ratio.fewest()
		if !c.Ratio.OfGroups {
			what = "common " + what
		}
		why.Text = fmt.Sprintf("%d of %d %s", c.Ratio.N, fewest, what)
		return c.with(NoInterval, why)
	case Beside1(c.Ratio.least) != found, Beside1(c.Ratio.most) != found:
		return c.with(Inconclusive, doubted(f, cells...))
	}
	return c.with(found, harmless(f, cells...))
}

// Beside1 says where a ratio's interval lies. As each ratio in it grows, so do its ends: what the least and the most
// ratios have in common holds for all between them.
func Beside1(ratio Interval) Outcome {
	switch {
	case ratio.Hi < 1:
		return Lower
	case ratio.Lo > 1:
		return Higher
	}
	return NoClearDifference
}

func (c Comparison) with(outcome Outcome, why Reason) Comparison {
	c.Outcome, c.Reason = outcome, why
	return c
}

// String is the outcome, and why it is no other where there is something to say.
func (c Comparison) String() string { return because(c.Outcome.String(), c.Reason.String()) }
