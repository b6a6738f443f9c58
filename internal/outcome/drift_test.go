package outcome

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pooler-lab/internal/shared"
)

// A series is a way in which the logarithm of a pair's ratio may go from group to group, beside its scatter. It ends at
// that of the true ratio, if it is ever steady.
type series struct {
	name string
	at   func(group int) float64
	rho  float64 // share of a group that the next one has
	// held and drifts are how many of 100 pairs have an interval that holds the true ratio at least, and are called
	// unsteady at most, or where least is set at least.
	held, drifts float64
	least        bool
}

func decay(height, groups float64) func(int) float64 {
	return func(group int) float64 { return height * math.Exp(-float64(group)/groups) }
}

func step(height float64, at int) func(int) float64 {
	return func(group int) float64 {
		if group < at {
			return height
		}
		return 0
	}
}

// allSeries are what a pair may meet. A step that comes after a pair has ended is one that nobody can know of.
var allSeries = []series{
	{name: "constant", at: step(0, 0), held: 92, drifts: 1},
	{name: "constant, autocorrelated by 0.2", at: step(0, 0), rho: 0.2, held: 89, drifts: 2},
	{name: "constant, autocorrelated by 0.4", at: step(0, 0), rho: 0.4, held: 85, drifts: 4},
	{name: "an outlier at first", at: step(0.5, 1), held: 92, drifts: 1},
	{name: "a step of 0.3 after 8 groups", at: step(0.3, 8), held: 90, drifts: 2},
	{name: "falls by 0.6, by half in 1.4 groups", at: decay(0.6, 2), held: 88, drifts: 1},
	{name: "falls by 0.6, by half in 4 groups", at: decay(0.6, 6), held: 80, drifts: 10},
	{name: "falls by 0.2, by half in 4 groups", at: decay(0.2, 6), held: 72, drifts: 4},
	{name: "slow waves of 0.1", at: func(group int) float64 { return 0.1 * math.Sin(2*math.Pi*float64(group)/25) },
		held: 90, drifts: 4},
	{name: "falls all the time", at: func(group int) float64 { return -0.01 * float64(group) }, drifts: 60, least: true},
}

// TestDrifts: a pair whose ratio isn't steady at first has an interval of the groups after that. One that never gets
// steady has none.
func TestDrifts(t *testing.T) {
	const most, steady, deviation = 50, 25, 0.08 // groups that fit into a pair's time, in all and once it is steady
	for _, c := range allSeries {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(9, 9))
			held, drifts, before, groups := 0, 0, 0, 0
			for range trials {
				noise := related(c.rho)(r, most)
				for i := range noise {
					noise[i] += c.at(i) / deviation
				}
				figures := scattered(noise, deviation)
				n := EarliestGroups
				i := Groups(figures[:n])
				for n < most && !i.Enough(0.05) && (i.NeverSteady || i.N < steady) {
					n++
					i = Groups(figures[:n])
				}
				switch {
				case i.Drift != (shared.Drift{}):
					drifts++
				case i.Lo <= trueRatio && trueRatio <= i.Hi:
					held++
				}
				before, groups = before+i.Warming, groups+n
			}
			share := func(n int) float64 { return 100 * float64(n) / trials }
			text := fmt.Sprintf("held %.1f and unsteady %.1f of 100, after %d groups, %d of them left out", share(held),
				share(drifts), groups/trials, before/trials)
			t.Log(text)
			if share(held) < c.held || !c.least && share(drifts) > c.drifts || c.least && share(drifts) < c.drifts {
				t.Errorf("%s; it should be %.0f and %.0f", text, c.held, c.drifts)
			}
		})
	}
}

// Sides that warm up alike have a steady ratio all the time. It counts from when they are steady.
func TestSidesThatWarmUpAlike(t *testing.T) {
	var figures [][2]float64
	for group := range 40 {
		warm := 1 - 0.6*math.Exp(-float64(group)/3)
		noise := 1 + 0.02*math.Sin(float64(7*group))
		figures = append(figures, [2]float64{110 * warm * noise, 100 * warm / noise})
	}
	if i := Groups(figures); i.Warming < 8 || i.Warming > 24 || i.N != 40-i.Warming || !i.Known() || i.NeverSteady {
		t.Errorf("it is %+v", i)
	}
}

func TestPairThatDrifts(t *testing.T) {
	var figures [][2]float64
	for group := range 30 {
		figures = append(figures, [2]float64{180 - 2.5*float64(group), 100})
	}
	i := Groups(figures)
	if i.Known() || i.Enough(1) || !i.NeverSteady || i.N != 30 {
		t.Errorf("it is %+v", i)
	}
	if text := i.Text(nil); text != "no interval: not steady: 1.69 at first, 1.19 at the end" {
		t.Errorf("it says %q", text)
	}
	if few := Groups(figures[:FewestGroups-1]); few.NeverSteady || !strings.Contains(few.Text(nil), "11 of 12 groups") {
		t.Errorf("of eleven groups it says %q", few.Text(nil))
	}
}
