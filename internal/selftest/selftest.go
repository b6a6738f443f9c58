// Package selftest tests the lab's own outcomes. It measures a pair for many minutes and judges each minute for itself:
// one path under two names must show no clear difference, and work that is 5 % more must be found.
package selftest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
	"pooler-lab/internal/shared"
)

// A Tested is what became of a row: the pair as a whole, and as often as it has whole minutes.
type Tested struct {
	Row      lesson.Comparison
	Expected float64          // ratio
	Wanted   outcome.Outcome  // the right one
	Counts   bool             // for the last line
	Whole    outcome.Interval // of all that was measured
	Each     []Verdict        // of all of a comparison's time
	Early    []Verdict        // ended by width, as lessons do
	PerGroup float64          // seconds
	Doubt    string           // why a lesson would conclude nothing from the whole; may be empty
}

// A Verdict is one comparison's outcome.
type Verdict struct {
	Ratio   outcome.Interval
	Outcome outcome.Outcome
	Seconds float64 // that it took
}

// What lessons end a comparison by, unless they say otherwise: half the width of its interval, and seconds.
const (
	until  = 0.05
	atMost = 45.
)

// perVerdict is how long a comparison lasts that is judged, in seconds.
const perVerdict = 60.

// Judge judges every minute of each of the run's pairs. It says of which comparisons it can't, and why.
func Judge(run *result.Run) (trials []Tested, without []string) {
	for _, plan := range run.Lesson.Comparisons {
		t, err := try(run, plan)
		if err != nil {
			without = append(without, fmt.Sprintf("%s: %v", plan.Text, err))
			continue
		}
		trials = append(trials, t)
	}
	return trials, without
}

func try(run *result.Run, plan lesson.Comparison) (Tested, error) {
	i := slices.IndexFunc(rows, func(r row) bool { return r.name == plan.Name })
	if i < 0 {
		return Tested{}, errors.New("it is no row of the self-test")
	}
	r := rows[i]
	c := outcome.Compare(run, plan)
	pair, inverted := run.PairOf(c.Of, c.To, plan.Metric)
	if pair == nil || pair.Seconds == 0 {
		return Tested{}, fmt.Errorf("it was not measured: %s", cmp.Or(c.Ratio.How, c.Reason.String()))
	}
	figures := slices.Clone(pair.Figures[plan.Metric])
	if inverted {
		for i, f := range figures {
			figures[i] = [2]float64{f[1], f[0]}
		}
	}
	t := Tested{Row: plan, Expected: r.ratio, Counts: r.counts, Whole: outcome.Groups(figures),
		PerGroup: pair.Seconds / float64(pair.Groups)}
	switch {
	case r.ratio == 1:
		t.Wanted = outcome.NoClearDifference
	case r.ratio > 1:
		t.Wanted = outcome.Higher
	default:
		t.Wanted = outcome.Lower
	}
	if c.Outcome == outcome.Inconclusive {
		t.Doubt = c.Reason.String()
	}
	for _, part := range parts(figures, pair.Seconds) {
		t.Each = append(t.Each, verdict(part, t.PerGroup))
		t.Early = append(t.Early, verdict(early(part, t.PerGroup), t.PerGroup))
	}
	return t, nil
}

// parts cuts figures that took so many seconds into whole comparisons. The last part may lack a group, which would have
// ended too late.
func parts(figures [][2]float64, all float64) (cut [][][2]float64) {
	perPart := float64(len(figures)) * perVerdict / all
	at := func(part int) int { return min(len(figures), int(float64(part)*perPart+0.5)) }
	for i := range int((all + all/float64(len(figures))) / perVerdict) {
		cut = append(cut, figures[at(i):at(i+1)])
	}
	return cut
}

// early are the first of the figures: as many as a lesson would have measured, which ends by width alone.
func early(figures [][2]float64, perGroup float64) [][2]float64 {
	n := min(outcome.EarliestGroups, len(figures))
	for n < len(figures) && float64(n+1)*perGroup <= atMost && !outcome.Groups(figures[:n]).Enough(until) {
		n++
	}
	return figures[:n]
}

func verdict(figures [][2]float64, perGroup float64) Verdict {
	ratio := outcome.Groups(figures)
	return Verdict{Ratio: ratio, Outcome: side(ratio), Seconds: float64(len(figures)) * perGroup}
}

// right, wrong and holding are how many of the verdicts say what is true, say what isn't, and have an interval that
// holds the ratio of the whole. What misses a difference isn't wrong.
func (t Tested) right(verdicts []Verdict) int {
	return count(verdicts, func(v Verdict) bool { return v.Outcome == t.Wanted })
}

func (t Tested) wrong(verdicts []Verdict) int {
	return count(verdicts, func(v Verdict) bool {
		return v.Outcome.Concludes() && v.Outcome != outcome.NoClearDifference && v.Outcome != t.Wanted
	})
}

func (t Tested) holding(verdicts []Verdict) int {
	return count(verdicts, func(v Verdict) bool {
		return v.Ratio.Known() && v.Ratio.Lo <= t.Whole.Center && t.Whole.Center <= v.Ratio.Hi
	})
}

func count(verdicts []Verdict, is func(Verdict) bool) (n int) {
	for _, v := range verdicts {
		if is(v) {
			n++
		}
	}
	return n
}

// side says on which side of 1 a ratio's interval lies, as comparisons do.
func side(ratio outcome.Interval) outcome.Outcome {
	if ratio.Drift != (shared.Drift{}) {
		return outcome.Inconclusive
	}
	if !ratio.Known() {
		return outcome.NoInterval
	}
	return outcome.Beside1(ratio)
}
