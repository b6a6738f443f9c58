package chart

import (
	"fmt"
	"math"
)

// Groups are the ratios of a pair's groups in the order in which they were measured, and what they come to.
type Groups struct {
	ID string
	Interval
	Ratios  []float64 // above 0
	Warming int       // how many of them, the first ones, don't count: they weren't steady yet
}

// Sizes of the drawing of groups.
const (
	groupsHeight = 150.0
	groupsLeft   = 60.0 // room for the ratios at the axis
)

// Draw draws a dot a group, a hollow one where that doesn't count, over a band that is the interval, on a logarithmic
// axis that has 1 on it.
func (g Groups) Draw() Drawing {
	d := Drawing{ID: g.ID, Title: g.Name, Width: width, Height: groupsHeight}
	least, most := min(1, g.Ratio), max(1, g.Ratio)
	if g.Hi > g.Lo {
		least, most = min(least, g.Lo), max(most, g.Hi)
	}
	for _, v := range g.Ratios {
		least, most = min(least, v), max(most, v)
	}
	room := math.Pow(most/least, 0.05) * 1.005
	least, most = least/room, most*room
	const top, bottom, right = 10.0, groupsHeight - 10, width - 10
	a := newAxis(true, least, most, bottom, top)
	for _, t := range []float64{least * room, 1, most / room} {
		d.add(line("grid", groupsLeft, a.at(t), right, a.at(t)))
		if t == 1 || math.Abs(a.at(t)-a.at(1)) > 16 {
			d.add(text("tick end", groupsLeft-8, a.at(t)+4, Number(t)))
		}
	}
	if g.Hi > g.Lo {
		d.add(rect("interval "+g.Class, groupsLeft, a.at(g.Hi), right-groupsLeft, a.at(g.Lo)-a.at(g.Hi)))
	}
	d.add(line("one", groupsLeft, a.at(1), right, a.at(1)),
		line("center "+g.Class, groupsLeft, a.at(g.Ratio), right, a.at(g.Ratio)))
	step := (right - groupsLeft) / float64(len(g.Ratios))
	for i, v := range g.Ratios {
		class := g.Class
		if i < g.Warming {
			class = "warming"
		}
		dot := circle("group "+class, groupsLeft+step*(float64(i)+0.5), a.at(v), 4)
		dot.Tip = fmt.Sprintf("group %d: %s", i+1, Number(v))
		d.add(dot)
	}
	return d
}
