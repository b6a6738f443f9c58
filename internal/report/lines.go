package report

import (
	"slices"
	"strings"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// lines shows a section an experiment, in it a row a cell: in short as many metrics as fit a terminal, or all of them
// in detail.
func lines(run *result.Run, experiments []result.ExperimentCells, details bool, why doubts) string {
	var b strings.Builder
	for _, e := range experiments {
		varying, shared := result.Differ(e.Cells)
		b.WriteString("\n")
		if e.Text != "" {
			paragraph(&b, "Experiment "+e.Name+": ", e.Text)
		} else {
			paragraph(&b, "Experiment "+e.Name+": ", strings.Join(shared, ", "))
		}
		if e.Text != "" && details {
			paragraph(&b, "", strings.Join(shared, ", "))
		}
		s := section{run, e.Cells, varying, details}
		for metrics := metricsOf(e.Cells); len(metrics) > 0; {
			n := s.fitting(metrics)
			b.WriteString(s.table(metrics[:n], why).String())
			if metrics = metrics[n:]; !details {
				break
			} else if len(metrics) > 0 {
				b.WriteString("\n")
			}
		}
	}
	return b.String()
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

// A section is an experiment's cells, which differ in some dimensions.
type section struct {
	run     *result.Run
	cells   []*result.Cell
	varying []lesson.Dimension
	details bool // round trips, ratios, errors and flags stand there, too
}

// fitting says how many of the metrics one table holds, one at least.
func (s section) fitting(metrics []metric.Metric) int {
	n := 1
	for n < len(metrics) && s.table(metrics[:n+1], doubts{}).fits() {
		n++
	}
	return n
}

// table has a row a cell: its path, what it differs in from the others, and its metrics; in detail with their ratios to
// the direct path's where that is there too.
func (s section) table(metrics []metric.Metric, why doubts) *table {
	columns := [][]string{{"path"}}
	for _, d := range s.varying {
		columns = append(columns, []string{d.Heading})
	}
	if s.details {
		columns = append(columns, []string{"round ", "trip ms "})
	}
	for _, f := range metrics {
		columns = append(columns, padded(heads(f, unitOf(f))))
		if s.compared(f) {
			columns = append(columns, []string{"ratio"})
		}
	}
	last := endingOf(s.run)
	if s.details {
		columns = append(columns, last.headings()...)
	} else {
		columns = append(columns, []string{""})
	}
	t := &table{left: 1 + len(s.varying), gap: 1, headings: headings(columns), wide: s.details}
	for _, c := range s.cells {
		row := []string{c.Path}
		for _, d := range s.varying {
			row = append(row, d.Column(d.Of(&c.Cell)))
		}
		if s.details {
			row = append(row, roundTripOf(c))
		}
		for _, f := range metrics {
			row = append(row, shown(f, c, why))
			if s.compared(f) {
				row = append(row, shownRatio(s.run, f, c))
			}
		}
		if s.details {
			row = append(row, last.row(c)...)
		} else {
			row = append(row, "")
		}
		t.add(row...)
	}
	return t
}

// compared says whether one of the cells has a ratio to another, the direct path's, that is to be shown.
func (s section) compared(f metric.Metric) bool {
	return s.details && slices.ContainsFunc(s.cells, func(c *result.Cell) bool {
		b := s.run.Direct(c)
		return b != nil && b != c && outcome.RatioOf(s.run, f, c, b).N > 0
	})
}
