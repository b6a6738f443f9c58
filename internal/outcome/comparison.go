package outcome

import (
	"fmt"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

// A Compared is what a run says of a comparison that its lesson makes: of the ratio of Of's figure to To's, within each
// group of a pair or within each block that both have.
type Compared struct {
	Plan lesson.Comparison
	Says string // what is compared
	measurement
	Qualifier string // "at least" or "at most", where a flag can only have made the ratio smaller or larger than it is
}

// Compare judges the comparison by the run.
func Compare(run *result.Run, plan lesson.Comparison) Compared {
	c := Compared{Plan: plan,
		measurement: valueOf(run, lesson.Condition{Metric: plan.Metric, Of: plan.Of, To: plan.To})}
	c.Says = spoken(run, plan, c.Metric, c.Of, c.To)
	switch {
	case madeOne(run, c.Of, c.To):
		c.Ratio = Ratio{}
		c.Judged = Judged{NotInThisRun, Reason{Text: "both are one cell: " + NameIn(run, c.Of)}}
	case c.Outcome != "":
	case !c.Known():
		fewest, what := c.fewest()
		if !c.OfGroups {
			what = "common " + what
		}
		c.Judged = Judged{NoInterval, c.flags.beside(fmt.Sprintf("%d of %d %s", c.N, fewest, what))}
	default:
		c.Qualifier, c.Judged = c.flags.on(Beside1(c.Interval))
	}
	return c
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

// Text is the outcome in words, with its qualifier: "higher, at least".
func (c Compared) Text() string {
	if c.Qualifier == "" {
		return c.Outcome.String()
	}
	return c.Outcome.String() + ", " + c.Qualifier
}

// String is the outcome, and why it is no other where there is something to say.
func (c Compared) String() string { return Because(c.Text(), c.Reason.String()) }
