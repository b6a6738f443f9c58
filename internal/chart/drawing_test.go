package chart

import (
	"math"
	"slices"
	"testing"
)

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.0523: "0.052", 5.2371: "5.24", 523.7: "524", 9999: "9999",
		11642.4: "11\u202f642", 1234567: "1\u202f234\u202f567", -12345: "-12\u202f345"} {
		if got := Number(v); got != want {
			t.Errorf("%v is written %q, it should be %q", v, got, want)
		}
	}
}

func TestTicks(t *testing.T) {
	tests := []struct {
		name        string
		log         bool
		least, most float64
		want        []float64
	}{
		{"from zero to a round number", false, 300, 930, []float64{0, 500, 1000}},
		{"decades", true, 1, 1000, []float64{1, 10, 100, 1000}},
		{"within a decade, its 1, 2 and 5", true, 1, 9, []float64{1, 2, 5}},
	}
	for _, test := range tests {
		if got := newAxis(test.log, test.least, test.most, 0, 100).ticks(); !slices.Equal(got, test.want) {
			t.Errorf("%s: the ticks from %v to %v are %v", test.name, test.least, test.most, got)
		}
	}
}

func TestNamesStandApart(t *testing.T) {
	labels := []label{{y: 300, at: 300}, {y: 302, at: 302}, {y: plotBottom, at: plotBottom},
		{y: plotBottom, at: plotBottom}, {y: 50, at: 50}}
	spread(labels)
	for i := 1; i < len(labels); i++ {
		if gap := labels[i].at - labels[i-1].at; gap < labelGap {
			t.Errorf("two names stand %v apart, they need %v", gap, labelGap)
		}
	}
	if last := labels[len(labels)-1].at; last > plotBottom {
		t.Errorf("a name stands at %v, below the plot", last)
	}
}

// TestALimitEndsAtThePlot holds that a line which nothing can pass is cut where the plot ends.
func TestALimitEndsAtThePlot(t *testing.T) {
	kept := (&plot{}).clipped([][2]float64{{0, plotTop - 100}, {100, plotTop + 100}, {200, plotTop + 200}})
	if want := [][2]float64{{50, plotTop}, {100, plotTop + 100}, {200, plotTop + 200}}; !slices.Equal(kept, want) {
		t.Errorf("the line is %v, it should be %v", kept, want)
	}
}

// TestMarksSayHowSure holds that what has no interval looks so.
func TestMarksSayHowSure(t *testing.T) {
	tests := []struct {
		name         string
		point        Point
		shape, class string
		whisker      bool
	}{
		{"six repeats", Point{Value: 10, Lo: 9, Hi: 11}, "circle", "dot s1", true},
		{"ran once", Point{Value: 10, Once: true}, "circle", "dot once s1", false},
		{"flagged", Point{Value: 10, Lo: 9, Hi: 11, Flagged: true}, "path", "cross s1", true},
	}
	for _, test := range tests {
		d := Lines(Chart{Write: Number, Places: []Place{{"1", 1}, {"none", math.NaN()}},
			Series: []Series{{Name: "direct", Colour: 1, Points: []Point{test.point}}}})
		found := slices.ContainsFunc(d.Marks, func(m Mark) bool { return m.Shape == test.shape && m.Class == test.class })
		whisker := slices.ContainsFunc(d.Marks, func(m Mark) bool { return m.Class == "whisker s1" })
		if !found || whisker != test.whisker {
			t.Errorf("%s: a %s of class %q is there: %v, its interval: %v", test.name, test.shape, test.class, found, whisker)
		}
	}
}

func TestIntervalsShareAnAxis(t *testing.T) {
	drawings, reach := Intervals("i", []Interval{{Ratio: 0.5, Lo: 0.4, Hi: 0.6}, {Ratio: 2}, {}})
	if reach != 3 || len(drawings) != 3 {
		t.Fatalf("%d drawings whose axis reaches to %v, they should be 3 and 3: 0.4 is 2.5 times less", len(drawings), reach)
	}
	at := func(d Drawing) float64 {
		i := slices.IndexFunc(d.Marks, func(m Mark) bool { return m.Shape == "circle" })
		return d.Marks[i].X - intervalWidth/2
	}
	if a, b := at(drawings[0]), at(drawings[1]); math.Abs(a+b) > 0.11 {
		t.Errorf("half stands %v from the middle, twice %v", a, b)
	}
}
