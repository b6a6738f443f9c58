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
				name := joinFilled(", ", said(p.x, x), p.seriesName(of))
				rows, c.Places = append(rows, cell), append(c.Places, chart.Place{Name: name})
			}
		}
	}
	if slices.Contains(p.Parts, "waits") {
		c.Y = "share of the sessions' time, %"
		c.Series = waits(rows)
		return
	}
	for n, name := range p.Parts {
		f, err := metric.Find(name)
		if err != nil {
			continue
		}
		if c.Y == "" {
			c.Y = f.ShownUnit()
		}
		s := chart.Series{Name: f.Heading, Colour: n + 1}
		for i, cell := range rows {
			if v, ok := mean(f, cell); ok && v > 0 {
				s.Points = append(s.Points, chart.Point{Place: i, Value: v})
			}
		}
		if len(s.Points) > 0 {
			c.Series = append(c.Series, s)
		}
	}
}

// mean is over the cell's repeats, since parts add up in means and not in medians.
func mean(f metric.Metric, c *result.Cell) (float64, bool) {
	sum, values := 0.0, f.Values(c)
	for _, v := range values {
		sum += v
	}
	return scaleOf(f) * sum / max(1, float64(len(values))), len(values) > 0
}

// waits are the parts of the cells' time by what sessions waited for: the largest by name, the others together.
func waits(cells []*result.Cell) []chart.Series {
	largest := map[string]float64{}
	shares := make([]map[string]float64, len(cells))
	for i, c := range cells {
		shares[i] = waitShares(c)
		for event, share := range shares[i] {
			largest[event] = max(largest[event], share)
		}
	}
	var events []string
	for event := range largest {
		events = append(events, event)
	}
	slices.SortFunc(events, func(a, b string) int {
		return cmp.Or(cmp.Compare(largest[b], largest[a]), cmp.Compare(a, b))
	})
	named := events[:min(len(events), shownParts)]
	var all []chart.Series
	for _, event := range named {
		all = append(all, waitSeries(event, freeColour(event, all), shares, func(e string) bool { return e == event }))
	}
	if len(named) < len(events) {
		all = append(all, waitSeries("other", 0, shares, func(e string) bool { return !slices.Contains(named, e) }))
	}
	return all
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

func waitSeries(name string, colour int, shares []map[string]float64, belongs func(string) bool) chart.Series {
	s := chart.Series{Name: name, Colour: colour}
	for i, share := range shares {
		sum := 0.0
		for event, v := range share {
			if belongs(event) {
				sum += 100 * v
			}
		}
		if sum > 0 {
			s.Points = append(s.Points, chart.Point{Place: i, Value: sum})
		}
	}
	return s
}

// waitShares are the means of the cell's repeats, of the node that stands for its path.
func waitShares(c *result.Cell) map[string]float64 {
	sums, repeats := map[string]float64{}, 0.0
	for i := range c.Repeats {
		r := &c.Repeats[i]
		n := metric.Node(c, r)
		if r.Status != result.OK || n == nil || len(n.Waits) == 0 {
			continue
		}
		repeats++
		for _, w := range n.Waits {
			sums[w.Event] += w.Share
		}
	}
	for event := range sums {
		sums[event] /= repeats
	}
	return sums
}

// joinFilled puts the separator between the texts that aren't empty.
func joinFilled(separator string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), separator)
}
