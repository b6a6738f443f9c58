package metric

import (
	"maps"
	"slices"

	"pooler-lab/internal/result"
)

// A value is the figure of one block: as it was measured, and the least and the most that it would be without what its
// flags say.
type value struct{ measured, lo, hi float64 }

// ByBlock is the figure of each block of c whose repeat counts; none where nothing can be said over blocks, as of
// OneNode's cells.
func (f Metric) ByBlock(c *result.Cell) map[int]float64 {
	values := map[int]float64{}
	for block, v := range f.byBlock(c) {
		values[block] = v.measured
	}
	return values
}

func (f Metric) byBlock(c *result.Cell) map[int]value {
	values := map[int]value{}
	if c == nil || f.OneNode(c) {
		return values
	}
	for i := range c.Repeats {
		r := &c.Repeats[i]
		if r.Status != result.OK {
			continue
		}
		if v, ok := f.Of(c, r); ok {
			b := f.boundOf(r)
			values[r.Block] = value{v, v * b.Lo(), v * b.Hi()}
		}
	}
	return values
}

// boundOf is the bound that the repeat has, 1 to 1 where it needs none or has none: see Metric.Bound.
func (f Metric) boundOf(r *result.Repeat) result.Bound {
	if b, ok := r.Bounds[f.Name]; ok {
		return b
	}
	return result.Bound{1, 1}
}

// Values are the figure of the repeats of c that count, in the order of their blocks.
func (f Metric) Values(c *result.Cell) []float64 { return f.Each(c).Measured }

// A Series is one number a block: as measured, and the least and the most that it would be without what flags say.
type Series struct{ Measured, Least, Most []float64 }

func (s *Series) add(v value) {
	s.Measured, s.Least, s.Most = append(s.Measured, v.measured), append(s.Least, v.lo), append(s.Most, v.hi)
}

// Each is the figure of each repeat of c that counts.
func (f Metric) Each(c *result.Cell) (s Series) {
	by := f.byBlock(c)
	for _, block := range slices.Sorted(maps.Keys(by)) {
		s.add(by[block])
	}
	return s
}

// EachRatio is c's figure to base's within each block that both have, in the order of the blocks. A block in which
// base's figure is 0 has none. Cells that ran side by side have a better one: see outcome.RatioOf.
func (f Metric) EachRatio(c, base *result.Cell) (s Series) {
	of, to := f.byBlock(c), f.byBlock(base)
	for _, block := range slices.Sorted(maps.Keys(of)) {
		a, b := of[block], to[block]
		if b.measured <= 0 {
			continue
		}
		ratio := value{measured: a.measured / b.measured, lo: a.lo / b.hi}
		if a.hi > 0 {
			ratio.hi = a.hi / b.lo // without limit where b may be 0
		}
		s.add(ratio)
	}
	return s
}

// EachDifference is c's figure less base's within each block that both have.
func (f Metric) EachDifference(c, base *result.Cell) (s Series) {
	of, to := f.byBlock(c), f.byBlock(base)
	for _, block := range slices.Sorted(maps.Keys(of)) {
		if b, ok := to[block]; ok {
			a := of[block]
			s.add(value{a.measured - b.measured, a.lo - b.hi, a.hi - b.lo})
		}
	}
	return s
}
