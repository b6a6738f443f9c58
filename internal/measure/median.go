package measure

import (
	"slices"
	"time"
)

// Median is the middle one of the durations: of an even number, the upper one of both; 0 of none.
func Median(took []time.Duration) time.Duration {
	if len(took) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(took))[len(took)/2]
}
