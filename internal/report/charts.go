package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"pooler-lab/internal/chart"
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// A Chart is one of a page: its drawing, how to read it, and its figures for who would rather have them as text.
type Chart struct {
	Drawing chart.Drawing
	Note    string
	Data    Table
}

// marksOf says how to read what the run's charts are drawn with.
func marksOf(run *result.Run) string {
	text := "A full mark is the median of six repeats or more. The thin line through it is the interval that holds the " +
		"true median in 95 of 100 cases. A hollow dot or a pale bar ran fewer times. A cross or a star is a flagged " +
		"figure. Neither of them supports a conclusion."
	if outcome.SideBySide(run) > 0 {
		text += " A full mark without a line is a cell that ran side by side with another one: its figure has no interval, " +
			"its ratio has one (see the comparisons)."
	}
	return text
}

// charts draws what the lesson declares. A chart that the run measured nothing of is left out.
func charts(run *result.Run) []Chart {
	var all []Chart
	for _, p := range plots(run) {
		if c, ok := p.chart(); ok {
			all = append(all, c)
		}
	}
	return append(all, timelines(run)...)
}

// A plot is a lesson's chart while it is made.
type plot struct {
	lesson.Chart
	run    *result.Run
	id     string
	x      lesson.Dimension
	series lesson.Dimension // the zero one where the chart has no series
	cells  []*result.Cell
	hidden map[*result.Cell]*result.Cell // cells that share their place with another one, which is drawn instead
}

// plots are those of the charts that the run's lesson declares.
func plots(run *result.Run) []*plot {
	var all []*plot
	for i, plan := range run.Lesson.Charts {
		p := &plot{run: run, Chart: plan, id: fmt.Sprintf("chart-%d", i+1), cells: cellsOf(run)}
		if plan.Of != nil {
			p.cells = outcome.Select(run, plan.Of)
		}
		all = append(all, p)
	}
	return all
}

// hide notes a cell that isn't drawn since another one is.
func (p *plot) hide(c, drawn *result.Cell) {
	if p.hidden == nil {
		p.hidden = map[*result.Cell]*result.Cell{}
	}
	p.hidden[c] = drawn
}

// hiddenText says which cells aren't drawn, and what is in their place; empty where all are.
func (p *plot) hiddenText() string {
	var shown, hidden []string
	for _, c := range p.cells {
		if drawn := p.hidden[c]; drawn != nil {
			in, out, _ := outcome.Apart(drawn, c)
			if in == "" && out == "" {
				in, out = "experiment "+drawn.Experiment, "experiment "+c.Experiment
			}
			shown, hidden = append(shown, in), append(hidden, out)
		}
	}
	if len(hidden) == 0 {
		return ""
	}
	slices.Sort(shown)
	slices.Sort(hidden)
	return fmt.Sprintf("Drawn of cells in one place: %s. The tables alone have %s: %s.",
		strings.Join(slices.Compact(shown), "; "), metric.Count(len(p.hidden), "cell"),
		strings.Join(slices.Compact(hidden), "; "))
}

// NotDrawn says of each chart of a run, or of one that is planned, which cells it leaves out since others stand in
// their places.
func NotDrawn(run *result.Run) (all []Term) {
	for _, p := range plots(run) {
		if !p.dimensions() {
			continue
		}
		xs := []lesson.Value{lesson.None}
		if p.X != "" {
			xs = result.Values(p.x, p.cells)
		}
		for _, x := range xs {
			for _, of := range p.seriesValues() {
				p.cell(x, of)
			}
		}
		if text := p.hiddenText(); text != "" {
			all = append(all, Term{p.Title, text})
		}
	}
	return all
}

// dimensions finds those of the chart; not ok where another version of this program knew one that this one doesn't.
func (p *plot) dimensions() bool {
	var unknownX, unknownSeries error
	if p.X != "" {
		p.x, unknownX = lesson.DimensionNamed(p.X)
	}
	if p.Series != "" {
		p.series, unknownSeries = lesson.DimensionNamed(p.Series)
	}
	return unknownX == nil && unknownSeries == nil
}

// has says whether the cell has the value in the dimension.
func has(c *result.Cell, d lesson.Dimension, v lesson.Value) bool { return d.Of(&c.Cell) == v }

// at says whether the cell has that value of X. A chart of parts has none.
func (p *plot) at(c *result.Cell, x lesson.Value) bool { return p.X == "" || has(c, p.x, x) }

// chart is the plot's, not ok where the run measured nothing of it, or where another version of this program knew a
// dimension, a metric or a kind of chart that this one doesn't.
func (p *plot) chart() (_ Chart, ok bool) {
	kinds := map[string]func(chart.Chart) chart.Drawing{"lines": chart.Lines, "bars": chart.Bars, "stack": chart.Stack}
	draw := kinds[p.Kind]
	if draw == nil || !p.dimensions() {
		return Chart{}, false
	}
	title := joinFilled(", ", p.Title, outcome.ChangedText(p.run, p.Of, p.cells, p.X, p.Series))
	c := chart.Chart{ID: p.id, Title: title, X: p.x.Axis, LogX: strings.Contains(p.Log, "x"),
		LogY: strings.Contains(p.Log, "y"), Write: chart.Number}
	if p.Kind == "stack" {
		p.stack(&c)
	} else if err := p.figures(&c); err != nil {
		return Chart{}, false
	}
	if !slices.ContainsFunc(c.Series, func(s chart.Series) bool { return len(s.Points) > 0 && !s.Limit }) {
		return Chart{}, false
	}
	c.Description = joinFilled(" over ", capital(c.Y), c.X) + ". The table after it has the same figures."
	note := joinFilled(" ", p.Note, p.hiddenText())
	return Chart{Drawing: draw(c), Note: note, Data: dataOf(c)}, true
}

