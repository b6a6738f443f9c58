package outcome

import (
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// A StudyFigure is one that the study's author saw beside what was seen here.
type StudyFigure struct {
	Plan   lesson.StudyFigure
	Metric metric.Metric
	Cell   *result.Cell // nil where the lesson measures nothing of the kind, or not in this run
	Seen   Interval     // of the cell's repeats; N is 0 where there is nothing
	Flags  []result.FlagKind
	Reason Reason // nothing was seen
}

// See finds what stands beside a study's figure.
func See(run *result.Run, plan lesson.StudyFigure) StudyFigure {
	f := StudyFigure{Plan: plan}
	if plan.Metric == "" || plan.Of == nil {
		f.Reason.Text = "not measured here"
		return f
	}
	if f.Reason.Text = otherCells(run, plan.Of); f.Reason.Text != "" {
		return f
	}
	m := valueOf(run, lesson.Condition{Metric: plan.Metric, Of: plan.Of})
	if f.Metric, f.Cell = m.Metric, m.Of; f.Cell != nil {
		f.Seen, f.Flags = Summary(f.Metric.Values(f.Cell)), f.Metric.Flags(f.Cell)
	}
	switch {
	case f.Seen.N > 0:
	case m.Outcome == NotInThisRun:
		f.Reason = Reason{Text: m.Outcome.String(), LeftOut: m.Reason.LeftOut}
	default:
		f.Reason = m.Reason
	}
	return f
}

// String is the figure as it was seen here, with its unit: starred where it is flagged, or why there is none.
func (f StudyFigure) String() string {
	if f.Seen.N == 0 {
		return f.Reason.String()
	}
	text := withUnit(f.Metric.Text(f.Seen.Center), f.Metric.ShownUnit())
	if len(f.Flags) > 0 {
		text += "*"
	}
	return text
}

func withUnit(number, unit string) string {
	if unit == "" {
		return number
	}
	return number + " " + unit
}
