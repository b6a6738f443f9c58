package shared

import "slices"

// Median is the middle one of the values, or the mean of the two in the middle; not ok of none. The values stay in
// their order.
func Median[V ~int64 | ~float64](values []V) (middle V, ok bool) {
	if len(values) == 0 {
		return 0, false
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2, true
}
