package htmlreport

import (
	"slices"
	"strconv"
	"strings"

	"pooler-lab/internal/chart"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// tables has one an experiment.
func tables(run *result.Run) []Table {
	var all []Table
	for _, e := range experimentsOf(run) {
		t := Table{Name: "Experiment " + e.Name, Caption: e.caption(), Head: e.head()}
		for i, c := range e.Cells {
			row := Row{Cells: e.row(run, c)}
			if len(c.Flags()) > 0 {
				row.Class = "flagged"
			}
			if i > 0 && e.Cells[i-1].Path != c.Path {
				row.Class = strings.TrimSpace(row.Class + " start")
			}
			t.Rows = append(t.Rows, row)
		}
		all = append(all, t)
	}
	return all
}

func (e *experiment) head() []Head {
	all := []Head{{Text: "path"}}
	for _, d := range e.differ {
		all = append(all, Head{Text: d.Heading})
	}
	all = append(all, Head{Text: "round trip", Unit: "ms", Number: true})
	for i, f := range e.metrics {
		all = append(all, Head{Text: f.Heading, Unit: unit(f), Number: true})
		if i == 0 && e.compared() {
			all = append(all, Head{Text: "to direct", Unit: "ratio", Number: true})
		}
	}
	all = append(all, Head{Text: "repeats", Number: true})
	if e.failed() {
		all = append(all, Head{Text: "errors", Number: true})
	}
	if e.flagged() {
		all = append(all, Head{Text: "flags"})
	}
	return all
}

// failed says whether there are errors to count.
func (e *experiment) failed() bool {
	return slices.ContainsFunc(e.Cells, func(c *result.Cell) bool { return c.ErrorsMeasured() > 0 })
}

func (e *experiment) flagged() bool {
	return slices.ContainsFunc(e.Cells, func(c *result.Cell) bool { return len(c.Flags()) > 0 })
}

// joined lists kinds of flags.
func joined(kinds []result.FlagKind) string {
	var words []string
	for _, kind := range kinds {
		words = append(words, string(kind))
	}
	return strings.Join(words, ", ")
}

// unit is the metric's as tables have it: shares are shown in percent.
func unit(f metric.Metric) string {
	if f.Unit == "share" {
		return "%"
	}
	return f.Unit
}

// compared says whether there is a direct path to compare the experiment's others with.
func (e *experiment) compared() bool {
	paths := map[string]bool{}
	for _, c := range e.Cells {
		paths[c.Path] = true
	}
	return paths["direct"] && len(paths) > 1
}

func (e *experiment) row(run *result.Run, c *result.Cell) []Cell {
	cells := append(words(c.Path), e.differing(c)...)
	trip := "-"
	if v, ok := metric.Middle(roundTrips(c)); ok {
		trip = chart.Number(v)
	}
	cells = append(cells, numbers(trip)...)
	for i, f := range e.metrics {
		cells = append(cells, figureCell(f, c))
		if i == 0 && e.compared() {
			cells = append(cells, ratioCell(run, f, c))
		}
	}
	cells = append(cells, numbers(strconv.Itoa(counting(c)))...)
	if e.failed() {
		cells = append(cells, numbers(strconv.FormatInt(c.ErrorsMeasured(), 10))...)
	}
	if e.flagged() {
		cells = append(cells, words(joined(c.Flags()))...)
	}
	return cells
}

// legend says what the tables' columns are.
func legend(run *result.Run) []Term {
	terms := []Term{{"round trip", metric.RoundTripMeaning(run)}}
	compared, experiments := false, experimentsOf(run)
	for _, e := range experiments {
		compared = compared || e.compared()
		for _, f := range e.metrics {
			for _, c := range e.Cells {
				if t := (Term{f.Heading, f.MeaningIn(c)}); !slices.Contains(terms, t) {
					terms = append(terms, t)
				}
			}
		}
	}
	if compared {
		terms = append(terms, Term{"to direct", "the figure before it as a ratio to the direct path's under the same " +
			"conditions: " + ratioMeans(run)})
	}
	terms = append(terms, Term{"a to b", intervalMeans(run)})
	if slices.ContainsFunc(experiments, (*experiment).failed) {
		text := "statements and connects that failed in the measured windows, rejected repeats left out"
		terms = append(terms, Term{"errors", text})
	}
	if slices.ContainsFunc(experiments, (*experiment).flagged) {
		terms = append(terms, Term{"*", "a flagged figure, or a ratio to or of one"})
	}
	return terms
}