// A spot is a place of lines and bars: what stands there of a series.
type spot struct {
	chart.Place
	metric metric.Metric
	x      lesson.Value
}

// spots are the chart's places: the values of X, or in a chart of parts each of these.
func (p *plot) spots() (all []spot, err error) {
	for _, name := range p.Parts {
		f, err := metric.Find(name)
		if err != nil {
			return nil, err
		}
		all = append(all, spot{Place: chart.Place{Name: f.Heading, Value: math.NaN()}, metric: f})
	}
	if len(all) > 0 {
		return all, nil
	}
	f, err := metric.Find(p.Metric)
	for _, v := range result.Values(p.x, p.cells) {
		all = append(all, spot{place(p.x, v), f, v})
	}
	return all, err
}

// figures fills c for lines and bars: a place a value of X or a part, a series a value of Series.
func (p *plot) figures(c *chart.Chart) error {
	spots, err := p.spots()
	if err != nil {
		return err
	}
	spots = slices.DeleteFunc(spots, func(s spot) bool {
		return !slices.ContainsFunc(p.cells, func(c *result.Cell) bool {
			_, ok := s.metric.Middle(c)
			return ok && p.at(c, s.x)
		})
	})
	if len(spots) == 0 {
		return nil
	}
	f := spots[0].metric
	if c.Y = axisName(f); len(p.Parts) > 0 {
		c.Y = f.ShownUnit()
	}
	c.Write = func(v float64) string { return write(f)(v / scaleOf(f)) }
	for _, s := range spots {
		c.Places = append(c.Places, s.Place)
	}
	for n, of := range p.seriesValues() {
		s := chart.Series{Name: p.seriesName(of), Colour: p.colour(of, n)}
		for i, at := range spots {
			if point, ok := pointOf(at.metric, p.cell(at.x, of)); ok {
				point.Place = i
				s.Points = append(s.Points, point)
			}
		}
		if len(s.Points) > 0 {
			c.Series = append(c.Series, s)
		}
	}
	if p.Ceiling && p.Kind == "lines" {
		c.Series = append(c.Series, p.ceilings(spots)...)
	}
	return nil
}

// axisName is the metric with its unit.
func axisName(f metric.Metric) string {
	switch f.Unit {
	case "":
		return f.Heading
	case "/s":
		return f.Heading + " (a second)"
	}
	return f.Heading + " (" + f.ShownUnit() + ")"
}

// scaleOf is what a chart's axis multiplies the metric by: it has shares in percent.
func scaleOf(f metric.Metric) float64 {
	if f.Unit == "share" {
		return 100
	}
	return 1
}

// pointOf is the cell's figure, unless it is a time without an end: its median, and the interval of that where it ran
// often enough. A cell of a pair need
// not have run often: what its comparisons show rests on the pair's groups.
func pointOf(f metric.Metric, c *result.Cell) (chart.Point, bool) {
	if c == nil {
		return chart.Point{}, false
	}
	sum, scale := outcome.Summary(f.Values(c)), scaleOf(f)
	point := chart.Point{Value: scale * sum.Center, Once: !sum.Known() && c.Paired == 0, Flagged: len(f.Flags(c)) > 0}
	if sum.Known() {
		point.Lo, point.Hi = scale*sum.Lo, scale*sum.Hi
	}
	return point, sum.N > 0 && !math.IsInf(sum.Center, 0)
}

// dataOf is a chart as a table.
func dataOf(c chart.Chart) Table {
	t := Table{Caption: c.Title + ": " + c.Y, Head: heads(c.X)}
	for _, s := range c.Series {
		t.Head = append(t.Head, Head{Text: cmp.Or(s.Name, c.Y), Number: true})
	}
	for i, place := range c.Places {
		row := []any{place.Name}
		for _, s := range c.Series {
			cell := Field{Text: "-"}
			for _, p := range s.Points {
				if p.Place != i {
					continue
				}
				cell.Text = c.Write(p.Value)
				if p.Flagged {
					cell.Text += "*"
				}
				if p.Hi > p.Lo {
					cell.Note = c.Write(p.Lo) + " to " + c.Write(p.Hi)
				}
			}
			row = append(row, cell)
		}
		t.add(row...)
	}
	return t
}

// place is where a value stands on the x axis.
func place(d lesson.Dimension, v lesson.Value) chart.Place {
	p := chart.Place{Name: v.String(), Value: math.NaN()}
	if n, ok := v.Number(); ok {
		p.Value = n
	} else if v == lesson.None {
		p.Name = d.Said(v)
	}
	return p
}

// seriesValues are the values that have a series of their own: one that is none where the chart has no series.
func (p *plot) seriesValues() []lesson.Value {
	if p.Series == "" {
		return []lesson.Value{lesson.None}
	}
	return result.Values(p.series, p.cells)
}

func (p *plot) seriesName(value lesson.Value) string {
	if p.Series == "" {
		return ""
	}
	return p.series.Said(value)
}

// colour is the series'. A path has the same one in all charts of a run.
func (p *plot) colour(value lesson.Value, n int) int {
	if p.Series == "path" {
		for i, path := range p.run.Paths {
			if lesson.Word(path.Name) == value {
				n = i
			}
		}
	}
	return n%chart.Colours + 1
}

// cell is the one at a place in a series, nil where there is none.
func (p *plot) cell(x, series lesson.Value) *result.Cell {
	var found *result.Cell
	for _, c := range p.cells {
		if !p.at(c, x) || p.Series != "" && !has(c, p.series, series) {
			continue
		}
		if found != nil {
			p.hide(c, found)
			continue
		}
		found = c
	}
	return found
}
