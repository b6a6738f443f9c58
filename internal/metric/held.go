package metric

import (
	"cmp"

	"pooler-lab/internal/result"
)

// period is that of Docker's CPU limits, in seconds: a limit stops its container for the rest of one at most.
const period = 0.1

// HeldUp is which share of a repeat's iterations CPU limits can have held up at most. An iteration met a stop if it was
// under way in it: if it was due within the stop, or less than its own response time before. The stop, and the time in
// which what piled up meanwhile is done, are taken as a whole period. Stops of several components add up.
func HeldUp(r *result.Repeat) float64 {
	if r.Measured == nil || r.Measured.WindowSeconds <= 0 || r.Resources == nil {
		return 0
	}
	var stops int64
	for _, c := range r.Resources.Containers {
		stops += c.Stops
	}
	t, _ := responseTrend(r.Measured)
	return min(1, float64(stops)*(period+t.Med/1000)/r.Measured.WindowSeconds)
}

// responseTrend is of an iteration, or of what comes nearest.
func responseTrend(m *result.Measured) (result.Trend, bool) {
	return trend(med, responseTrends...).trend(m)
}

// begun is how many iterations there were within the window.
func begun(m *result.Measured) int64 {
	return cmp.Or(m.Trends["pg_response_time"].Count, m.Transactions)
}

// idle is the share of a closed loop's time in which clients waited for nothing that was timed. Where clients have a
// fixed number of transactions, the time of those that are done is nobody's, and it is 0.
func idle(c *result.Cell, m *result.Measured) float64 {
	t, ok := responseTrend(m)
	if !ok || c.Rate > 0 || m.Finish != nil || c.Clients == 0 || m.WindowSeconds <= 0 {
		return 0
	}
	return max(0, 1-float64(t.Count)*t.Avg/1000/m.WindowSeconds/float64(c.Clients))
}
