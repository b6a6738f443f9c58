package chart

import (
	"cmp"
	"math"
	"slices"
)

// Where a chart of lines has its plot, and how far its labels stay apart.
const (
	linesHeight = 400.0
	plotLeft    = 70.0
	plotTop     = 34.0
	plotBottom  = 344.0
	slot        = 84.0 // between places that stand apart
	labelGap    = 18.0
)

// A plot is a chart of lines while it is drawn.
type plot struct {
	*Chart
	drawing Drawing
	right   float64
	y       axis
	x       []float64 // coordinate of each place
}

// Lines draws c with a line a series, each named where it ends.
func Lines(c Chart) Drawing {
	p := plot{Chart: &c, right: width - 24 - widest(c.Series, func(s Series) string { return s.Name }, 260)}
	p.drawing = Drawing{ID: c.ID, Title: c.Title, Description: c.Description, Width: width, Height: linesHeight}
	least, most := c.span()
	p.y = newAxis(c.LogY, least, most, plotBottom, plotTop)
	p.places()
	p.axes()
	for _, s := range c.Series {
		p.line(s)
	}
	p.names()
	return p.drawing
}

// places spreads the places out: numbers on their scale, the others apart at its left.
func (p *plot) places() {
	p.x = make([]float64, len(p.Places))
	least, most, apart := math.Inf(1), math.Inf(-1), 0
	for _, place := range p.Places {
		if p.numeric(place) {
			least, most = min(least, place.Value), max(most, place.Value)
		} else {
			apart++
		}
	}
	step := slot
	if apart == len(p.Places) {
		step = (p.right - plotLeft - slot) / max(1, float64(apart-1))
	}
	from := plotLeft + slot/2 + step*float64(apart)
	numbers := axis{linear(least, most), from, p.right - 20}
	if p.LogX && apart < len(p.Places) {
		numbers = newAxis(true, least, most, from, p.right-20)
	}
	n := 0
	for i, place := range p.Places {
		if p.numeric(place) {
			p.x[i] = numbers.at(place.Value)
			continue
		}
		p.x[i] = plotLeft + slot/2 + step*float64(n)
		n++
	}
}

// numeric says whether the place has a coordinate on the scale of numbers.
func (p *plot) numeric(place Place) bool {
	return !math.IsNaN(place.Value) && (!p.LogX || place.Value > 0)
}

// axes draws a thin line a tick, and the places by name: those that would run into the one before are left out.
func (p *plot) axes() {
	for _, t := range p.y.ticks() {
		y := p.y.at(t)
		p.drawing.add(line("grid", plotLeft, y, p.right, y), text("tick end", plotLeft-10, y+5, tickText(t)))
	}
	p.drawing.add(line("base", plotLeft, plotBottom, p.right, plotBottom), text("axis", 4, 16, axisName(p.Y, p.LogY)),
		text("axis middle", (plotLeft+p.right)/2, linesHeight-8, axisName(p.X, p.LogX)))
	free := 0.0
	for _, i := range p.order() {
		name := p.Places[i].Name
		p.drawing.add(line("base", p.x[i], plotBottom, p.x[i], plotBottom+5))
		if start := p.x[i] - widthOf(name)/2; start > free {
			p.drawing.add(text("tick middle", p.x[i], plotBottom+22, name))
			free = start + widthOf(name) + letter
		}
	}
}

// order is the places' indices from left to right.
func (p *plot) order() []int {
	order := make([]int, len(p.Places))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.x[a], p.x[b]) })
	return order
}

// line draws one series. A place that stands apart is joined to no other, unless all of them do.
func (p *plot) line(s Series) {
	var joined [][2]float64
	apart := !slices.ContainsFunc(p.Places, p.numeric)
	points := slices.SortedFunc(slices.Values(s.Points),
		func(a, b Point) int { return cmp.Compare(p.x[a.Place], p.x[b.Place]) })
	for _, point := range points {
		if p.shown(point) && (apart || p.numeric(p.Places[point.Place])) {
			joined = append(joined, [2]float64{p.x[point.Place], p.y.at(point.Value)})
		}
	}
	if s.Limit {
		joined = p.clipped(joined)
	}
	if len(joined) > 1 {
		p.drawing.add(polyline(s.class("line"), joined))
	}
	for _, point := range points {
		if p.shown(point) && !s.Limit {
			p.point(s, point)
		}
	}
}

func (p *plot) shown(point Point) bool { return !p.LogY || point.Value > 0 }

// point draws the figure as a dot: full with its interval where it has one, hollow where it ran too few
// times for one, a cross where it is flagged.
func (p *plot) point(s Series, point Point) {
	x, y := p.x[point.Place], p.y.at(point.Value)
	if point.Hi > point.Lo {
		low := point.Lo
		if p.LogY && low <= 0 {
			low = point.Value
		}
		p.drawing.add(line(s.class("whisker"), x, p.y.at(low), x, p.y.at(point.Hi)))
	}
	mark := circle(s.class("dot"), x, y, 5)
	switch {
	case point.Flagged:
		mark = cross(s.class("cross"), x, y, 5)
	case point.Once:
		mark = circle(s.class("dot once"), x, y, 5)
	}
	mark.Tip = p.tip(s, point)
	p.drawing.add(mark)
}

// clipped cuts off what of a line lies above the plot.
func (p *plot) clipped(points [][2]float64) [][2]float64 {
	var kept [][2]float64
	for i, b := range points {
		if i > 0 {
			if a := points[i-1]; (a[1] < plotTop) != (b[1] < plotTop) {
				t := (plotTop - a[1]) / (b[1] - a[1])
				kept = append(kept, [2]float64{a[0] + t*(b[0]-a[0]), plotTop})
			}
		}
		if b[1] >= plotTop {
			kept = append(kept, b)
		}
	}
	return kept
}
