package shared

import (
	"math"
	"slices"
	"testing"
)

func TestTrend(t *testing.T) {
	six := []float64{1, 2, 3, 4, 5, 6}
	falling := slices.Clone(six)
	slices.Reverse(falling)
	for name, test := range map[string]struct {
		values []float64
		want   float64
	}{
		"nothing":    {nil, 0},
		"one value":  {six[:1], 0},
		"all equal":  {[]float64{4, 4, 4, 4}, 0},
		"rising":     {six, 14 / math.Sqrt(6*5*17/18.)},
		"falling":    {falling, -14 / math.Sqrt(6*5*17/18.)},
		"an outlier": {[]float64{1, 2, 3, 4, 5, 6000}, 14 / math.Sqrt(6*5*17/18.)},
		"to and fro": {[]float64{1, 3, 2, 4, 1, 3}, 2 / math.Sqrt(6*5*17/18.)},
	} {
		if got := Trend(test.values); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s: the trend is %v, it should be %v", name, got, test.want)
		}
	}
}

func TestSteadyFrom(t *testing.T) {
	level := []float64{5, 6, 5, 6, 5, 6, 5, 6, 5, 6, 5, 6, 5, 6, 5, 6}
	falling := []float64{60, 50, 40, 30, 20, 15, 12, 10}
	long := slices.Concat(falling, level)
	if at := SteadyFrom(level, Slight, 6); at != 0 {
		t.Errorf("level values are steady from %d on", at)
	}
	if at := SteadyFrom(long, Slight, 12); at < 8 || at > 14 || at%2 != 0 {
		t.Errorf("after eight values that fall, values are steady from %d on", at)
	}
	for fewest, values := range map[int][]float64{6: falling, 17: level} {
		if at := SteadyFrom(values, Slight, fewest); at != len(values) {
			t.Errorf("of %v, values are steady from %d on", values, at)
		}
	}
}

func TestEnds(t *testing.T) {
	if first, last := Ends([]float64{9, 1, 8, 2, 2, 2, 3, 4, 5}); first != 8 || last != 4 {
		t.Errorf("the ends are %v and %v", first, last)
	}
	if first, last := Ends([]float64{3}); first != 3 || last != 3 {
		t.Errorf("the ends of one value are %v and %v", first, last)
	}
}

func TestSteadyRate(t *testing.T) {
	ticks := func(n int, at func(i int) int64) (counts []int64) {
		for i := range n {
			counts = append(counts, at(i))
		}
		return counts
	}
	noisy := func(i int) int64 { return 100 + int64(i*7%5) }
	for name, test := range map[string]struct {
		counts []int64
		want   bool
	}{
		"too short":                     {ticks(9, noisy), false},
		"steady":                        {ticks(10, noisy), true},
		"rising":                        {ticks(10, func(i int) int64 { return 10 * int64(i) }), false},
		"rising all the time":           {ticks(100, func(i int) int64 { return 10 * int64(i) }), false},
		"falling":                       {ticks(10, func(i int) int64 { return 1000 - 10*int64(i) }), false},
		"rising in the first half":      {ticks(20, func(i int) int64 { return min(noisy(i), 10*int64(i)) }), true},
		"rising, and too slow to tell":  {ticks(10, func(i int) int64 { return int64(i) }), true},
		"nothing is done":               {make([]int64, 10), true},
		"parts of more than one tick":   {ticks(47, noisy), true},
		"rising in parts of some ticks": {ticks(47, func(i int) int64 { return 50 + int64(i) }), false},
	} {
		if got := SteadyRate(test.counts); got != test.want {
			t.Errorf("%s: steady is %v", name, got)
		}
	}
}
