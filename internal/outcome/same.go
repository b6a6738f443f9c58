package outcome

import (
	"fmt"
	"math"
	"slices"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// judgeSame judges whether two comparisons have the same ratio: whether the interval of the first one's, divided by the
// second one's, lies within so many percent of 1. It is refuted where the whole interval lies beyond, unless a flag on a
// cell may be why. A full machine that both programs share is no reason to doubt that they agree.
func judgeSame(run *result.Run, plan lesson.Condition) Condition {
	c := Condition{Plan: plan, Limit: 1}
	var ratios []Interval
	var why Reason
	doubt := false
	for _, name := range plan.Comparisons {
		i := slices.IndexFunc(run.Lesson.Comparisons, func(c lesson.Comparison) bool { return c.Name == name })
		if i < 0 {
			return c.with(Inconclusive, Reason{Text: fmt.Sprintf("the lesson has no comparison %q", name)})
		}
		one := Compare(run, run.Lesson.Comparisons[i])
		flags := one.Ratio.flags(one.Metric)
		if _, vetoed := flags.vetoed(); vetoed || !one.Ratio.Known() {
			one.Reason.Text = because("comparison "+name+": "+string(one.Outcome), one.Reason.Text)
			return c.with(one.Outcome, one.Reason)
		}
		ratios, why = append(ratios, one.Ratio.Interval), why.and(flags.beside(""))
		doubt = doubt || len(flags.low)+len(flags.high) > 0
	}
	if len(ratios) != 2 {
		return c.with(Inconclusive, Reason{Text: "it takes two comparisons"})
	}
	c.Value = quotient(ratios[0], ratios[1])
	why.Text = fmt.Sprintf("%s, divided by %s, is %s (%s), expected: 1 within %s", plan.Comparisons[0], plan.Comparisons[1],
		metric.RatioText(c.Value.Center), c.Value.Text(metric.RatioText), plan.Within)
	lo, hi := 1/(1+float64(plan.Within)), 1+float64(plan.Within)
	c.Agrees = c.Value.Lo >= lo && c.Value.Hi <= hi
	refuted := c.Value.Hi < lo || c.Value.Lo > hi
	switch {
	case c.Agrees:
		return c.with(Reproduced, why)
	case refuted && !doubt:
		return c.with(NotReproduced, why)
	case !refuted:
		why.Text += ": the interval is too wide to tell"
	}
	return c.with(Inconclusive, why)
}

// quotient divides a ratio by another one that was measured apart from it. Its interval is made of theirs, on a
// logarithmic scale (the method of variance estimates recovery; Zou and Donner, Statistics in Medicine 27, 2008).
func quotient(above, below Interval) Interval {
	away := func(a, b float64) float64 { return math.Exp(math.Hypot(math.Log(a), math.Log(b))) }
	center := above.Center / below.Center
	return Interval{Center: center, N: min(above.N, below.N),
		Lo: center / away(above.Center/above.Lo, below.Hi/below.Center),
		Hi: center * away(above.Hi/above.Center, below.Center/below.Lo)}
}
