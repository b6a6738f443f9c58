package chart

import "slices"

// Sizes of a chart of bars, which lie: names of paths are too long to stand below upright ones.
const (
	barHeight  = 18.0
	barGap     = 4.0
	placeGap   = 16.0
	legendLine = 24.0
	valueRoom  = 96.0 // right of the longest bar, for its figure
)

// Bars draws c with a bar a series at each place.
func Bars(c Chart) Drawing {
	_, most := c.span()
	return c.rows(most, func(a axis, place int, y float64) (bars []Mark, height float64) {
		for _, s := range c.Series {
			for _, p := range s.Points {
				if p.Place == place {
					bars = append(bars, c.bar(a, s, p, y+height)...)
					height += barHeight + barGap
				}
			}
		}
		return bars, height
	})
}

// Stack draws c with one bar a place, in it a part a series: their figures add up.
func Stack(c Chart) Drawing {
	return c.rows(slices.Max(append(c.sums(), 1e-9)), func(a axis, place int, y float64) ([]Mark, float64) {
		return c.parts(a, place, y), barHeight + 2*barGap
	})
}

// rows draws what draw makes of each place, one below the other, and how high that is, over an axis from 0 to most. A
// place of no height is left out.
func (c *Chart) rows(most float64, draw func(a axis, place int, y float64) ([]Mark, float64)) Drawing {
	d := Drawing{ID: c.ID, Title: c.Title, Description: c.Description, Width: width}
	top := d.legend(c.Series)
	y, left := top, 12+widest(c.Places, func(p Place) string { return p.Name }, 330)
	a := newAxis(false, 0, most, left, width-valueRoom)
	var rows []Mark
	for i, place := range c.Places {
		marks, height := draw(a, i, y)
		if height == 0 {
			continue
		}
		rows = append(append(rows, text("tick end", left-10, y+(height-barGap)/2+5, place.Name)), marks...)
		y += height + placeGap
	}
	d.scale(a, c.Y, top, y-placeGap/2)
	d.add(rows...)
	return d
}

// scale draws an axis below what begins at top, with a line a tick behind it.
func (d *Drawing) scale(a axis, name string, top, bottom float64) {
	for _, t := range a.ticks() {
		x := a.at(t)
		d.add(line("grid", x, top-6, x, bottom), text("tick middle", x, bottom+18, tickText(t)))
	}
	d.add(line("base", a.from, top-6, a.from, bottom), text("axis middle", (a.from+a.to)/2, bottom+42, name))
	d.Height = tenth(bottom + 54)
}

// bar draws one figure: a full bar where it has an interval, a pale one where it ran too few times, and the figure.
func (c *Chart) bar(a axis, s Series, p Point, y float64) []Mark {
	x, middle, class, value := a.at(p.Value), y+barHeight/2, "bar", c.Write(p.Value)
	if p.Once || p.Flagged {
		class = "bar once"
	}
	if p.Flagged {
		value += "*"
	}
	mark := rect(s.class(class), a.from, y, max(1, x-a.from), barHeight)
	mark.Tip = c.tip(s, p)
	marks := []Mark{mark}
	if p.Hi > p.Lo {
		marks = append(marks, line("whisker s0", a.at(max(0, p.Lo)), middle, a.at(p.Hi), middle))
		x = max(x, a.at(p.Hi))
	}
	return append(marks, text("value", x+10, middle+5, value))
}

// legend draws the names of several series with their colours in lines at the top, and returns where the drawing may
// begin.
func (d *Drawing) legend(series []Series) (y float64) {
	if len(series) < 2 {
		return 10
	}
	x, y := 2.0, 16.0
	for _, s := range series {
		if needs := 24 + widthOf(s.Name) + 18; x+needs > width {
			x, y = 2, y+legendLine
		}
		d.add(rect(s.class("bar"), x, y-11, 14, 14), text("name", x+20, y+1, s.Name))
		x += 24 + widthOf(s.Name) + 18
	}
	return y + 22
}

// parts draws one place's bar: its figures end to end, each with its number where that fits.
func (c *Chart) parts(a axis, place int, y float64) []Mark {
	var marks []Mark
	sum := 0.0
	for _, s := range c.Series {
		for _, p := range s.Points {
			if p.Place != place || p.Value <= 0 {
				continue
			}
			x, end := a.at(sum), a.at(sum+p.Value)
			mark := rect(s.class("part"), x, y, end-x, barHeight+4)
			mark.Tip = c.tip(s, p)
			marks = append(marks, mark)
			if label := c.Write(p.Value); end-x > widthOf(label)+8 {
				marks = append(marks, text(s.class("inside"), (x+end)/2, y+barHeight/2+7, label))
			}
			sum += p.Value
		}
	}
	return marks
}

// sums is each place's total.
func (c *Chart) sums() []float64 {
	sums := make([]float64, len(c.Places))
	for _, s := range c.Series {
		for _, p := range s.Points {
			sums[p.Place] += max(0, p.Value)
		}
	}
	return sums
}
