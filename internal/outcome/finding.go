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

// A Found is what a run says of a finding that its lesson names. It is Reproduced where all its conditions hold and
// NotReproduced where one doesn't.
type Found struct {
	Plan lesson.Finding
	Own  bool // the lab's, and not the study's
	Judged
}

// A condition is what a run says of one of a finding's.
type condition struct {
	measurement
	plan   lesson.Condition
	limit  float64
	agrees bool // what was seen does, however little that was
}

// Judge judges the finding by the run.
func Judge(run *result.Run, plan lesson.Finding) Found {
	f := Found{Plan: plan, Judged: inconclusive("the finding has no conditions")}
	var selectors []lesson.Selector
	for _, c := range plan.All {
		selectors = append(selectors, c.Of, c.To, c.Minus)
	}
	if other := otherCells(run, selectors...); other != "" {
		f.Judged = Judged{NotInThisRun, Reason{Text: other}}
		return f
	}
	for i, all := range plan.All {
		c := judge(run, all)
		switch {
		case i == 0 || c.outweighs(f):
			f.Judged = c.Judged
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
func (c condition) outweighs(f Found) bool {
	if c.Outcome == NoInterval && f.Outcome == NoInterval {
		return !c.agrees
	}
	return slices.Index(weights, c.Outcome) > slices.Index(weights, f.Outcome)
}

// judge judges one condition.
func judge(run *result.Run, plan lesson.Condition) condition {
	if plan.Is == lesson.Same {
		return condition{plan: plan, measurement: measurement{Judged: judgeSame(run, plan)}}
	}
	c := condition{plan: plan, limit: 1, measurement: valueOf(run, plan)}
	switch {
	case plan.Than != nil:
		c.limit = *plan.Than
	case plan.To == nil:
		c.Judged = inconclusive("the condition gives no number to compare with")
	}
	if c.Outcome == "" {
		c.compare()
	}
	return c
}

// compare judges the condition by the range in which its value lies, beside the limit, and by what the flags leave of
// that.
func (c *condition) compare() {
	lo, hi, doubt := c.between()
	more := c.plan.Is == "more"
	refuted := lo >= c.limit
	if c.agrees = hi < c.limit; more {
		c.agrees, refuted = lo > c.limit, hi <= c.limit
	}
	if !c.agrees && !refuted {
		c.Judged = Judged{Inconclusive, c.flags.beside(c.text() + ": " + doubt)}
		return
	}
	side := Lower
	if more == c.agrees {
		side = Higher
	}
	if _, c.Judged = c.flags.on(side); c.Outcome == Inconclusive {
		return
	}
	switch {
	case c.agrees && c.few():
		c.Outcome, c.Reason.Text = NoInterval, seen(c.Interval)+", as expected"
	case c.agrees:
		c.Outcome = Reproduced
	case c.few():
		c.Outcome, c.Reason.Text = NoInterval, seen(c.Interval)+", not as expected: "+c.text()
	default:
		c.Outcome, c.Reason.Text = NotReproduced, c.text()
	}
}

// between is the range in which the value lies: its interval, or where it has none the value with a margin. What is
// counted is what it is and needs none. doubt is what to say where the limit lies in the range.
func (c *condition) between() (lo, hi float64, doubt string) {
	switch {
	case c.Known():
		return c.Lo, c.Hi, "that is within its interval"
	case c.To == nil && c.Metric.Counted():
		return c.Center, c.Center, ""
	}
	lo, hi = c.Center/(1+margin), c.Center/(1-margin)
	return min(lo, hi), max(lo, hi), seen(c.Interval) + ", and that is less than 10 % away"
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

// text says what was seen and what was expected: "tps of pgpool, select, 45 clients to direct, select, 45 clients is
// 1.28 (1.20 to 1.33), expected: more than 1.00".
func (c *condition) text() string {
	text, unit, write := c.Metric.Name+" of "+NameIn(c.run, c.Of), c.Metric.ShownUnit(), c.Metric.Text
	switch {
	case c.plan.To != nil:
		text, unit, write = text+" to "+NameIn(c.run, c.To), "", metric.RatioText
	case c.plan.Minus != nil:
		text += " less that of " + NameIn(c.run, c.To)
	}
	text += " is " + withUnit(write(c.Center), unit)
	if c.Known() {
		text += " (" + c.Interval.Text(write) + ")"
	}
	return text + ", expected: " + c.plan.Is + " than " + withUnit(write(c.limit), unit)
}
