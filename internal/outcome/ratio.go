package outcome

import (
	"fmt"
	"slices"
	"strconv"

	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
	"pooler-lab/internal/shared"
)

// A Ratio is that of one cell's figure to another's, and how it was measured. Where the cells ran side by side, it is
// of the groups of their pair, and else of the blocks that both have.
type Ratio struct {
	Interval
	Pair    *result.Pair // nil where it is of blocks
	Groups  []float64    // ratios of the pair's groups in order; a group without one has none
	Flagged bool         // a flag of one of the cells bears on it
	// How says how it was measured: "side by side, 38 groups of 4 x 230 ms", "6 blocks". It is empty in runs that measure
	// nothing side by side.
	How string

	cells []*result.Cell // the two, each with those repeats alone that the ratio is of
}

// RatioOf is the ratio of the metric of one cell to that of another. A pair with too few groups for an interval counts
// only where the blocks give none either.
func RatioOf(run *result.Run, f metric.Metric, of, to *result.Cell) Ratio {
	if of == nil || to == nil {
		return Ratio{}
	}
	blocks := f.Ratios(of, to)
	r := Ratio{Interval: Summary(blocks), cells: []*result.Cell{of, to}}
	d := shared.DriftOf(blocks)
	if within := min(d.First, d.Last) >= r.Lo && max(d.First, d.Last) <= r.Hi; r.Known() && !within {
		r.Drift = d
	}
	if pair, inverted := run.PairOf(of, to, f.Name); pair != nil && lookedAt(pair, of, to) {
		groups := ofPair(f, pair, inverted, of, to)
		if groups.Known() || groups.Drift != (shared.Drift{}) || groups.N > 0 && !r.Known() {
			r = groups
		}
	}
	for _, c := range r.cells {
		r.Flagged = r.Flagged || len(f.Flags(c)) > 0
	}
	if len(run.Pairs)+len(run.Unpaired) > 0 {
		r.How = how(run, r, f.Name, of, to)
	}
	return r
}

// SideBySide is how many pairs of the run have groups enough for an interval.
func SideBySide(run *result.Run) (n int) {
	for _, p := range run.Pairs {
		if p.Groups >= FewestGroups && (p.Status == result.OK || p.Status == result.Interrupted) {
			n++
		}
	}
	return n
}

// ofPair is the ratio that the pair shows.
func ofPair(f metric.Metric, pair *result.Pair, inverted bool, of, to *result.Cell) Ratio {
	figures := slices.Clone(pair.Figures[f.Name])
	for i := range figures {
		if inverted {
			figures[i][0], figures[i][1] = figures[i][1], figures[i][0]
		}
	}
	all, _, _ := ratios(figures)
	return Ratio{Interval: Groups(figures), Pair: pair, Groups: all,
		cells: []*result.Cell{within(pair, of), within(pair, to)}}
}

// within is the cell with its repeat of the pair's block alone: what happened to it elsewhere doesn't matter. That
// repeat is no less of a measurement where the pair was interrupted.
//
// The flag stolen doesn't matter to a ratio of groups, and is left out. A hypervisor takes CPUs in bursts, and slots of
// both sides alternate within a second or two in random order: each burst is as likely to hit the one as the other.
// What it does to the groups scatters them, and makes their interval as wide as it has to be. All other flags stay: a
// link that is off or an error that one path alone has moves all groups in the same direction.
func within(pair *result.Pair, c *result.Cell) *result.Cell {
	only := *c
	only.Repeats = nil
	for i := range c.Repeats {
		r := c.Repeats[i]
		if r.Block != pair.Block || r.Status != result.OK && (r.Status != result.Interrupted || r.Measured == nil) {
			continue
		}
		r.Status = result.OK
		r.Flags = slices.DeleteFunc(slices.Clone(r.Flags), func(f result.Flag) bool { return f.Kind == result.FlagStolen })
		only.Repeats = []result.Repeat{r} // the last attempt
	}
	return &only
}

// lookedAt says whether flags of the two cells are known in their pair: of one that was interrupted, only where its
// clients' program ended by itself.
func lookedAt(pair *result.Pair, of, to *result.Cell) bool {
	return pair.Status != result.Interrupted || len(within(pair, of).Repeats) > 0 && len(within(pair, to).Repeats) > 0
}

// how says how the ratio was measured, and why not side by side where that was planned or can't be.
func how(run *result.Run, r Ratio, name string, of, to *result.Cell) string {
	if r.Pair != nil {
		text := "side by side, " + metric.Count(r.N, "group")
		if r.Pair.SlotMS > 0 {
			text += fmt.Sprintf(" of 4 x %s ms", strconv.FormatFloat(r.Pair.SlotMS, 'f', -1, 64))
		}
		if r.Warming > 0 {
			text += fmt.Sprintf(" after %d that weren't steady yet", r.Warming)
		}
		if r.LeftOut > 0 {
			text += fmt.Sprintf(", %d without a ratio", r.LeftOut)
		}
		return text
	}
	text := metric.Count(r.N, "block")
	if why := unpaired(run, name, of, to); why != "" {
		text += ", not side by side: " + why
	}
	return text
}

// unpaired is why the cells didn't run side by side; empty where nobody said so.
func unpaired(run *result.Run, name string, of, to *result.Cell) string {
	same := func(a, b string) bool { return a == of.ID && b == to.ID || a == to.ID && b == of.ID }
	for _, p := range run.Pairs {
		if same(p.Of, p.To) && slices.Contains(p.Metrics, name) && p.Status != result.Planned && p.Reason != "" {
			return p.Reason
		}
	}
	for _, u := range run.Unpaired {
		if same(u.Of, u.To) && u.Metric == name {
			return u.Reason
		}
	}
	return ""
}
