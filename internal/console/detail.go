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

// notYetDone is the outcome of a comparison while its run goes on.
const notYetDone = "not yet"

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
func compared(run *result.Run, goesOn bool) (all []web.Comparison, answer *web.Answer) {
	for _, c := range run.Lesson.Comparisons {
		v := outcome.Compare(run, c)
		shown := shownComparison(v)
		undecided := v.Word == outcome.CantSay || v.Word == outcome.NoInterval || v.Word == outcome.NotAsked
		if goesOn && undecided {
			shown.Outcome, shown.Why = notYetDone, ""
		}
		all = append(all, shown)
		if answer == nil && v.Word != outcome.CantSay { // what is inconclusive isn't what came out
			answer = winner(v)
		}
	}
	if len(all) == 0 {
		answer = fastest(run)
	}
	if goesOn {
		answer = nil
	}
	return all, answer
}

func shownComparison(v outcome.Verdict) web.Comparison {
	shown := web.Comparison{Name: v.Name, Text: v.Says, Outcome: v.Word, Why: v.Why}
	if v.Ratio.N > 0 {
		shown.Ratio = &v.Ratio.Center
	}
	if v.Ratio.Known() {
		shown.Lo, shown.Hi = &v.Ratio.Lo, &v.Ratio.Hi
	}
	return shown
}

// winner is the answer of a comparison of two paths, nil where it isn't one or has no ratio.
func winner(v outcome.Verdict) *web.Answer {
	switch {
	case v.Of == nil || v.To == nil || v.Of.Path == v.To.Path:
		return nil
	case v.Ratio.N == 0 || v.Ratio.Center <= 0 || v.Figure.Better == metric.Neither:
		return nil
	}
	better, other, ratio := v.Of.Path, v.To.Path, v.Ratio.Center
	if v.Figure.Better == metric.Less {
		ratio = 1 / ratio
	}
	if ratio < 1 {
		better, other, ratio = other, better, 1/ratio
	}
	return &web.Answer{Text: v.Says, Path: better, Other: other, Ratio: &ratio, Outcome: v.Word, Why: v.Why}
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
	return winner(outcome.Verdict{
		Comparison: lesson.Comparison{Says: text},
		Figure:     tps,
		Of:         best,
		To:         other,
		Ratio:      outcome.Summary(tps.Ratios(best, other)),
		Word:       outcome.NoInterval,
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
