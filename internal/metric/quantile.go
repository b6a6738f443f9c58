package metric

import (
	"math"

	"pooler-lab/internal/result"
)

// fewestTimes is how many times it takes for a quantile of them to say something of the others.
const fewestTimes = 10

// bound is what the effect can have done to the statistic of t.
//
// Of the iterations that nobody held up, a share of 1 - held, times are distributed as they would be; the others took
// longer. So the true quantile at q lies between those measured at q x (1 - held) and at q. Where a share is missing,
// it lies between those at (q - unseen)/(1 - unseen) and q/(1 - unseen), as if all the missing were slower, or faster,
// than the rest. (Bounds of a contaminated distribution: Huber, Robust Statistics, 1981, 1.4.)
func (s statistic) bound(t result.Trend, e effect) result.Bound {
	v := s.of(t)
	if v <= 0 {
		return result.Bound{0, math.Inf(1)}
	}
	lo, hi := v, v
	switch {
	case s.quantile == 0:
		lo, hi = meanBetween(t, e)
	case e.held > 0 || e.unseen > 0:
		q := s.quantile
		lo = min(v, atLeast(t, (q*(1-e.held)-e.unseen)/(1-e.unseen)))
		hi = max(v, atMost(t, q/(1-e.unseen)))
	}
	if e.held >= 1 || t.Count < fewestTimes && (e.held > 0 || e.unseen > 0) {
		lo = 0
	}
	if t.Count < fewestTimes && e.unseen > 0 {
		hi = math.Inf(1)
	}
	return result.Bound{e.times[0] * lo / v, e.times[1] * hi / v}
}

// meanBetween are the least and the greatest mean of t without the effect: iterations that were held up took the
// longest time of all and would have taken none, those that are missing would have taken none or the longest.
func meanBetween(t result.Trend, e effect) (lo, hi float64) {
	lo = max(0, t.Avg-e.held*t.Max) * (1 - e.unseen)
	return min(t.Avg, lo), max(t.Avg, t.Avg*(1-e.unseen)+t.Max*e.unseen)
}

// A knot is a quantile that a trend has.
type knot struct{ at, value float64 }

// knots are the quantiles of t, in order.
func knots(t result.Trend) []knot {
	all := []knot{{0, t.Min}, {0.5, t.Med}, {0.9, t.P90}, {0.95, t.P95}, {0.99, t.P99}, {1, t.Max}}
	for i := 1; i < len(all); i++ {
		all[i].value = max(all[i].value, all[i-1].value)
	}
	return all
}

// atLeast is what the quantile of t at u is at least. Below the median it is taken on the line from the shortest time
// to the median, under which the quantiles of a distribution with one peak near its median don't fall; above it is the
// next lower one that is known. Below 0, where more than those faster than it are missing, it is 0.
func atLeast(t result.Trend, u float64) float64 {
	if u < 0 || math.IsNaN(u) {
		return 0
	}
	if u < 0.5 {
		return t.Min + (t.Med-t.Min)*u/0.5
	}
	value := t.Med
	for _, k := range knots(t) {
		if k.at <= u {
			value = k.value
		}
	}
	return value
}

// atMost is what the quantile of t at u is at most: above the median on the line between the two that are known around
// it, over which those of such a distribution don't rise, and without limit beyond 1.
func atMost(t result.Trend, u float64) float64 {
	if u > 1 || math.IsNaN(u) {
		return math.Inf(1)
	}
	all := knots(t)
	for i := 2; i < len(all); i++ {
		if a, b := all[i-1], all[i]; u >= a.at && u <= b.at {
			return a.value + (b.value-a.value)*(u-a.at)/(b.at-a.at)
		}
	}
	return t.Med
}
