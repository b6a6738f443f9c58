package measure

import (
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
		{[]time.Duration{4, 9, 1, 5}, 5},
	} {
		if got := Median(c.took); got != c.want {
			t.Errorf("median of %v: %v", c.took, got)
		}
	}
}
