package report

import (
	"fmt"
	"slices"
	"strings"

	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// lines shows a section a group, in it a row a cell: what a run is shown as that fits no grid.
func lines(run *result.Run, groups []string) string {
	var b strings.Builder
	for _, g := range groups {
		cells := cellsOf(run, g)
		varying, shared := split(cells)
		b.WriteString("\n")
		paragraph(&b, "Group "+g+": ", strings.Join(shared, ", "))
		figures := figuresOf(cells)
		for len(figures) > 0 {
			n, t := fitting(run, cells, varying, figures)
			b.WriteString(t.String())
			if figures = figures[n:]; len(figures) > 0 {
				b.WriteString("\n")
			}
		}
	}
	notes := notesOf(run)
	for _, p := range run.Paths {
		if p.Unavailable != "" {
			fmt.Fprintf(&b, "\n%s: %s", p.Name, notes.row(p))
		}
	}
	if len(notes) > 0 {
		b.WriteString("\n")
	}
	return b.String() + notes.text()
}

func cellsOf(run *result.Run, group string) []*result.Cell {
	var cells []*result.Cell
	for i := range run.Cells {
		if run.Cells[i].Experiment == group {
			cells = append(cells, &run.Cells[i])
		}
	}
	return cells
}

// figuresOf are all figures of the cells, each once. Where the lesson names none, cells that don't connect over and
// over or work off a fixed amount show throughput and the time of a turn, both, whatever they are compared by.
func figuresOf(cells []*result.Cell) []metric.Metric {
	var figures []metric.Metric
	add := func(f metric.Metric) {
		known := slices.ContainsFunc(figures, func(g metric.Metric) bool { return g.Name == f.Name })
		if !known && f.Name != "errors" { // which each table has at its end

			figures = append(figures, f)
		}
	}
	for _, c := range cells {
		for _, f := range metric.For(c) {
			add(f)
		}
		if len(c.Metrics) > 0 || c.Transactions > 0 || c.Workload == "connect" {
			continue
		}
		for _, name := range []string{"tps", "p50", "p95"} {
			if f, err := metric.Find(name); err == nil {
				add(f)
			}
		}
	}
	return figures
}

// fitting makes the table of as many of the figures as fit the width, at least of one, and says of how many.
func fitting(run *result.Run, cells []*result.Cell, varying []dimension, figures []metric.Metric) (int, *table) {
	n := 1
	t := tableOf(run, cells, varying, figures[:n])
	for n < len(figures) {
		wider := tableOf(run, cells, varying, figures[:n+1])
		if wider.least() > width {
			break
		}
		n, t = n+1, wider
	}
	return n, t
}

// tableOf has a row a cell: its path, what it differs in from the others, and its figures with their ratios to the
// direct path's where that is there too.
func tableOf(run *result.Run, cells []*result.Cell, varying []dimension, figures []metric.Metric) *table {
	upper, lower := []string{""}, []string{"path"}
	for _, d := range varying {
		upper, lower = append(upper, ""), append(lower, d.heading)
	}
	upper, lower = append(upper, "round "), append(lower, "trip ms ")
	for _, f := range figures {
		first, second := heads(f)
		upper, lower = append(upper, first+" "), append(lower, second+" ")
		if compared(run, cells, f) {
			upper, lower = append(upper, ""), append(lower, "x ")
		}
	}
	t := &table{left: 1 + len(varying), gap: 1, headings: [][]string{append(upper, "", ""), append(lower, "errors ", "flags")}}
	for _, c := range cells {
		row := []string{c.Path}
		for _, d := range varying {
			row = append(row, d.of(c))
		}
		row = append(row, roundTripOf(c))
		for _, f := range figures {
			row = append(row, shown(f, c))
			if compared(run, cells, f) {
				row = append(row, shownRatio(f, c, base(run, c)))
			}
		}
		t.add(append(row, errorsAndFlags([]*result.Cell{c})...)...)
	}
	return t
}

// compared says whether one of the cells has a ratio to another, the direct path's.
func compared(run *result.Run, cells []*result.Cell, f metric.Metric) bool {
	return slices.ContainsFunc(cells, func(c *result.Cell) bool {
		b := base(run, c)
		return b != nil && b != c && len(f.Ratios(c, b)) > 0
	})
}
