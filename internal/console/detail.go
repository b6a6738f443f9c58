package console

import (
	"cmp"
	"path/filepath"
	"slices"

	"pooler-lab/internal/console/web"
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// notYet is the outcome of a comparison that concludes nothing while its run goes on.
const notYet outcome.Outcome = "not yet"

// runDetail puts a run's together.
func (p *parts) runDetail(name string) (*web.RunDetail, error) {
	run, err := p.readRun(name)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(p.results(), name)
	d := &web.RunDetail{Run: p.withTrueStatus(shownRun(run, dir)), Explanation: run.Lesson.Explanation}
	if d.Prediction, err = readPrediction(dir); err != nil {
		return nil, err
	}
	d.Comparisons, d.Answer = compared(run, d.Running())
	all, err := p.listRuns()
	if err != nil {
		return nil, err
	}
	for _, other := range all {
		if other.Lesson == d.Lesson && other.Name != d.Name && !other.Running() {
			d.Others = append(d.Others, other)
		}
	}
	return d, nil
}

// compared are the comparisons of a run, and its answer: the first of them that compares two paths, or where the lesson
// makes no comparison, its fastest path.
func compared(run *result.Run, goesOn bool) (all []outcome.Comparison, answer *web.Answer) {
	for _, plan := range run.Lesson.Comparisons {
		c := outcome.Compare(run, plan)
		if answer == nil && c.Outcome != outcome.Inconclusive {
			answer = winner(c)
		}
		if goesOn && !c.Outcome.Concludes() {
			c.Outcome, c.Reason = notYet, outcome.Reason{}
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		answer = fastest(run)
	}
	if goesOn {
		answer = nil
	}
	return all, answer
}

// winner is the answer of a comparison of two paths, nil where it isn't one or has no ratio.
func winner(c outcome.Comparison) *web.Answer {
	switch {
	case c.Of == nil || c.To == nil || c.Of.Path == c.To.Path:
		return nil
	case c.Ratio.N == 0 || c.Ratio.Center <= 0 || c.Metric.Better == metric.Neither:
		return nil
	}
	better, other, ratio := c.Of.Path, c.To.Path, c.Ratio.Center
	if c.Metric.Better == metric.Less {
		ratio = 1 / ratio
	}
	if ratio < 1 {
		better, other, ratio = other, better, 1/ratio
	}
	return &web.Answer{Text: c.Plan.Text, Path: better, Other: other, Ratio: &ratio, Outcome: c.Outcome, Reason: c.Reason}
}

// fastest is the path with the most transactions a second at the largest latency of the run's last experiment, beside
// direct, or where that is direct, beside the next.
func fastest(run *result.Run) *web.Answer {
	tps, err := metric.Find("tps")
	if err != nil {
		return nil
	}
	cells := lastCells(run)
	cells = slices.DeleteFunc(cells, func(c *result.Cell) bool { _, ok := tps.Middle(c); return !ok })
	if len(cells) < 2 {
		return nil
	}
	slices.SortStableFunc(cells, func(a, b *result.Cell) int {
		v, _ := tps.Middle(a)
		w, _ := tps.Middle(b)
		return cmp.Compare(w, v)
	})
	best, other := cells[0], cells[1]
	for _, c := range cells[1:] {
		if c.Path == "direct" {
			other = c
		}
	}
	text := "TPS: " + outcome.Name(best) + ", to " + outcome.Name(other)
	return winner(outcome.Comparison{
		Plan:    lesson.Comparison{Text: text},
		Metric:  tps,
		Of:      best,
		To:      other,
		Ratio:   outcome.RatioOf(run, tps, best, other),
		Outcome: outcome.NoInterval,
	})
}

// lastCells are those of the run's last experiment at its largest latency.
func lastCells(run *result.Run) []*result.Cell {
	if len(run.Cells) == 0 {
		return nil
	}
	last := run.Cells[len(run.Cells)-1]
	largest := last.Latency.MS()
	for _, c := range run.Cells {
		if c.Experiment == last.Experiment {
			largest = max(largest, c.Latency.MS())
		}
	}
	var cells []*result.Cell
	for i := range run.Cells {
		if c := &run.Cells[i]; c.Experiment == last.Experiment && c.Latency.MS() == largest {
			cells = append(cells, c)
		}
	}
	return cells
}
