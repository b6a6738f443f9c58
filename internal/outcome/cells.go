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

// Name says in words which cell of its experiment c is.
func Name(c *result.Cell) string { return strings.Join(Parts(c), ", ") }

// Parts are those of a cell's name: its path, its latency where it has one, its workload, its clients, ...
func Parts(c *result.Cell) []string {
	var parts []string
	for _, d := range lesson.Dimensions() {
		unsaid := d.Name == "latency_ms" && !c.Latency.Proxied()
		if slices.Contains(named, d.Name) && !unsaid && d.Text(d.Of(&c.Cell)) != "" {
			parts = append(parts, d.Text(d.Of(&c.Cell)))
		}
	}
	return parts
}

// named are the dimensions that a cell's name has. What else it is stands with its experiment.
var named = []string{"path", "latency_ms", "workload", "clients", "driver", "role", "pool_size", "instances", "instance_pool"}

// one returns the cell that s picks, where it has figures; otherwise an outcome (NotInThisRun, Inconclusive) and why.
func one(run *result.Run, s lesson.Selector) (*result.Cell, Outcome, Reason) {
	c, outcome, why := picked(run, s)
	if c == nil {
		return nil, outcome, why
	}
	if why := notMeasured(run, c); why != "" {
		return c, Inconclusive, Reason{Text: why}
	}
	return c, "", Reason{}
}

// two returns the cells of a ratio, as one does. Where they ran side by side, what became of them elsewhere doesn't
// matter.
func two(run *result.Run, f metric.Metric, of, to lesson.Selector) (a, b *result.Cell, outcome Outcome, why Reason) {
	a, _, _ = picked(run, of)
	b, _, _ = picked(run, to)
	if pair, _ := run.PairOf(a, b, f.Name); pair != nil {
		return a, b, "", Reason{}
	}
	if a, outcome, why = one(run, of); outcome != "" {
		return a, nil, outcome, why
	}
	b, outcome, why = one(run, to)
	return a, b, outcome, why
}

// picked returns the cell that s picks; otherwise an outcome and why there is none.
func picked(run *result.Run, s lesson.Selector) (*result.Cell, Outcome, Reason) {
	cells := Select(run, s)
	switch {
	case len(cells) == 0:
		return missing(run, s)
	case len(cells) > 1:
		why := fmt.Sprintf("%s picks %d cells of this run, it must pick one", s, len(cells))
		return nil, Inconclusive, Reason{Text: why}
	}
	return cells[0], "", Reason{}
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
		return Name(c) + " didn't run"
	case n > 0:
		return because(fmt.Sprintf("%s failed in %d of %d blocks", Name(c), n, len(failed)), c.Reason)
	case c.Last() == nil:
		return because(Name(c)+" has no repeat that counts", c.Reason)
	}
	return ""
}

// missing says why s picks no cell: its path is off, its experiment was left out, or the run has others. Where an
// experiment was left out it doesn't matter whether its path is off.
func missing(run *result.Run, s lesson.Selector) (*result.Cell, Outcome, Reason) {
	experiment, ok := s["experiment"]
	leftOut := ok && slices.Contains(run.Lesson.LeftOut, experiment.String())
	for _, p := range run.Paths {
		if p.Unavailable != "" && s["path"] == lesson.Word(p.Name) && !leftOut {
			return nil, Inconclusive, Reason{Text: p.Name + " is not available: " + p.Unavailable}
		}
	}
	if ok && !slices.ContainsFunc(run.Cells, func(c result.Cell) bool {
		return lesson.Word(c.Experiment) == experiment
	}) {
		inFull, option := slices.Contains(run.Lesson.OnlyInFull, experiment.String()), "--experiments"
		if inFull {
			option = "--full --experiments"
		}
		why := fmt.Sprintf("the experiment %s was left out; %s %s runs it", experiment, option, experiment)
		return nil, NotInThisRun, Reason{Text: why, LeftOut: experiment.String(), InFull: inFull}
	}
	return nil, NotInThisRun, Reason{Text: "this run has no cell with " + s.String()}
}
