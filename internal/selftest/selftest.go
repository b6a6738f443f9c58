// Package selftest puts the lab's own comparisons to the test: the same path under two names must come out as no clear
// difference, and a known slowdown must be found, both in 18 of 20 comparisons.
//
// What can be expected of six repeats follows from how an outcome is reached. The interval of six ratios is their whole
// range, so a difference is seen where all six lie on one side of 1.
//
//   - Two names of one path: each ratio falls on either side with the same chance, whatever the noise is like. All six
//     fall on one side in 2 of 64 cases, so 97 of 100 comparisons say 'no clear difference', and 18 of 20 are
//     reached in 98 of 100 tries. Drift from block to block changes nothing, since it is in both cells of a block.
//   - A slowdown of 10 % is found in 90 of 100 comparisons as long as the ratio spreads by no more than 4.5 % within a
//     block (standard deviation; a cell alone then spreads by 3.2 %), and in 97 of 100, which 18 of 20 asks for, up to
//     3.7 %. A spread of 5 % is thus too much where each repeat has it for itself (57 of 100), and not where the block
//     has three fifths of its variance. Twelve repeats withstand 5 % of each cell's own (90 of 100).
//   - A single repeat that is far off, to the wrong side, among the twelve of a comparison hides a slowdown.
//
// The package's tests try all of this on made-up noise.
package selftest

import (
	"math"
	"slices"
	"strings"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// A Trial is one comparison made again and again, each time of other blocks.
type Trial struct {
	Plan         lesson.Comparison
	Wanted       outcome.Outcome // the right one
	Outcomes     []outcome.Comparison
	Right        int              // of them
	Inconclusive int              // of them: a cell failed, or flags can have changed it
	Missed       int              // of them: no clear difference, where there is one
	Whole        outcome.Interval // of the ratios of all blocks
	// Spread is the ratio's within a block, of the comparisons that were conclusive: standard deviation of its
	// logarithm.
	Spread float64
}

// enough is the share of comparisons that must be right: 18 of 20.
const enough = 0.9

// Wrong is how many comparisons said what isn't true: a difference that isn't there, or the wrong way round.
func (t Trial) Wrong() int { return len(t.Outcomes) - t.Right - t.Inconclusive - t.Missed }

// Holds says whether enough comparisons were right.
func (t Trial) Holds() bool {
	return float64(t.Right) >= enough*float64(len(t.Outcomes)) && t.Right > 0
}

// Judge makes each comparison of the run again for every so many blocks. Those whose name ends in same compare a
// path with itself, the others a known slowdown with what is not slowed down.
func Judge(run *result.Run, repeats int) []Trial {
	var trials []Trial
	for _, plan := range run.Lesson.Comparisons {
		t := Trial{Plan: plan, Wanted: wanted(plan)}
		var ratios []float64
		for first := 1; first+repeats-1 <= run.Blocks; first += repeats {
			c := outcome.Compare(within(run, first, first+repeats-1), plan)
			t.Outcomes = append(t.Outcomes, c)
			switch c.Outcome {
			case t.Wanted:
				t.Right++
			case outcome.NoClearDifference:
				t.Missed++
			}
			if !c.Outcome.Concludes() {
				t.Inconclusive++
				continue
			}
			ratios = append(ratios, c.Metric.Ratios(c.Of, c.To)...)
		}
		whole := outcome.Compare(run, plan)
		if whole.Outcome == outcome.NotInThisRun {
			continue
		}
		t.Whole, t.Spread = whole.Ratio, spread(ratios)
		trials = append(trials, t)
	}
	return trials
}

// wanted is the outcome that is right: a slowdown has less of what is better for being more.
func wanted(c lesson.Comparison) outcome.Outcome {
	if strings.HasSuffix(c.Name, "same") {
		return outcome.NoClearDifference
	}
	if f, err := metric.Find(c.Metric); err == nil && f.Better == metric.More {
		return outcome.Lower
	}
	return outcome.Higher
}

// within is the run with the repeats of some of its blocks alone.
func within(run *result.Run, first, last int) *result.Run {
	part := *run
	part.Cells = slices.Clone(run.Cells)
	for i := range part.Cells {
		part.Cells[i].Repeats = slices.DeleteFunc(slices.Clone(run.Cells[i].Repeats), func(r result.Repeat) bool {
			return r.Block < first || r.Block > last
		})
	}
	return &part
}

// spread is the standard deviation of the ratios' logarithm.
func spread(ratios []float64) float64 {
	if len(ratios) < 2 {
		return 0
	}
	sum, squares := 0.0, 0.0
	for _, r := range ratios {
		sum += math.Log(r)
	}
	mean := sum / float64(len(ratios))
	for _, r := range ratios {
		squares += (math.Log(r) - mean) * (math.Log(r) - mean)
	}
	return math.Sqrt(squares / float64(len(ratios)-1))
}

// often is how many of 100 comparisons have to find a slowdown for 18 of 20 to be reached in 98 of 100 tries.
const often = 97

// repeatsThatFind is how many repeats of a comparison find a slowdown of 10 % that often at the trial's spread, 0 where
// more than a thousand would have to. Longer windows don't help where a machine is now faster, now slower for seconds
// on end: then they spread as much as short ones.
func (t Trial) repeatsThatFind() int {
	for n := outcome.Fewest; n <= 1000; n++ {
		if Found(knownSlowdown, t.Spread, n) >= often/100. {
			return n
		}
	}
	return 0
}

// Found is the share of comparisons of so many repeats that find a slowdown (1.1 is 10 %) where the ratio spreads by
// spread within a block, evenly to both sides (lognormal).
func Found(slowdown, spread float64, repeats int) float64 {
	if spread == 0 {
		return 1
	}
	ranks := make([]float64, repeats)
	for i := range ranks {
		ranks[i] = float64(i + 1)
	}
	interval := outcome.Summary(ranks)
	if !interval.Known() {
		return 0
	}
	onItsSide := (1 + math.Erf(math.Log(slowdown)/spread/math.Sqrt2)) / 2 // one ratio
	share := 0.0
	for n := repeats - int(interval.Lo) + 1; n <= repeats; n++ { // so many ratios must be
		share += choose(repeats, n) * math.Pow(onItsSide, float64(n)) * math.Pow(1-onItsSide, float64(repeats-n))
	}
	return share
}

// choose is the number of ways to take k of n.
func choose(n, k int) float64 {
	ways := 1.0
	for i := range k {
		ways *= float64(n-i) / float64(i+1)
	}
	return ways
}
