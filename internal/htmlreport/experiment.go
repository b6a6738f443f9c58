package htmlreport

import (
	"fmt"
	"slices"
	"strings"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// An experiment is the cells of one of a lesson's, and how a page shows them.
type experiment struct {
	result.ExperimentCells
	differ  []lesson.Dimension // in which they do: a column each
	shared  []string           // what the others say of all of them
	metrics []metric.Metric
}

// experimentsOf are the run's, in the lesson's order.
func experimentsOf(run *result.Run) []*experiment {
	var all []*experiment
	for _, of := range run.ByExperiment() {
		e := &experiment{ExperimentCells: of}
		e.differ, e.shared = result.Differ(e.Cells)
		for _, c := range e.Cells {
			for _, f := range metric.For(c) {
				if !slices.ContainsFunc(e.metrics, func(h metric.Metric) bool { return h.Name == f.Name }) {
					e.metrics = append(e.metrics, f)
				}
			}
		}
		all = append(all, e)
	}
	return all
}

// caption says what all of the experiment's cells share.
func (e *experiment) caption() string {
	c, text := e.Cells[0], ""
	if e.Text != "" {
		text = strings.TrimSuffix(sentence(e.Text), ".") + ". "
	}
	return text + fmt.Sprintf("%s; windows of %g s; %s", sentence(strings.Join(e.shared, ", ")), c.Seconds, e.repeats())
}

// repeats says how often each cell was to run.
func (e *experiment) repeats() string {
	if slices.ContainsFunc(e.Cells, func(c *result.Cell) bool { return c.Paired > 0 }) {
		return "repeats side by side with other cells are counted, too, and their windows are their slots"
	}
	return metric.Count(e.Cells[0].Wanted, "repeat")
}

// differing are the cell's values in the columns that the experiment has for them.
func (e *experiment) differing(c *result.Cell) []Cell {
	var cells []Cell
	for _, d := range e.differ {
		cells = append(cells, Cell{Text: d.Column(d.Of(&c.Cell))})
	}
	return cells
}
