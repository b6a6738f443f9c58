package chart

import (
	"fmt"
	"math"
)

// A Chart is what lines, bars and stacks are drawn from.
type Chart struct {
	ID, Title, Description string
	X                      string // what the places differ in
	Y                      string // what the figures are, with their unit
	LogX, LogY             bool   // of lines
	Places                 []Place
	Series                 []Series
	Write                  func(float64) string // writes a figure
}

// A Place is one value on the chart's x axis.
type Place struct {
	Name  string
	Value float64 // NaN has no place among numbers: it stands apart, at the left
}

// A Series is one line, or one bar of each place, or one part of each stack.
type Series struct {
	Name   string
	Colour int // from 1, as the stylesheet numbers them; 0 is grey
	Points []Point
	// Limit says that the series is a line that the others can't pass: it isn't measured and has no points.
	Limit bool
}

// A Point is one figure at a place.
type Point struct {
	Place  int // index
	Value  float64
	Lo, Hi float64 // ends of the interval; equal where there is none
	// Once says that it supports no conclusion: it ran fewer times than an interval needs.
	Once    bool
	Flagged bool // something can have moved it
}

// Colours is how many the stylesheet has.
const Colours = 8

// width of every chart.
const width = 900.0

func (s Series) class(name string) string {
	if s.Limit {
		return name + " limit"
	}
	if s.Colour == 0 {
		return name + " s0"
	}
	return fmt.Sprintf("%s s%d", name, (s.Colour-1)%Colours+1)
}

// axisName is an axis' name, and that it is logarithmic where it is.
func axisName(name string, log bool) string {
	if log {
		return name + ", logarithmic"
	}
	return name
}

// tip is what a pointer that rests on the point is told.
func (c *Chart) tip(s Series, p Point) string {
	name := s.Name
	if name != "" {
		name += ", "
	}
	t := fmt.Sprintf("%s%s: %s", name, c.Places[p.Place].Name, c.Write(p.Value))
	if p.Hi > p.Lo {
		t += fmt.Sprintf(" (%s to %s)", c.Write(p.Lo), c.Write(p.Hi))
	}
	if p.Once {
		t += ", no interval"
	}
	if p.Flagged {
		t += ", flagged"
	}
	return t
}

// span is the least and the greatest figure, intervals included, of what was measured; on a logarithmic axis figures
// of 0 and less don't count.
func (c *Chart) span() (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for _, s := range c.Series {
		for _, p := range s.Points {
			if s.Limit || c.LogY && p.Value <= 0 {
				continue
			}
			low, high := p.Value, p.Value
			if p.Hi > p.Lo {
				low, high = p.Lo, p.Hi
			}
			if c.LogY && low <= 0 {
				low = p.Value
			}
			least, most = min(least, low), max(most, high)
		}
	}
	if math.IsInf(least, 1) || most <= 0 {
		return 0.1, 1
	}
	return least, most
}
