package chart

import (
	"fmt"
	"slices"
)

// A Timeline is what clients saw while something happened, step by step.
type Timeline struct {
	ID, Title, Description string
	Seconds, Step          float64 // of all of it, and of a step
	Most                   float64 // attempts that are as high as a row; more are cut off
	Events                 []Moment
	Rows                   []TimelineRow
}

// A Moment is when something happened, in seconds.
type Moment struct {
	Name string
	At   float64
}

// A TimelineRow is the attempts of some clients: how many ended well or badly in each step, how many were under way
// where it begins, and of each client the longest time without success, from and to in seconds.
type TimelineRow struct {
	Name                    string
	Succeeded, Failed, Open []int
	Outages                 [][2]float64
}

// Sizes of a timeline.
const (
	stepsHeight  = 34.0
	outageHeight = 4.0
	momentLine   = 20.0
)

// Draw draws it: bars for the attempts of each step, a line for those under way, and below them a bar a client.
func (t Timeline) Draw() Drawing {
	d := Drawing{ID: t.ID, Title: t.Title, Description: t.Description, Width: width}
	y := d.legend([]Series{{Name: "succeeded", Colour: 1}, {Name: "failed", Colour: 2}, {Name: "under way", Colour: 4},
		{Name: "longest time without success, a bar a client", Colour: 0}})
	a := newAxis(false, 0, t.Seconds, 12+widest(t.Rows, func(r TimelineRow) string { return r.Name }, 330), width-20)
	var moments []Mark
	for i, m := range t.Events { // names in two lines: neighbours would overlap
		moments = append(moments, text("name middle", a.at(m.At), y+momentLine*float64(i%2), m.Name))
	}
	top := y + 2*momentLine
	y = top
	var rows []Mark
	for _, r := range t.Rows {
		rows = append(rows, text("tick end", a.from-10, y+stepsHeight/2+5, r.Name))
		y += stepsHeight
		rows = append(append(rows, t.steps(a, r, y)...), t.outages(a, r, y+2)...)
		y += outageHeight*float64(len(r.Outages)) + placeGap
	}
	d.scale(a, "seconds from the beginning of the window", top, y-placeGap/2)
	d.add(rows...)
	for _, m := range t.Events {
		d.add(line("event", a.at(m.At), top-10, a.at(m.At), y-placeGap/2))
	}
	d.add(moments...)
	return d
}

// steps are the bars of a row, which stand on y, and the line of what was under way.
func (t Timeline) steps(a axis, r TimelineRow, y float64) (marks []Mark) {
	height := func(attempts int) float64 { return stepsHeight * min(1, float64(attempts)/t.Most) }
	wide := a.at(t.Step) - a.at(0)
	var open [][2]float64
	for i := range r.Succeeded {
		x, well, all := a.at(t.Step*float64(i)), height(r.Succeeded[i]), height(r.Succeeded[i]+r.Failed[i])
		if well > 0 {
			marks = append(marks, rect("bar s1", x, y-well, wide, well))
		}
		if all > well {
			marks = append(marks, rect("bar s2", x, y-all, wide, all-well))
		}
		open = append(open, [2]float64{x, y - height(r.Open[i])})
	}
	if slices.Max(r.Open) > 0 {
		marks = append(marks, polyline("line s4 thin", open))
	}
	return marks
}

// outages are bars below y, one a client.
func (t Timeline) outages(a axis, r TimelineRow, y float64) (marks []Mark) {
	for i, o := range r.Outages {
		bar := rect("bar s0", a.at(o[0]), y+outageHeight*float64(i), max(1, a.at(o[1])-a.at(o[0])), outageHeight-1)
		bar.Tip = fmt.Sprintf("%s: %s s without success", r.Name, Number(o[1]-o[0]))
		marks = append(marks, bar)
	}
	return marks
}
