package metric

import "pooler-lab/internal/result"

// A statistic sums up many times in one.
type statistic struct {
	of       func(result.Trend) float64
	quantile float64 // of the times, 0.5 for their median; 0 is their mean
}

var (
	med = statistic{of: func(t result.Trend) float64 { return t.Med }, quantile: 0.5}
	p95 = statistic{of: func(t result.Trend) float64 { return t.P95 }, quantile: 0.95}
	p99 = statistic{of: func(t result.Trend) float64 { return t.P99 }, quantile: 0.99}
	avg = statistic{of: func(t result.Trend) float64 { return t.Avg }}
)

// A timing is a statistic of the first of some trends that a repeat has.
type timing struct {
	statistic
	in     func(*result.Measured) map[string]result.Trend
	trends []string
}

// trend is a statistic of the first of those trends that the measured window has.
func trend(s statistic, trends ...string) *timing {
	return trendIn(func(m *result.Measured) map[string]result.Trend { return m.Trends }, s, trends...)
}

func trendIn(in func(*result.Measured) map[string]result.Trend, s statistic, trends ...string) *timing {
	return &timing{s, in, trends}
}

// trend is the one that the repeat has; false where it has none.
func (t *timing) trend(m *result.Measured) (result.Trend, bool) {
	for _, name := range t.trends {
		if found, ok := t.in(m)[name]; ok && found.Count > 0 {
			return found, true
		}
	}
	return result.Trend{}, false
}
