package metric

import (
	"math"
	"slices"

	"pooler-lab/internal/result"
)

// Bounds are how far the flags of a repeat of c can have moved what it measured, by metric: those on which a flag
// bears. A metric that isn't among them, though a flag bears on it, has no bound.
func Bounds(c *result.Cell, r *result.Repeat) map[string]result.Bound {
	if len(r.Flags) == 0 || r.Measured == nil {
		return nil
	}
	bounds := map[string]result.Bound{}
	run := &result.Run{Cells: []result.Cell{{Repeats: []result.Repeat{*r}}}}
	for _, f := range append(All(), Found(run)...) {
		_, measured := f.Of(c, r)
		if b, ok := f.bound(c, r); ok && measured && f.flagged(r) {
			bounds[f.Name] = b
		}
	}
	return bounds
}

// flagged says whether a flag of the repeat bears on the figure.
func (f Metric) flagged(r *result.Repeat) bool {
	return slices.ContainsFunc(r.Flags, func(flag result.Flag) bool { return f.Bears(flag.Kind) })
}

// bound is that of all flags of the repeat that bear on the figure; false where there is none.
func (f Metric) bound(c *result.Cell, r *result.Repeat) (result.Bound, bool) {
	all := result.Bound{1, 1}
	seen := map[result.FlagKind]bool{}
	for _, flag := range r.Flags {
		if !f.Bears(flag.Kind) || seen[flag.Kind] {
			continue
		}
		seen[flag.Kind] = true
		of, known := effects[flag.Kind]
		if !known {
			return all, false
		}
		b, ok := f.moved(of(c, r), r)
		if !ok {
			return all, false
		}
		all = all.And(b)
	}
	if planned := due(c, r.Measured); f.Unit == "/s" && planned > 0 {
		all[1] = min(all[1], max(1, planned)) // an open loop does no more than is due
	}
	return outwards(all)
}

// due is how many times as many iterations an open loop was to do as it did; 0 where that isn't known.
func due(c *result.Cell, m *result.Measured) float64 {
	if c.Rate == 0 || begun(m) == 0 {
		return 0
	}
	return c.Rate * m.WindowSeconds / float64(begun(m))
}

// moved is what an effect can have done to the figure; false where nobody knows.
func (f Metric) moved(e effect, r *result.Repeat) (result.Bound, bool) {
	switch {
	case f.kind == counted:
		return e.counts, true
	case f.from != nil:
		t, ok := f.from.trend(r.Measured)
		return f.from.bound(t, e), ok
	case f.Unit == "/s" || f.Unit == "MB/s":
		return e.rates, true
	case f.Unit == "s": // of the whole test: it waits for the last client
		return e.times, e.held == 0 && e.unseen == 0
	}
	return result.Bound{}, false
}

// negligible is how far a flag may have moved a figure without a star: what machines differ by from minute to minute.
const negligible = 0.05

// Flags are the kinds of the flags that star the figure: of the repeats of c that count, all that bear on it where they
// can have moved it by more than a little, or nobody knows how far. Sorted.
func (f Metric) Flags(c *result.Cell) []result.FlagKind { return f.flagsBeyond(c, negligible) }

// Doubts are the kinds of all flags that can have moved the figure, of the repeats of c that count; sorted.
func (f Metric) Doubts(c *result.Cell) []result.FlagKind { return f.flagsBeyond(c, 0) }

func (f Metric) flagsBeyond(c *result.Cell, share float64) []result.FlagKind {
	var kinds []result.FlagKind
	for i := range c.Repeats {
		r := &c.Repeats[i]
		b, ok := r.Bounds[f.Name]
		if r.Status != result.OK || ok && b.Lo() >= 1-share && b.Hi() <= 1+share {
			continue
		}
		for _, flag := range r.Flags {
			if f.Bears(flag.Kind) {
				kinds = append(kinds, flag.Kind)
			}
		}
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// Bound is how far flags can have moved the figure in any repeat of c that counts; false where one has no bound.
func (f Metric) Bound(c *result.Cell) (result.Bound, bool) {
	all := result.Bound{1, 1}
	for i := range c.Repeats {
		r := &c.Repeats[i]
		if r.Status != result.OK || !f.flagged(r) {
			continue
		}
		b, ok := r.Bounds[f.Name]
		if !ok {
			return all, false
		}
		all = result.Bound{min(all.Lo(), b.Lo()), max(all.Hi(), b.Hi())}
	}
	return all, true
}

// outwards rounds to four digits, never inwards; false where a number is too large for any.
func outwards(b result.Bound) (result.Bound, bool) {
	const digits, noise = 1e4, 1e-6 // noise: of numbers that no binary fraction is
	b = result.Bound{math.Floor(b[0]*digits+noise) / digits, math.Ceil(b[1]*digits-noise) / digits}
	return b, !math.IsNaN(b[0]) && !math.IsNaN(b[1]) && !math.IsInf(b[1], 0)
}
