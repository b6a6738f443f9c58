package report

import (
	"math"

	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// roundTripOf is the median round trip of the repeats that count, or where one of them is flagged for it the one
// that is furthest from what was set, starred.
func roundTripOf(c *result.Cell) string {
	var values []float64
	furthest, worst := 0.0, 0.0
	for _, r := range c.Repeats {
		if r.Status != result.OK || r.RoundTrip == nil {
			continue
		}
		values = append(values, r.RoundTrip.MeasuredMS)
		off := math.Abs(r.RoundTrip.MeasuredMS - r.RoundTrip.SetMS)
		if r.Flagged(result.FlagLatency) && off > furthest {
			furthest, worst = off, r.RoundTrip.MeasuredMS
		}
	}
	if furthest > 0 {
		return metric.Number(worst) + "*"
	}
	if v, ok := metric.Middle(values); ok {
		return metric.Number(v) + " "
	}
	return "- "
}
