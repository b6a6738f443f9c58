package outcome

import (
	"fmt"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// A Comparison is what a run says of one that its lesson makes.
type Comparison struct {
	Plan      lesson.Comparison
	Metric    metric.Metric
	Of, To    *result.Cell // nil where there is none
	Ratio     Ratio        // of Of's figure to To's, within each group of a pair or within each block that both have
	Outcome   Outcome
	Qualifier string // "at least" or "at most", where a flag can only have made the ratio smaller or larger than it is
	Reason    Reason
}

// Compare judges the comparison by the run.
func Compare(run *result.Run, plan lesson.Comparison) Comparison {
	c := Comparison{Plan: plan}
	f, err := metric.Find(plan.Metric)
	if err != nil {
		return c.with(Inconclusive, Reason{Text: err.Error()})
	}
	m := measure(run, f, lesson.Condition{Of: plan.Of, To: plan.To})
	c.Metric, c.Of, c.To, c.Ratio = f, m.of, m.to, m.Ratio
	flags := m.flags(f)
	switch {
	case m.outcome != "":
		return c.with(m.outcome, m.why)
	case !c.Ratio.Known():
		fewest, what := c.Ratio.fewest()
		if !c.Ratio.OfGroups {
			what = "common " + what
		}
		return c.with(NoInterval, flags.beside(fmt.Sprintf("%d of %d %s", c.Ratio.N, fewest, what)))
	}
	seen := Beside1(c.Ratio.Interval)
	qualifier, why, stands := flags.on(seen)
	if !stands {
		return c.with(Inconclusive, why)
	}
	c.Qualifier = qualifier
	return c.with(seen, why)
}

// Beside1 says where a ratio's interval lies.
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

// Text is the outcome in words, with its qualifier: "higher, at least".
func (c Comparison) Text() string {
	if c.Qualifier == "" {
		return c.Outcome.String()
	}
	return c.Outcome.String() + ", " + c.Qualifier
}

// String is the outcome, and why it is no other where there is something to say.
func (c Comparison) String() string { return because(c.Text(), c.Reason.String()) }
