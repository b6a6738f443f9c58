package report

import (
	"fmt"
	"slices"
	"strings"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// lines shows a section an experiment, in it a row a cell: what a run is shown as that fits no grid.
func lines(run *result.Run, experiments []result.ExperimentCells) string {
	var b strings.Builder
	for _, e := range experiments {
		varying, shared := result.Differ(e.Cells)
		b.WriteString("\n")
		if e.Text != "" {
			paragraph(&b, "Experiment "+e.Name+": ", e.Text)
			paragraph(&b, "", strings.Join(shared, ", "))
		} else {
			paragraph(&b, "Experiment "+e.Name+": ", strings.Join(shared, ", "))
		}
		metrics := metricsOf(e.Cells)
		for len(metrics) > 0 {
			n, t := fitting(run, e.Cells, varying, metrics)
			b.WriteString(t.String())
			if metrics = metrics[n:]; len(metrics) > 0 {
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

// metricsOf are all metrics of the cells, each once. Where the lesson names none, cells that don't connect over and
// over or work off a fixed amount show throughput and response time, both, whatever they are compared by.
func metricsOf(cells []*result.Cell) []metric.Metric {
	var metrics []metric.Metric
	add := func(f metric.Metric) {
		known := slices.ContainsFunc(metrics, func(g metric.Metric) bool { return g.Name == f.Name })
		if !known && f.Name != "errors" { // which each table has at its end
			metrics = append(metrics, f)
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
	return metrics
}

// fitting makes the table of as many of the metrics as fit the width, at least of one, and says of how many.
func fitting(run *result.Run, cells []*result.Cell, varying []lesson.Dimension, metrics []metric.Metric) (int, *table) {
	n := 1
	t := tableOf(run, cells, varying, metrics[:n])
	for n < len(metrics) {
		wider := tableOf(run, cells, varying, metrics[:n+1])
		if wider.least() > width {
			break
		}
		n, t = n+1, wider
	}
	return n, t
}

// tableOf has a row a cell: its path, what it differs in from the others, and its metrics with their ratios to the
// direct path's where that is there too.
func tableOf(run *result.Run, cells []*result.Cell, varying []lesson.Dimension, metrics []metric.Metric) *table {
	columns := [][]string{{"path"}}
	for _, d := range varying {
		columns = append(columns, []string{d.Heading})
	}
	columns = append(columns, []string{"round ", "trip ms "})
	for _, f := range metrics {
		columns = append(columns, padded(heads(f, unitOf(f))))
		if compared(run, cells, f) {
			columns = append(columns, []string{"ratio"})
		}
	}
	last := endingOf(run)
	columns = append(columns, last.headings()...)
	t := &table{left: 1 + len(varying), gap: 1, headings: headings(columns)}
	for _, c := range cells {
		row := []string{c.Path}
		for _, d := range varying {
			row = append(row, d.Column(d.Of(&c.Cell)))
		}
		row = append(row, roundTripOf(c))
		for _, f := range metrics {
			row = append(row, shown(f, c))
			if compared(run, cells, f) {
				row = append(row, shownRatio(run, f, c))
			}
		}
		t.add(append(row, last.row([]*result.Cell{c})...)...)
	}
	return t
}

// compared says whether one of the cells has a ratio to another, the direct path's.
func compared(run *result.Run, cells []*result.Cell, f metric.Metric) bool {
	return slices.ContainsFunc(cells, func(c *result.Cell) bool {
		b := run.Direct(c)
		return b != nil && b != c && outcome.RatioOf(run, f, c, b).N > 0
	})
}
