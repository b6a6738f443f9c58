package report

import (
	"slices"
	"strconv"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// mostColumns is how many metrics a grid has at most; each has its ratio beside it.
const mostColumns = 4

// gridFits says whether the run can be shown with a row a path and latency and a column an experiment: each has
// one cell there, of the same kind in all rows, no two of them have the same metrics, and nothing is to be said of a
// cell that a grid has no place for.
func gridFits(run *result.Run, experiments []result.ExperimentCells) bool {
	type place struct {
		experiment, path string
		latency          lesson.Latency
	}
	seen, kind := map[place]bool{}, map[string]string{}
	if len(run.Paths) == 1 && len(latenciesOf(run)) > 2 {
		return false // one path over many latencies is one table
	}
	for i := range run.Cells {
		c := &run.Cells[i]
		at := place{c.Experiment, c.Path, c.Latency}
		k := c.Workload + kindOf(metric.For(c)) + c.Protocol + strconv.Itoa(c.Clients)
		said := c.HasUsualRole() // by the grid, which names no other
		if !said || c.PoolSize+c.Instances+c.Transactions > 0 || seen[at] ||
			kind[c.Experiment] != "" && kind[c.Experiment] != k {
			return false
		}
		seen[at], kind[c.Experiment] = true, k
	}
	var columns []string
	for _, e := range experiments {
		for _, f := range metric.For(e.Cells[0]) {
			if slices.Contains(columns, f.Name) {
				return false
			}
			columns = append(columns, f.Name)
		}
	}
	return len(columns) <= mostColumns
}

// grid shows a section a latency, in it a row a path.
func grid(run *result.Run, experiments []result.ExperimentCells) string {
	compared := compares(run)
	text, first := "", 0
	for _, p := range run.Paths {
		first = max(first, len(p.Name))
	}
	notes := notesOf(run)
	for _, latency := range latenciesOf(run) {
		t := &table{left: 1, first: first, gap: 1, headings: gridHeadings(run, experiments, compared)}
		for _, p := range run.Paths {
			if p.Unavailable != "" && askedAt(p, latency) {
				t.addAcross(p.Name, notes.row(p))
			}
			if cells := gridCells(experiments, p.Name, latency); cells != nil {
				t.add(gridRow(run, cells, experiments, compared)...)
			}
		}
		text += "\n" + latencyTitle(latency) + "\n" + t.String()
	}
	return text + notes.text()
}

// askedAt says whether the lesson asked for the path at that latency. Runs of a program that didn't note it yet
// count as having asked.
func askedAt(p result.Path, latency lesson.Latency) bool {
	return len(p.Latencies) == 0 || slices.Contains(p.Latencies, latency)
}

func gridHeadings(run *result.Run, experiments []result.ExperimentCells, compared bool) [][]string {
	columns := [][]string{{"path"}, {"round ", "trip ms "}}
	for _, e := range experiments {
		for _, f := range metric.For(e.Cells[0]) {
			unit := unitOf(f)
			if f.Name == "tps" {
				unit = strconv.Itoa(e.Cells[0].Clients) + " cl."
			}
			columns = append(columns, padded(heads(f, unit)))
			if compared {
				columns = append(columns, []string{"ratio"})
			}
		}
	}
	return headings(append(columns, endingOf(run).headings()...))
}

// gridCells returns a cell an experiment, nil in the place of one that has none, or nil where none has any.
func gridCells(experiments []result.ExperimentCells, path string, latency lesson.Latency) []*result.Cell {
	cells := make([]*result.Cell, len(experiments))
	found := false
	for i, e := range experiments {
		n := slices.IndexFunc(e.Cells, func(c *result.Cell) bool { return c.Path == path && c.Latency == latency })
		if n >= 0 {
			cells[i], found = e.Cells[n], true
		}
	}
	if !found {
		return nil
	}
	return cells
}

func gridRow(run *result.Run, cells []*result.Cell, experiments []result.ExperimentCells, compared bool) []string {
	present := slices.DeleteFunc(slices.Clone(cells), func(c *result.Cell) bool { return c == nil })
	row := []string{present[0].Path, roundTripOf(present...)}
	for i, c := range cells {
		for _, f := range metric.For(experiments[i].Cells[0]) {
			row = append(row, shown(f, c))
			if compared && c == nil {
				row = append(row, "")
			} else if compared {
				row = append(row, shownRatio(run, f, c))
			}
		}
	}
	return append(row, endingOf(run).row(present)...)
}
