package outcome

import (
	"fmt"
	"slices"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// margin is how far, as a share of it, a figure must lie from a number where no interval says how sure it is.
const margin = 0.10

// A Finding is what a run says of one that its lesson names. It is Reproduced where all its conditions hold and
// NotReproduced where one doesn't.
type Finding struct {
	Plan       lesson.Finding
	Own        bool // the lab's, and not the study's
	Conditions []Condition
	Outcome    Outcome
	Reason     Reason
}

// String is the outcome, and why it is no other where there is something to say.
func (f Finding) String() string { return because(f.Outcome.String(), f.Reason.String()) }

// A Condition is what a run says of one of a finding's conditions.
type Condition struct {
	Plan    lesson.Condition
	Metric  metric.Metric
	Of, To  *result.Cell // To is nil where the figure itself is judged
	Value   Interval     // of the figure, of its ratio within each group or block, or of its difference within each block
	Limit   float64
	Agrees  bool // what was seen does, however little that was
	Outcome Outcome
	Reason  Reason
}

// Judge judges the finding by the run.
func Judge(run *result.Run, plan lesson.Finding) Finding {
	f := Finding{Plan: plan, Outcome: Inconclusive, Reason: Reason{Text: "the finding has no conditions"}}
	for _, c := range plan.All {
		f.Conditions = append(f.Conditions, judge(run, c))
	}
	for i, c := range f.Conditions {
		switch {
		case i == 0 || c.outweighs(f):
			f.Outcome, f.Reason = c.Outcome, c.Reason
		case c.Outcome == Reproduced && f.Outcome == Reproduced:
			f.Reason = f.Reason.and(c.Reason)
		}
	}
	return f
}

// weights are the outcomes of conditions: of several, a finding has the last one of these. What is refuted stays so
// whatever else was left out, and what was seen too seldom counts only where all else holds.
var weights = []Outcome{Reproduced, NoInterval, Inconclusive, NotInThisRun, NotReproduced}

// outweighs says whether the condition makes the finding another one.
func (c Condition) outweighs(f Finding) bool {
	if c.Outcome == NoInterval && f.Outcome == NoInterval {
		return !c.Agrees
	}
	return slices.Index(weights, c.Outcome) > slices.Index(weights, f.Outcome)
}

// judge judges one condition.
func judge(run *result.Run, plan lesson.Condition) Condition {
	if plan.Is == lesson.Same {
		return judgeSame(run, plan)
	}
	c := Condition{Plan: plan, Limit: 1}
	found, err := metric.Find(plan.Metric)
	switch {
	case err != nil:
		return c.with(Inconclusive, Reason{Text: err.Error()})
	case plan.Than != nil:
		c.Limit = *plan.Than
	case plan.To == nil:
		return c.with(Inconclusive, Reason{Text: "the condition gives no number to compare with"})
	}
	c.Metric = found
	m := measure(run, found, plan)
	c.Of, c.To, c.Value = m.of, m.to, m.Interval
	if m.outcome != "" {
		return c.with(m.outcome, m.why)
	}
	return c.despite(m.flags(found))
}

// despite judges the condition by its value, and by what its cells' flags leave of that.
func (c Condition) despite(flags flagging) Condition {
	side, judged := c.judged()
	if judged.Outcome == Inconclusive {
		return judged.with(Inconclusive, flags.beside(judged.Reason.Text))
	}
	_, why, stands := flags.on(side)
	if !stands {
		return c.with(Inconclusive, why)
	}
	return judged.with(judged.Outcome, judged.Reason.and(why))
}

func (c Condition) with(outcome Outcome, why Reason) Condition {
	c.Outcome, c.Reason = outcome, why
	return c
}

// judged compares the range in which the value lies with the limit: on which side of it the value is, and what follows.
func (c Condition) judged() (side Outcome, judged Condition) {
	lo, hi, doubt := c.between()
	agrees, refuted := hi < c.Limit, lo >= c.Limit
	side, other := Lower, Higher
	if c.Plan.Is == "more" {
		agrees, refuted = lo > c.Limit, hi <= c.Limit
		side, other = other, side
	}
	c.Agrees = agrees
	switch {
	case !agrees && !refuted:
		return "", c.with(Inconclusive, Reason{Text: c.Text() + ": " + doubt})
	case agrees && c.Value.few():
		return side, c.with(NoInterval, Reason{Text: seen(c.Value) + ", as expected"})
	case agrees:
		return side, c.with(Reproduced, Reason{})
	case c.Value.few():
		return other, c.with(NoInterval, Reason{Text: seen(c.Value) + ", not as expected: " + c.Text()})
	}
	return other, c.with(NotReproduced, Reason{Text: c.Text()})
}

// between is the range in which the value lies: its interval, or where it has none the value with a margin. What is
// counted is what it is and needs none. doubt is what to say where the limit lies in the range.
func (c Condition) between() (lo, hi float64, doubt string) {
	v := c.Value
	switch {
	case v.Known():
		return v.Lo, v.Hi, "that is within its interval"
	case c.To == nil && c.Metric.Counted():
		return v.Center, v.Center, ""
	}
	lo, hi = v.Center/(1+margin), v.Center/(1-margin)
	return min(lo, hi), max(lo, hi), seen(v) + ", and that is less than 10 % away"
}

// seen says how often something was.
func seen(v Interval) string {
	switch {
	case v.OfGroups:
		return "seen in " + metric.Count(v.N, "group")
	case v.N == 1:
		return "seen once"
	}
	return fmt.Sprintf("seen %d times", v.N)
}

// write writes a ratio, a difference or a figure.
func (c Condition) write(v float64) string {
	if c.Plan.To != nil {
		return metric.RatioText(v)
	}
	return c.Metric.Text(v)
}

// Text says what was seen and what was expected: "tps of pgpool, select, 45 clients to direct, select, 45 clients is
// 1.28 (1.20 to 1.33), expected: more than 1.00".
func (c Condition) Text() string {
	if c.Of == nil || c.Value.N == 0 {
		return c.Reason.String()
	}
	text, unit := c.Metric.Name+" of "+Name(c.Of), c.Metric.ShownUnit()
	switch {
	case c.Plan.Minus != nil:
		text += " less that of " + Name(c.To)
	case c.To != nil:
		text, unit = text+" to "+Name(c.To), ""
	}
	text += " is " + withUnit(c.write(c.Value.Center), unit)
	if c.Value.Known() {
		text += " (" + c.Value.Text(c.write) + ")"
	}
	return text + ", expected: " + c.Plan.Is + " than " + withUnit(c.write(c.Limit), unit)
}
