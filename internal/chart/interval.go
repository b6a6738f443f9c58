package chart

import "math"

// An Interval is one ratio with the two ends that it lies between.
type Interval struct {
	Name   string // for who doesn't see it
	Ratio  float64
	Lo, Hi float64 // equal where there is none
	Class  string  // the outcome's
}

// Sizes of an interval, which stands in a table's column.
const (
	intervalWidth  = 260.0
	intervalHeight = 34.0
)

// Intervals draws each ratio on one logarithmic axis, on which half and twice are as far from 1, its line drawn in.
// All of them have the same axis, so that they compare down a column; it goes from 1 / reach to reach.
func Intervals(id string, intervals []Interval) (drawings []Drawing, reach float64) {
	reach = 1.25
	for _, i := range intervals {
		for _, v := range []float64{i.Ratio, i.Lo, i.Hi} {
			if v > 0 && !math.IsInf(v, 0) {
				reach = max(reach, v, 1/v)
			}
		}
	}
	reach = round(reach)
	a := newAxis(true, 1/reach, reach, 8, intervalWidth-8)
	for n, i := range intervals {
		d := Drawing{ID: id + tickText(float64(n+1)), Title: i.Name, Width: intervalWidth, Height: intervalHeight}
		middle := intervalHeight / 2
		d.add(line("grid", 8, middle, intervalWidth-8, middle), line("one", a.at(1), 2, a.at(1), intervalHeight-2))
		if i.Hi > i.Lo && i.Lo > 0 {
			d.add(line("range "+i.Class, a.at(i.Lo), middle, a.at(i.Hi), middle))
		}
		if i.Ratio > 0 {
			d.add(circle("ratio "+i.Class, a.at(i.Ratio), middle, 6))
		}
		drawings = append(drawings, d)
	}
	return drawings, reach
}

// round returns the first number from v on that begins with 1, 1.25, 1.5, 2, 3 or 5.
func round(v float64) float64 {
	for decade := 1.0; ; decade *= 10 {
		for _, lead := range []float64{1, 1.25, 1.5, 2, 3, 5} {
			if lead*decade >= v {
				return lead * decade
			}
		}
	}
}
