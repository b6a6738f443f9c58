package metric

import (
	"maps"
	"math"
	"slices"

	"pooler-lab/internal/result"
)

// byBlock is the figure of each block of c whose repeat counts; none where nothing can be said over blocks, as of
// OneNode's cells.
func (f Metric) byBlock(c *result.Cell) map[int]float64 {
	values := map[int]float64{}
	if c == nil || f.OneNode(c) {
		return values
	}
	for i := range c.Repeats {
		r := &c.Repeats[i]
		if v, ok := f.Of(c, r); ok && r.Status == result.OK {
			values[r.Block] = v
		}
	}
	return values
}

// Values are the figure of the repeats of c that count, in the order of their blocks.
func (f Metric) Values(c *result.Cell) []float64 {
	var values []float64
	by := f.byBlock(c)
	for _, block := range slices.Sorted(maps.Keys(by)) {
		values = append(values, by[block])
	}
	return values
}

// Ratios are c's figure to base's within each block that both have, in the order of the blocks. A block in which base's
// figure is 0 has none, nor one in which a time had no end. Cells that ran side by side have a better one: see
// outcome.RatioOf.
func (f Metric) Ratios(c, base *result.Cell) []float64 {
	return f.within(c, base, func(of, to float64) (float64, bool) {
		return of / to, to > 0 && !math.IsInf(of, 0) && !math.IsInf(to, 0)
	})
}

// Differences are c's figure less base's within each block that both have, in the order of the blocks.
func (f Metric) Differences(c, base *result.Cell) []float64 {
	return f.within(c, base, func(of, less float64) (float64, bool) { return of - less, true })
}

// within sets the two cells' figures against each other, block by block.
func (f Metric) within(c, base *result.Cell, against func(a, b float64) (float64, bool)) (values []float64) {
	of, to := f.byBlock(c), f.byBlock(base)
	for _, block := range slices.Sorted(maps.Keys(of)) {
		b, both := to[block]
		if v, ok := against(of[block], b); both && ok {
			values = append(values, v)
		}
	}
	return values
}
