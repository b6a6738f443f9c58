package summary

import (
	"slices"
	"testing"
)

func TestHistogramCountsABoundIntoItsBucket(t *testing.T) {
	h := HistogramOf([]float64{0.05, 0.1, 0.11, 10, 20_000})
	want := make([]uint64, len(Bounds)+1)
	want[0], want[1], want[slices.Index(Bounds, 0.01)], want[len(Bounds)] = 2, 1, 1, 1
	if !slices.Equal(h.Counts, want) || h.Sum < 20.01 || h.Sum > 20.011 {
		t.Errorf("%+v, wanted %v", h, want)
	}
	h.Add(h)
	if h.Counts[0] != 4 || h.Counts[len(Bounds)] != 2 {
		t.Errorf("added to itself: %+v", h)
	}
	var sum Histogram
	sum.Add(Histogram{})
	sum.Add(HistogramOf([]float64{1}))
	if sum.Counts[slices.Index(Bounds, 0.001)] != 1 || sum.Sum != 0.001 {
		t.Errorf("%+v", sum)
	}
}
