package outcome

import (
	"fmt"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"

	"pooler-lab/internal/metric"
	"pooler-lab/internal/shared"
)

// Fewest is how many values an interval takes: of five, even the whole range holds the true median in only 94 of 100
// cases.
const Fewest = 6

// confidence of an interval: it holds the true median at least so often.
const confidence = 0.95

// An Interval is the median of some values, and where there are enough of them the range that holds the true one in
// 95 of 100 cases, taken from the values' order alone. That of a pair's groups is another one: see Groups.
type Interval struct {
	Center, Lo, Hi float64 // Lo and Hi mean something only where it is Known
	N              int     // values
	OfGroups       bool    // the values are of a pair's groups, not of repeats
	LeftOut        int     // groups without a ratio, since a figure was 0
	Warming        int     // groups before those, while the ratio or a side of it wasn't steady yet
	NeverSteady    bool    // of a pair of which too few groups are steady: it is of all of them

	Drift shared.Drift // of values that no interval describes, or none
}

// notSteady says in words how ratios drift.
func notSteady(d shared.Drift) string {
	return fmt.Sprintf("not steady: %s at first, %s at the end", metric.RatioText(d.First), metric.RatioText(d.Last))
}

// Summary sums up values, and leaves them in their order: benchmath sorts what it is given. A time without an end is
// infinite.
func Summary(values []float64) Interval {
	if len(values) == 0 {
		return Interval{}
	}
	s := benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds),
		confidence)
	center, _ := shared.Median(values) // benchmath's is no number where values are infinite
	return Interval{Center: center, Lo: s.Lo, Hi: s.Hi, N: len(values)}
}

// fewest is how many values the interval takes, and what they are.
func (i Interval) fewest() (n int, what string) {
	if i.OfGroups {
		return FewestGroups, "groups"
	}
	return Fewest, "repeats"
}

// few says whether there are too few values for an interval.
func (i Interval) few() bool {
	fewest, _ := i.fewest()
	return i.N < fewest
}

// Known says whether there is an interval around the center.
func (i Interval) Known() bool {
	return !i.few() && i.Drift == (shared.Drift{}) && !math.IsInf(i.Lo, 0) && !math.IsInf(i.Hi, 0)
}

// Text writes the range as write has numbers, or why there is none.
func (i Interval) Text(write func(float64) string) string {
	switch fewest, what := i.fewest(); {
	case i.Drift != (shared.Drift{}):
		return "no interval: " + notSteady(i.Drift)
	case i.few():
		return fmt.Sprintf("no interval: %d of %d %s", i.N, fewest, what)
	case !i.Known():
		return "no interval: some times had no end"
	}
	return write(i.Lo) + " to " + write(i.Hi)
}
