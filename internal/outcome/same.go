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
// second one's, lies within so many percent of 1. It is refuted where the whole interval lies beyond, unless a flag on
// a cell may be why. A full machine that both programs share is no reason to doubt that they agree.
func judgeSame(run *result.Run, plan lesson.Condition) Judged {
	var ratios []Interval
	var why Reason
	doubt := false
	for _, name := range plan.Comparisons {
		i := slices.IndexFunc(run.Lesson.Comparisons, func(c lesson.Comparison) bool { return c.Name == name })
		if i < 0 {
			return inconclusive(fmt.Sprintf("the lesson has no comparison %q", name))
		}
		one := Compare(run, run.Lesson.Comparisons[i])
		if len(one.flags.vetoes) > 0 || !one.Known() {
			one.Reason.Text = Because("comparison "+name+": "+string(one.Outcome), one.Reason.Text)
			return one.Judged
		}
		ratios, why = append(ratios, one.Interval), why.and(one.flags.beside(""))
		doubt = doubt || len(one.flags.low)+len(one.flags.high) > 0
	}
	if len(ratios) != 2 {
		return inconclusive("it takes two comparisons")
	}
	q := quotient(ratios[0], ratios[1])
	why.Text = fmt.Sprintf("%s, divided by %s, is %s (%s), expected: 1 within %s", plan.Comparisons[0],
		plan.Comparisons[1], metric.RatioText(q.Center), q.Text(metric.RatioText), plan.Within)
	lo, hi := 1/(1+float64(plan.Within)), 1+float64(plan.Within)
	refuted := q.Hi < lo || q.Lo > hi
	switch {
	case q.Lo >= lo && q.Hi <= hi:
		return Judged{Reproduced, why}
	case refuted && !doubt:
		return Judged{NotReproduced, why}
	case !refuted:
		why.Text += ": the interval is too wide to tell"
	}
	return Judged{Inconclusive, why}
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
