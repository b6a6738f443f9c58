package measure

import (
	"cmp"
	"slices"
)

// Median is the middle one of the values: of an even number, the upper one of both; 0 of none.
func Median[V cmp.Ordered](values []V) (middle V) {
	if len(values) > 0 {
		middle = slices.Sorted(slices.Values(values))[len(values)/2]
	}
	return middle
}
