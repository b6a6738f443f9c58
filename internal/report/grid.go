package report

import (
	"fmt"
	"slices"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// gridOf is the one table of a run that is a grid: its experiments name no metrics, and each has one cell a path and
// latency, all alike but for these. A row is a path, a column what an experiment is compared by, at one latency. It is
// nil where the run is no grid, or the table is wider than a terminal.
func gridOf(run *result.Run, experiments []result.ExperimentCells, why doubts) *table {
	latencies := latenciesOf(run)
	if len(run.Paths) == 1 && len(latencies) > 2 {
		return nil // one path over many latencies is read from the top to the bottom
	}
	t := &table{left: 1, gap: 1, each: len(latencies), headings: [][]string{{"path"}}}
	var metrics []metric.Metric
	for _, e := range experiments {
		f := metric.For(e.Cells[0])[0]
		known := slices.ContainsFunc(metrics, func(g metric.Metric) bool { return g.Name == f.Name })
		if known || !isGrid(e.Cells, latencies) {
			return nil
		}
		metrics = append(metrics, f)
		t.over = append(t.over, spoken(f, e.Cells[0])+" ")
		for _, l := range latencies {
			t.headings[0] = append(t.headings[0], latencyHeading(l, latencies))
		}
	}
	for _, p := range run.Paths {
		row, found := []string{p.Name}, false
		for i, e := range experiments {
			for _, l := range latencies {
				c := at(e.Cells, p.Name, l)
				found = found || c != nil
				row = append(row, shown(metrics[i], c, why))
			}
		}
		if found {
			t.add(append(row, "")...)
		}
	}
	if !t.fits() {
		return nil
	}
	return t
}

// isGrid says whether the cells differ in path and latency alone, with one of each, and are at all the latencies.
func isGrid(cells []*result.Cell, latencies []lesson.Latency) bool {
	varying, _ := result.Differ(cells)
	for _, d := range varying {
		if d.Name != "latency_ms" && d.Name != "link" {
			return false
		}
	}
	for _, l := range latencies {
		if !slices.ContainsFunc(cells, func(c *result.Cell) bool { return c.Latency == l }) {
			return false
		}
	}
	for _, c := range cells {
		if len(c.Metrics) > 0 || at(cells, c.Path, c.Latency) != c {
			return false
		}
	}
	return true
}

// at is the cell of the path at the latency, nil where there is none.
func at(cells []*result.Cell, path string, l lesson.Latency) *result.Cell {
	i := slices.IndexFunc(cells, func(c *result.Cell) bool { return c.Path == path && c.Latency == l })
	if i < 0 {
		return nil
	}
	return cells[i]
}

// spoken is what a room calls the metric of c, with its unit.
func spoken(f metric.Metric, c *result.Cell) string {
	switch {
	case f.Name == "tps":
		return "transactions/s"
	case f.Name == "p50" && c.Workload == "select":
		return "query, ms"
	}
	return f.Heading + ", " + f.Unit
}

// latencyHeading is what stands above the figures of a latency. To be without toxiproxy is 0 ms to a room, unless 0 ms
// through it stand beside that.
func latencyHeading(l lesson.Latency, all []lesson.Latency) string {
	if !l.Proxied() && slices.Contains(all, lesson.Through(0)) {
		return "none "
	}
	return fmt.Sprintf("%d ms ", l.MS())
}
