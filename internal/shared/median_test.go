package shared

import (
	"slices"
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		took []time.Duration
		want time.Duration
	}{
		{nil, 0},
		{[]time.Duration{7}, 7},
		{[]time.Duration{9, 1, 5}, 5},
		{[]time.Duration{6, 9, 1, 4}, 5},
	} {
		before := slices.Clone(c.took)
		got, ok := Median(c.took)
		if got != c.want || ok != (len(c.took) > 0) || !slices.Equal(c.took, before) {
			t.Errorf("the median is %v, %v of %v, which were %v", got, ok, c.took, before)
		}
	}
}
