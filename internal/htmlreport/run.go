package htmlreport

import (
	"slices"

	"pooler-lab/internal/chart"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// A runPage is what the report of one run shows, from the top to the bottom.
type runPage struct {
	Run         *result.Run
	Machine     string
	Alerts      []string
	Parts       []part
	Reach       reach
	Comparisons []comparison
	Pairs       []pairChart // of the comparisons whose cells ran side by side
	Within      string      // what a ratio is of
	Findings    []finding
	Tally       string
	LeftOut     string
	Paths       chart.Drawing
	Charts      []Chart
	MarksMean   string
	Tables      []Table
	Legend      []Term
	Study       study
	Failures    Table
	Blocked     Table
	Rejected    Table
	Errors      Table
	Flags       []Term
	Manifest    []Term
	Sampling    Table
}

// A part is a section of the page.
type part struct{ ID, Name string }

// Run makes the report of a run.
func Run(run *result.Run) ([]byte, error) {
	all := outcome.All(run)
	p := runPage{
		Run: run, Machine: machine(run), Alerts: alerts(run),
		Paths: paths(run), Charts: charts(run), MarksMean: marksOf(run),
		Tables: tables(run), Legend: legend(run), Study: studyOf(run.Lesson.Study, all.Figures),
		Failures: failures(run), Blocked: blockedPairs(run), Rejected: rejected(run), Errors: errorTable(run),
		Flags:    flagTerms(run),
		Manifest: manifestOf(run), Sampling: sampling(run),
	}
	p.Comparisons, p.Reach = comparisons(all.Comparisons)
	p.Pairs = pairCharts(all.Comparisons)
	p.Within = ratiosAre(run)
	p.Findings, p.Tally = findings(all.Findings)
	p.LeftOut = all.LeftOutText()
	p.Parts = p.parts()
	return render("run", run.Lesson.Name+": "+run.Lesson.Question, p)
}

// parts lists those sections that the page has.
func (p runPage) parts() []part {
	all := []struct {
		part
		has bool
	}{
		{part{"outcome", "What came out"}, true},
		{part{"paths", "Paths"}, p.Paths.ID != ""},
		{part{"charts", "Charts"}, len(p.Charts) > 0},
		{part{"why", "Why"}, p.Run.Lesson.Explanation != ""},
		{part{"figures", "Figures"}, true},
		{part{"study", "The study"}, p.Study.Study != nil},
		{part{"trouble", "What went wrong"}, p.Troubled()},
		{part{"manifest", "How it was measured"}, true},
	}
	var parts []part
	for _, s := range all {
		if s.has {
			parts = append(parts, s.part)
		}
	}
	return parts
}

// Troubled says whether something went wrong, or is to be careful with.
func (p runPage) Troubled() bool {
	return len(p.Failures.Rows)+len(p.Blocked.Rows)+len(p.Rejected.Rows)+len(p.Errors.Rows)+len(p.Flags) > 0
}

// alerts are what a reader has to know before any figure.
func alerts(run *result.Run) []string {
	var all []string
	often := slices.ContainsFunc(run.Cells, func(c result.Cell) bool { return c.Wanted >= outcome.Fewest })
	if status, why, ok := run.Unended(); ok {
		all = append(all, sentence(string(status))+": "+why+".")
	}
	if changed := run.Lesson.Override.Describe(); changed != "" {
		all = append(all, "Not as the lesson has it: "+changed+".")
	}
	if !often && outcome.SideBySide(run) == 0 {
		all = append(all, "No cell ran six times: these figures show the lab at work and support no conclusion.")
	}
	if run.NotRestored != "" {
		all = append(all, "The latencies set before the run could not be put back: "+run.NotRestored)
	}
	return all
}
