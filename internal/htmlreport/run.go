package htmlreport

import (
	"fmt"
	"slices"

	"pooler-lab/internal/chart"
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// A runPage is what the report of one run shows, from the top to the bottom.
type runPage struct {
	Run       *result.Run
	Machine   string
	Alerts    []string
	Parts     []part
	Reach     reach
	Headlines []headline
	Shapes    []shape
	Tally     string
	Journeys  chart.Drawing
	Charts    []Chart
	MarksMean string
	Tables    []Table
	Legend    []Term
	Study     study
	Failures  Table
	Errors    Table
	Flags     []Term
	Manifest  []Term
	Sampling  Table
}

// A part is a section of the page.
type part struct{ ID, Name string }

// A study is the published one that the lesson asks again.
type study struct {
	*lesson.Study
	Table Table
}

// Run makes the report of a run.
func Run(run *result.Run) ([]byte, error) {
	claims := outcome.All(run)
	p := runPage{Run: run, Machine: machine(run), Alerts: alerts(run), Journeys: journeys(run), Charts: charts(run), MarksMean: marksMean,
		Tables: tables(run), Legend: legend(run), Study: studyOf(run, claims), Failures: failures(run), Errors: errorTable(run), Flags: flagTerms(run),
		Manifest: manifestOf(run), Sampling: sampling(run)}
	p.Headlines, p.Reach = headlines(claims)
	p.Shapes, p.Tally = shapes(claims)
	p.Parts = p.parts()
	return render("run", run.Lesson.Name+": "+run.Lesson.Question, p)
}

// parts lists those sections that the page has.
func (p *runPage) parts() []part {
	all := []struct {
		part
		has bool
	}{
		{part{"outcome", "What came out"}, true}, {part{"paths", "Paths"}, p.Journeys.ID != ""}, {part{"charts", "Charts"}, len(p.Charts) > 0},
		{part{"why", "Why"}, p.Run.Lesson.Explanation != ""}, {part{"figures", "Figures"}, true}, {part{"study", "The study"}, p.Study.Study != nil},
		{part{"trouble", "What went wrong"}, len(p.Failures.Rows)+len(p.Errors.Rows)+len(p.Flags) > 0}, {part{"manifest", "How it was measured"}, true},
	}
	var parts []part
	for _, s := range all {
		if s.has {
			parts = append(parts, s.part)
		}
	}
	return parts
}

// alerts are what a reader has to know before any figure.
func alerts(run *result.Run) []string {
	var all []string
	wanted, once := 0, true
	for _, c := range run.Cells {
		wanted += c.Wanted
		once = once && c.Wanted < outcome.Fewest
	}
	missing := fmt.Sprintf("%d of %d repeats are missing", run.Unfinished, wanted)
	switch run.Status {
	case result.Finished:
	case result.Running:
		all = append(all, "Interrupted: the run never ended, or hasn't yet; "+missing+".")
	default:
		all = append(all, sentence(string(run.Status))+": "+run.Reason+"; "+missing+".")
	}
	if changed := run.Lesson.Override.Describe(); changed != "" {
		all = append(all, "Not as the lesson has it: "+changed+".")
	}
	if once {
		all = append(all, "No cell ran six times: these figures show the lab at work and prove no claim.")
	}
	if run.NotRestored != "" {
		all = append(all, "The latencies set before the run could not be put back: "+run.NotRestored)
	}
	return all
}

// studyOf sets what the study's author saw beside what was seen here.
func studyOf(run *result.Run, claims outcome.Claims) study {
	s := study{Study: run.Lesson.Study}
	if s.Study == nil {
		return s
	}
	seen := slices.ContainsFunc(s.Figures, func(f lesson.StudyFigure) bool { return f.Of != nil })
	s.Table = Table{Prose: true, Caption: "What its author saw beside what was seen here", Head: []Head{{Text: "figure"}, {Text: "the study", Number: true}}}
	if seen {
		s.Table.Head = append(s.Table.Head, Head{Text: "here", Number: true}, Head{Text: "measured as"})
	}
	for i, f := range s.Figures {
		row := Row{Cells: append(words(f.What), numbers(f.Said)...)}
		if seen {
			row.Cells = append(row.Cells, seenHere(claims.Figures[i])...)
		}
		s.Table.Rows = append(s.Table.Rows, row)
	}
	return s
}
