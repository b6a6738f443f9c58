package result

import (
	"slices"
	"strings"

	"pooler-lab/internal/lesson"
)

// ExperimentCells are the cells of one of the lesson's experiments, in their order.
type ExperimentCells struct {
	Experiment
	Cells []*Cell
}

// ByExperiment are the run's cells by their experiments, in the lesson's order.
func (r *Run) ByExperiment() []ExperimentCells {
	var all []ExperimentCells
	for i := range r.Cells {
		c := &r.Cells[i]
		n := slices.IndexFunc(all, func(e ExperimentCells) bool { return e.Name == c.Experiment })
		if n < 0 {
			n = len(all)
			e := Experiment{Name: c.Experiment}
			if at := slices.IndexFunc(r.Lesson.Experiments, func(e Experiment) bool { return e.Name == c.Experiment }); at >= 0 {
				e = r.Lesson.Experiments[at]
			}
			all = append(all, ExperimentCells{Experiment: e})
		}
		all[n].Cells = append(all[n].Cells, c)
	}
	return all
}

// Direct is the direct path's cell under the same conditions as c, nil where there is none. How often and how long a
// cell runs is no condition, nor is the size of a pool that the direct path doesn't have.
func (r *Run) Direct(c *Cell) *Cell {
	for i := range r.Cells {
		d := &r.Cells[i]
		if d.Path == "direct" && d.SameBut(&c.Cell, "path", "link", "pool_size", "fill_pools", "seconds",
			"warmup_seconds", "repeats_wanted") {
			return d
		}
	}
	return nil
}

// Values are those that the cells have in the dimension, each once and in their order.
func Values(d lesson.Dimension, cells []*Cell) []lesson.Value {
	var plain []*lesson.Cell
	for _, c := range cells {
		plain = append(plain, &c.Cell)
	}
	return d.Values(plain)
}

// Differ divides the dimensions of an experiment's cells into those in which they differ, besides their path, and what
// is to be said of the others, which they share. Where paths differ, so do their links, and the path says which.
func Differ(cells []*Cell) (varying []lesson.Dimension, shared []string) {
	paths := map[string]bool{}
	for _, c := range cells {
		paths[c.Path] = true
	}
	for _, d := range lesson.Dimensions() {
		values := Values(d, cells)
		switch {
		case d.Heading == "" || d.Name == "link" && len(paths) > 1:
		case len(values) > 1:
			varying = append(varying, d)
		case d.Text(values[0]) != "":
			shared = append(shared, d.Text(values[0]))
		}
	}
	if text := opening(cells); text != "" {
		shared = append(shared, text)
	}
	return varying, shared
}

// opening says which of the cells' iterations connect, empty where none does.
func opening(cells []*Cell) string {
	var workloads []string
	all := true
	for _, c := range cells {
		all = all && c.Opens()
		if c.Opens() && !slices.Contains(workloads, c.Workload) {
			workloads = append(workloads, c.Workload)
		}
	}
	switch {
	case len(workloads) == 0:
		return ""
	case all:
		return "each iteration connects"
	}
	return "each iteration of " + strings.Join(workloads, " and ") + " connects"
}
