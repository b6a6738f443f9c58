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
	found, err := metric.Find(plan.Metric)
	switch {
	case plan.Metric == "" || plan.Of == nil:
		f.Reason.Text = "not measured here"
		return f
	case err != nil:
		f.Reason.Text = err.Error()
		return f
	}
	c, none := one(run, plan.Of)
	if f.Metric, f.Cell = found, c; c != nil {
		f.Seen, f.Flags = Summary(found.Values(c)), found.Flags(c)
	}
	switch {
	case f.Seen.N > 0:
	case none.Outcome == NotInThisRun:
		f.Reason.Text = none.Outcome.String()
	case none.Outcome != "":
		f.Reason = none.Reason
	default:
		f.Reason = noValue(run, found, c, nil).Reason
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
