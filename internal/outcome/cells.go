package outcome

import (
	"fmt"
	"slices"
	"strings"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// Select returns the cells of the run that s picks, in the run's order. A nil selector picks none, an empty one all.
func Select(run *result.Run, s lesson.Selector) []*result.Cell {
	var picked []*result.Cell
	for i := range run.Cells {
		if s.Picks(&run.Cells[i].Cell) {
			picked = append(picked, &run.Cells[i])
		}
	}
	return picked
}

// NameIn is the cell's name, and what else tells it from those of the run's cells that have the same name, such as its
// protocol.
func NameIn(run *result.Run, c *result.Cell) string {
	parts := Parts(c)
	var alike []*result.Cell
	for i := range run.Cells {
		if slices.Equal(Parts(&run.Cells[i]), parts) {
			alike = append(alike, &run.Cells[i])
		}
	}
	differ, _ := result.Differ(alike)
	for _, d := range differ {
		if text := d.Text(d.Of(&c.Cell)); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, ", ")
}

// Name says in words which cell of its experiment c is.
func Name(c *result.Cell) string { return strings.Join(Parts(c), ", ") }

// Parts are those of a cell's name: its path, its latency where it has one, its workload, its clients, ...
func Parts(c *result.Cell) []string {
	var parts []string
	for _, d := range lesson.Dimensions() {
		unsaid := d.Name == "latency_ms" && c.Latency == lesson.None
		if slices.Contains(named, d.Name) && !unsaid && d.Text(d.Of(&c.Cell)) != "" {
			parts = append(parts, d.Text(d.Of(&c.Cell)))
		}
	}
	return parts
}

// Apart divides the names of two cells into what they differ in and what both have.
func Apart(of, to *result.Cell) (onlyOf, onlyTo, both string) {
	var a, b []string
	if of.Path != to.Path {
		a, b = append(a, of.Path), append(b, to.Path)
	}
	differ, _ := result.Differ([]*result.Cell{of, to})
	for _, d := range differ {
		a, b = append(a, d.Said(d.Of(&of.Cell))), append(b, d.Said(d.Of(&to.Cell)))
	}
	common := slices.DeleteFunc(Parts(of), func(p string) bool { return !slices.Contains(Parts(to), p) })
	return strings.Join(a, ", "), strings.Join(b, ", "), strings.Join(common, ", ")
}

// named are the dimensions that a cell's name has. What else it is stands with its experiment.
var named = []string{"path", "latency_ms", "workload", "clients", "driver", "role", "pool_size", "instances",
	"instance_pool"}

// one returns the cell that s picks, where it has figures; otherwise an outcome (NotInThisRun, Inconclusive) and why.
func one(run *result.Run, s lesson.Selector) (*result.Cell, Judged) {
	cells := Select(run, s)
	switch {
	case len(cells) == 0:
		return nil, missing(run, s)
	case len(cells) > 1:
		return nil, inconclusive(fmt.Sprintf("%s picks %d cells of this run, it must pick one", s, len(cells)))
	}
	if why := notMeasured(run, cells[0]); why != "" {
		return cells[0], inconclusive(why)
	}
	return cells[0], Judged{}
}

// two returns the cells of a ratio, as one does. Where they ran side by side, what became of them elsewhere doesn't
// matter.
func two(run *result.Run, f metric.Metric, of, to lesson.Selector) (a, b *result.Cell, none Judged) {
	a, none = one(run, of)
	b, other := one(run, to)
	if pair, _ := run.PairOf(a, b, f.Name); pair != nil {
		if !lookedAt(pair, a, b) {
			return a, b, inconclusive("the run was stopped, and k6 didn't end in time to look at what else happened to the pair")
		}
		return a, b, Judged{}
	}
	if none.Outcome == "" {
		none = other
	}
	return a, b, none
}

// notMeasured says why the cell's blocks say nothing of it; empty where they do. A pair that came to nothing isn't one
// of them: its cells run in blocks then.
func notMeasured(run *result.Run, c *result.Cell) string {
	failed := map[int]bool{} // blocks
	for _, r := range c.Repeats {
		if !slices.ContainsFunc(run.Pairs, func(p result.Pair) bool { return p.Block == r.Block }) {
			failed[r.Block] = r.Status == result.Failed
		}
	}
	n := 0
	for _, yes := range failed {
		if yes {
			n++
		}
	}
	switch {
	case len(c.Repeats) == 0:
		return NameIn(run, c) + " didn't run"
	case n > 0:
		return Because(fmt.Sprintf("%s failed in %d of %d blocks", NameIn(run, c), n, len(failed)), c.Reason)
	case c.Last() == nil:
		return Because(NameIn(run, c)+" has no repeat that counts", c.Reason)
	}
	return ""
}

// missing says why s picks no cell: its path is off, its experiment was left out, or the run has others. Where an
// experiment was left out it doesn't matter whether its path is off.
func missing(run *result.Run, s lesson.Selector) Judged {
	experiment, ok := s["experiment"]
	leftOut := ok && slices.Contains(run.Lesson.LeftOut, experiment.String())
	for _, p := range run.Paths {
		if p.Unavailable != "" && s["path"] == lesson.Word(p.Name) && !leftOut {
			return inconclusive(p.Name + " is not available: " + p.Unavailable)
		}
	}
	if ok && !slices.ContainsFunc(run.Cells, func(c result.Cell) bool {
		return lesson.Word(c.Experiment) == experiment
	}) {
		why := Reason{LeftOut: experiment.String(), With: "--experiments"}
		if slices.Contains(run.Lesson.OnlyInFull, why.LeftOut) {
			why.With = "--full --experiments"
		}
		why.Text = fmt.Sprintf("the experiment %s was left out; %s %s runs it", why.LeftOut, why.With, why.LeftOut)
		return Judged{NotInThisRun, why}
	}
	return Judged{NotInThisRun, Reason{Text: "this run has no cell with " + s.String()}}
}
