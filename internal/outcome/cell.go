package outcome

import (
	"fmt"
	"slices"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

// one returns the cell that s picks, where it has figures; otherwise an outcome (NotInThisRun, Inconclusive) and why.
func one(run *result.Run, s lesson.Selector) (*result.Cell, Outcome, Reason) {
	cells := Select(run, s)
	switch {
	case len(cells) == 0:
		return missing(run, s)
	case len(cells) > 1:
		why := fmt.Sprintf("%s picks %d cells of this run, it must pick one", s, len(cells))
		return nil, Inconclusive, Reason{Text: why}
	}
	c := cells[0]
	failed := map[int]bool{} // blocks
	for _, r := range c.Repeats {
		failed[r.Block] = r.Status == result.Failed
	}
	n := 0
	for _, yes := range failed {
		if yes {
			n++
		}
	}
	why := ""
	switch {
	case len(c.Repeats) == 0:
		why = Name(c) + " didn't run"
	case n > 0:
		why = because(fmt.Sprintf("%s failed in %d of %d blocks", Name(c), n, len(failed)), c.Reason)
	case c.Last() == nil:
		why = because(Name(c)+" has no repeat that counts", c.Reason)
	default:
		return c, "", Reason{}
	}
	return c, Inconclusive, Reason{Text: why}
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
