package report

import (
	"cmp"
	"slices"
	"strings"

	"pooler-lab/internal/chart"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// shownParts is how many parts a stack names; the rest of them are one part more.
const shownParts = 7

// waitColours gives what servers wait for most the same colour in all charts.
var waitColours = map[string]int{"CPU": 3, "Net/Delay": 6, "Client:ClientRead": 2, "Client:ClientWrite": 5}

// stack fills c with a bar a cell: a place a value of X and Series.
func (p *plot) stack(c *chart.Chart) {
	var rows []*result.Cell
	c.X = joinFilled(" and ", p.x.Axis, p.series.Axis)
	for _, x := range result.Values(p.x, p.cells) {
		for _, of := range p.seriesValues() {
			if cell := p.cell(x, of); cell != nil {
				name := joinFilled(", ", p.x.Said(x), p.seriesName(of))
				rows, c.Places = append(rows, cell), append(c.Places, chart.Place{Name: name})
			}
		}
	}
	if slices.Contains(p.Parts, "waits") {
		c.Y, c.Series = "share of the sessions' time, %", waits(rows)
		return
	}
	for n, name := range p.Parts {
		if f, err := metric.Find(name); err == nil {
			c.Y = cmp.Or(c.Y, f.ShownUnit())
			if s := partOf(f, rows); len(s.Points) > 0 {
				s.Colour = n + 1
				c.Series = append(c.Series, s)
			}
		}
	}
}

// partOf is the metric's part of each cell's bar, as tables have it: the median over its repeats.
func partOf(f metric.Metric, cells []*result.Cell) chart.Series {
	s := chart.Series{Name: f.Heading}
	for i, c := range cells {
		if p, ok := pointOf(f, c); ok && p.Value > 0 {
			s.Points = append(s.Points, chart.Point{Place: i, Value: p.Value, Flagged: p.Flagged})
		}
	}
	return s
}

// shareOf is the metric's part of each cell's bar where the parts are shares of a whole: the mean over its repeats,
// since shares add up in means and not in medians.
func shareOf(f metric.Metric, cells []*result.Cell) chart.Series {
	var s chart.Series
	for i, c := range cells {
		sum, values := 0.0, f.Values(c)
		for _, v := range values {
			sum += v
		}
		if sum > 0 {
			s.Points = append(s.Points, chart.Point{Place: i, Value: scaleOf(f) * sum / float64(len(values))})
		}
	}
	return s
}

// waits are the parts of the cells' time by what sessions waited for: the largest by name, the others together.
func waits(cells []*result.Cell) []chart.Series {
	var found []chart.Series
	for _, f := range metric.Found(cells) {
		event, ok := strings.CutPrefix(f.Name, "wait:")
		if s := shareOf(f, cells); ok && len(s.Points) > 0 {
			s.Name = event
			found = append(found, s)
		}
	}
	largest := func(s chart.Series) (most float64) {
		for _, p := range s.Points {
			most = max(most, p.Value)
		}
		return most
	}
	slices.SortStableFunc(found, func(a, b chart.Series) int { return cmp.Compare(largest(b), largest(a)) })
	var all []chart.Series
	for _, s := range found[:min(len(found), shownParts)] {
		s.Colour = freeColour(s.Name, all)
		all = append(all, s)
	}
	if len(all) == len(found) {
		return all
	}
	sums := make([]float64, len(cells))
	for _, s := range found[shownParts:] {
		for _, p := range s.Points {
			sums[p.Place] += p.Value
		}
	}
	other := chart.Series{Name: "other"}
	for i, sum := range sums {
		if sum > 0 {
			other.Points = append(other.Points, chart.Point{Place: i, Value: sum})
		}
	}
	return append(all, other)
}

// freeColour is the event's own, or the first that nothing else has.
func freeColour(event string, taken []chart.Series) int {
	if own := waitColours[event]; own != 0 {
		return own
	}
	for _, colour := range []int{1, 4, 7, 8} {
		if !slices.ContainsFunc(taken, func(s chart.Series) bool { return s.Colour == colour }) {
			return colour
		}
	}
	return 0
}

// joinFilled puts the separator between the texts that aren't empty.
func joinFilled(separator string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), separator)
}
