package htmlreport

import (
	"slices"
	"strconv"
	"strings"

	"pooler-lab/internal/chart"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// tables has one a group.
func tables(run *result.Run) []Table {
	var all []Table
	for _, g := range groupsOf(run) {
		t := Table{Name: "Group " + g.name, Caption: g.caption(), Head: g.head()}
		for i, c := range g.cells {
			row := Row{Cells: g.row(run, c)}
			if len(flagsOf(c)) > 0 {
				row.Class = "flagged"
			}
			if i > 0 && g.cells[i-1].Path != c.Path {
				row.Class = strings.TrimSpace(row.Class + " start")
			}
			t.Rows = append(t.Rows, row)
		}
		all = append(all, t)
	}
	return all
}

func (g *group) head() []Head {
	all := []Head{{Text: "path"}}
	for _, i := range g.differ {
		all = append(all, Head{Text: conditions[i].head})
	}
	all = append(all, Head{Text: "round trip", Unit: "ms", Number: true})
	for i, f := range g.figures {
		all = append(all, Head{Text: f.Heading, Unit: unit(f), Number: true})
		if i == 0 && g.compared() {
			all = append(all, Head{Text: "to direct", Unit: "ratio", Number: true})
		}
	}
	return append(all, Head{Text: "repeats", Number: true}, Head{Text: "errors", Number: true}, Head{Text: "flags"})
}

// unit is the figure's as tables have it: shares are shown in percent.
func unit(f metric.Metric) string {
	if f.Unit == "share" {
		return "%"
	}
	return f.Unit
}

// compared says whether there is a direct path to compare the group's others with.
func (g *group) compared() bool {
	return len(valuesOf(g.cells, "path")) > 1 && slices.ContainsFunc(g.cells, func(c *result.Cell) bool { return c.Path == "direct" })
}

func (g *group) row(run *result.Run, c *result.Cell) []Cell {
	cells := words(c.Path)
	for _, i := range g.differ {
		cells = append(cells, conditionCell(conditions[i].field, c))
	}
	trip := "-"
	if v, ok := metric.Middle(roundTrips(c)); ok {
		trip = chart.Number(v)
	}
	cells = append(cells, numbers(trip)...)
	for i, f := range g.figures {
		cells = append(cells, figureCell(f, c))
		if i == 0 && g.compared() {
			cells = append(cells, ratioCell(f, c, directOf(run, c)))
		}
	}
	cells = append(cells, numbers(strconv.Itoa(counting(c)), strconv.FormatInt(errorsOf(c), 10))...)
	return append(cells, words(strings.Join(flagsOf(c), ", "))...)
}

// legend says what the tables' columns are.
func legend(run *result.Run) []Term {
	terms := []Term{{"round trip", "a SELECT 1 on a warm connection of that path, before load, median"}}
	compared := false
	for _, g := range groupsOf(run) {
		compared = compared || g.compared()
		for _, f := range g.figures {
			if t := (Term{f.Heading, f.Meaning}); !slices.Contains(terms, t) {
				terms = append(terms, t)
			}
		}
	}
	if compared {
		terms = append(terms, Term{"to direct", "the figure before it as a ratio to the direct path's under the same conditions: the median of each block's own ratio"})
	}
	return append(terms, Term{"a to b", "holds the true median in 95 of 100 cases; figures of fewer than six repeats have none and support no claim"},
		Term{"errors", "statements and connects that failed, in all repeats"},
		Term{"*", "a flagged figure, or a ratio to or of one"})
}
