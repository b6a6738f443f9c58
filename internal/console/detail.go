package console

import (
	"path/filepath"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// A RunDetail is a run with what was predicted and what came out.
type RunDetail struct {
	RunEntry
	Explanation string      `json:"explanation"`
	Prediction  *Prediction `json:"prediction"`
	Outcome     *Outcome    `json:"outcome"`
	Verdicts    []Verdict   `json:"verdicts"`
	Others      []RunEntry  `json:"others"` // of the same lesson, to be put beside it
}

// An Outcome is which of two paths does better, and how many times: of the first claim of the lesson that compares two,
// or where it claims nothing of the kind, of its last group at the largest latency.
type Outcome struct {
	Says   string  `json:"says"`
	Path   string  `json:"path"`
	Other  string  `json:"other"`
	Factor float64 `json:"factor"` // 1 or more
	Word   string  `json:"word"`
	Why    string  `json:"why"`
}

// A Verdict is what came out of a claim.
type Verdict struct {
	Name  string   `json:"name"`
	Says  string   `json:"says"`
	Ratio *float64 `json:"ratio"`
	Lo    *float64 `json:"lo"` // of its interval, null where it has none
	Hi    *float64 `json:"hi"`
	Word  string   `json:"word"`
	Why   string   `json:"why"`
}

// runDetail puts a run's together.
func (p *parts) runDetail(name string) (*RunDetail, error) {
	run, err := p.readRun(name)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(p.results(), name)
	d := &RunDetail{RunEntry: p.truly(entryOf(run, dir)), Explanation: run.Lesson.Explanation, Verdicts: []Verdict{}, Others: []RunEntry{}}
	if d.Prediction, err = readPrediction(dir); err != nil {
		return nil, err
	}
	for _, h := range run.Lesson.Comparisons {
		v := outcome.Compare(run, h)
		d.Verdicts = append(d.Verdicts, verdictOf(v))
		if d.Outcome == nil && v.Outcome != outcome.Inconclusive { // nothing came out
			d.Outcome = winner(v)
		}
	}
	if d.Outcome == nil && len(run.Lesson.Comparisons) == 0 {
		d.Outcome = fastest(run)
	}
	all, err := p.runEntries()
	if err != nil {
		return nil, err
	}
	for _, e := range all {
		if e.Lesson == d.Lesson && e.Name != d.Name && e.Status != string(result.Running) {
			d.Others = append(d.Others, e)
		}
	}
	return d, nil
}

func verdictOf(v outcome.Comparison) Verdict {
	told := Verdict{Name: v.Plan.Name, Says: v.Plan.Says, Word: v.Outcome.String(), Why: v.Reason.String()}
	if v.Ratio.N > 0 {
		told.Ratio = &v.Ratio.Center
	}
	if v.Ratio.Known() {
		told.Lo, told.Hi = &v.Ratio.Lo, &v.Ratio.Hi
	}
	return told
}

// winner is the outcome of a comparison of two paths, nil where it isn't one or has no ratio.
func winner(v outcome.Comparison) *Outcome {
	if v.Of == nil || v.To == nil || v.Of.Path == v.To.Path || v.Ratio.N == 0 || v.Ratio.Center <= 0 || v.Metric.Better == metric.Neither {
		return nil
	}
	o := &Outcome{Says: v.Plan.Says, Path: v.Of.Path, Other: v.To.Path, Factor: v.Ratio.Center,
		Word: v.Outcome.String(), Why: v.Reason.String()}
	if v.Metric.Better == metric.Less {
		o.Factor = 1 / o.Factor
	}
	if o.Factor < 1 {
		o.Path, o.Other, o.Factor = o.Other, o.Path, 1/o.Factor
	}
	return o
}

// fastest is the path with the most transactions a second at the largest latency of the run's last group, beside direct,
// or where that is direct, beside the next.
func fastest(run *result.Run) *Outcome {
	tps, err := metric.Find("tps")
	if err != nil || len(run.Cells) == 0 {
		return nil
	}
	last := run.Cells[len(run.Cells)-1]
	largest := last.Latency.MS()
	for _, c := range run.Cells {
		if c.Experiment == last.Experiment {
			largest = max(largest, c.Latency.MS())
		}
	}
	var best, next, direct *result.Cell
	more := func(a, b *result.Cell) bool {
		if b == nil {
			return true
		}
		v, _ := tps.Middle(a)
		w, _ := tps.Middle(b)
		return v > w
	}
	for i := range run.Cells {
		c := &run.Cells[i]
		if _, ok := tps.Middle(c); !ok || c.Experiment != last.Experiment || c.Latency.MS() != largest {
			continue
		}
		if c.Path == "direct" {
			direct = c
		}
		switch {
		case more(c, best):
			best, next = c, best
		case more(c, next):
			next = c
		}
	}
	if direct == nil || direct == best {
		direct = next
	}
	if best == nil || direct == nil {
		return nil
	}
	v := outcome.Comparison{
		Plan:   lesson.Comparison{Says: "TPS: " + outcome.Name(best) + ", to " + outcome.Name(direct)},
		Metric: tps, Of: best, To: direct,
		Ratio: outcome.Summary(tps.Ratios(best, direct)), Outcome: outcome.NoInterval,
	}
	return winner(v)
}
