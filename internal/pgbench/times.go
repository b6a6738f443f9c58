package pgbench

import (
	"maps"
	"math"
	"slices"

	"pooler-lab/k6/summary"
)

// times are how often each response time was logged, in microseconds: a long run has few different ones beside its
// transactions.
type times map[int64]int64

// trend sums them up in milliseconds, in the way of k6's own summary: a percentile that lies between two values is
// taken from both.
func (t times) trend() summary.Trend {
	if len(t) == 0 {
		return summary.Trend{}
	}
	sorted := slices.Sorted(maps.Keys(t))
	var count, sum int64
	for _, value := range sorted {
		count += t[value]
		sum += value * t[value]
	}
	at := func(share float64) float64 { return t.percentile(sorted, count, share) / 1000 }
	return summary.Trend{Count: count, Min: at(0), Avg: float64(sum) / float64(count) / 1000, Med: at(0.5), P90: at(0.9),
		P95: at(0.95), P99: at(0.99), Max: at(1)}
}

// percentile is the value at that share of the way from the least to the most of them, in microseconds.
func (t times) percentile(sorted []int64, count int64, share float64) float64 {
	place := share * float64(count-1)
	below := int64(math.Floor(place))
	low, high := t.nth(sorted, below), t.nth(sorted, min(below+1, count-1))
	return low + (high-low)*(place-float64(below))
}

// nth is the value with n before it.
func (t times) nth(sorted []int64, n int64) float64 {
	for _, value := range sorted {
		if n -= t[value]; n < 0 {
			return float64(value)
		}
	}
	return float64(sorted[len(sorted)-1])
}
