package report

import (
	"slices"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// gridOf is the one table of a run that is a grid: its experiments name no metrics, and each has one cell a path and
// latency, all alike but for these. A row is a path, a column what an experiment is compared by, at one latency. It is
// nil where the run is no grid, and for one path over many latencies, which is read from the top to the bottom.
func gridOf(run *result.Run, experiments []*experiment) *Table {
	latency, err := lesson.DimensionNamed("latency_ms")
	if err != nil || len(experiments) == 0 {
		return nil
	}
	cells := cellsOf(run)
	values := result.Values(latency, cells)
	if len(run.Paths) == 1 && len(values) > 2 {
		return nil
	}
	zero := slices.ContainsFunc(cells, func(c *result.Cell) bool { return c.Latency == lesson.Number(0) })
	t := &Table{Keys: 1, Head: heads("path")}
	var compared []string
	for _, e := range experiments {
		f := e.metrics[0]
		if slices.Contains(compared, f.Name) || !e.isGrid(latency, values) {
			return nil
		}
		compared = append(compared, f.Name)
		for _, v := range values {
			head := Head{Text: latency.Column(v), Over: spoken(f, e.Cells[0]), Number: true}
			if v == lesson.None && !zero {
				head.Text = "0 ms" // to be without toxiproxy is that to a room, unless 0 ms through it stand beside it
			}
			t.Head = append(t.Head, head)
		}
	}
	for _, p := range run.Paths {
		row, found := []any{p.Name}, false
		for _, e := range experiments {
			for _, v := range values {
				c := e.at(p.Name, latency, v)
				found = found || c != nil
				row = append(row, figureField(e.metrics[0], c))
			}
		}
		if found {
			t.add(row...)
		}
	}
	return t
}

// isGrid says whether the cells differ in path and latency alone, with one of each, and are at all the latencies.
func (e *experiment) isGrid(latency lesson.Dimension, values []lesson.Value) bool {
	for _, d := range e.differ {
		if d.Name != latency.Name && d.Name != "link" {
			return false
		}
	}
	for _, c := range e.Cells {
		if len(c.Metrics) > 0 || e.at(c.Path, latency, latency.Of(&c.Cell)) != c {
			return false
		}
	}
	return len(result.Values(latency, e.Cells)) == len(values)
}

// at is the experiment's first cell of the path with the value, nil where there is none.
func (e *experiment) at(path string, d lesson.Dimension, v lesson.Value) *result.Cell {
	i := slices.IndexFunc(e.Cells, func(c *result.Cell) bool { return c.Path == path && has(c, d, v) })
	if i < 0 {
		return nil
	}
	return e.Cells[i]
}

// spoken is what a room calls the metric of c, with its unit.
func spoken(f metric.Metric, c *result.Cell) string {
	switch {
	case f.Name == "tps":
		return "transactions/s"
	case f.Name == "p50" && c.Workload == "select":
		return "query, ms"
	}
	return f.Heading + ", " + unit(f)
}
