package report

import (
	"fmt"
	"slices"
	"strings"

	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// outcomes are the run's comparisons, what stands beside the study's figures, and which findings it reproduces; empty
// where the lesson has none of them.
func outcomes(run *result.Run) string {
	all := outcome.All(run)
	return comparisons(run, all.Comparisons) + studyFigures(run, all.Figures) + findings(all.Findings) + leftOut(all)
}

// Verdict is the run's comparisons and findings alone.
func Verdict(run *result.Run, all outcome.Outcomes) string {
	text := fmt.Sprintf("%s: %s\n", run.ID, run.Lesson.Question)
	if len(all.Comparisons)+len(all.Findings) == 0 {
		return text + "The lesson makes no comparison: its figures are a table to look at (scripts/report).\n" +
			"A lesson that makes some: scripts/run 01-connect\n"
	}
	return text + comparisons(run, all.Comparisons) + findings(all.Findings) + leftOut(all) + flagLegend(all.Flags()) +
		counts(run)
}

// flagLegend says what the flags stand for that outcomes name.
func flagLegend(kinds []result.FlagKind) string {
	if len(kinds) == 0 {
		return ""
	}
	b := new(strings.Builder)
	b.WriteByte('\n')
	slices.Sort(kinds)
	explainFlags(b, "", slices.Compact(kinds))
	return b.String()
}

// comparisons leave out those whose experiment the run did: see leftOut.
func comparisons(run *result.Run, all []outcome.Comparison) string {
	t := &table{left: 1, gap: 2, headings: [][]string{{"outcome", "ratio ", "95 % interval", "of"}}}
	for _, c := range all {
		if c.Reason.LeftOut != "" {
			continue
		}
		ratio, interval := "-", "-"
		if c.Ratio.N > 0 {
			ratio = metric.RatioText(c.Ratio.Center)
		}
		if c.Ratio.Known() {
			interval = c.Ratio.Text(metric.RatioText)
		}
		ratio += star(len(c.Reason.Flags) > 0)
		t.add(c.Text(), ratio, interval,
			reason(fmt.Sprintf("%s (%s)", c.Plan.Text, metricAndHow(c)), c.Reason.String()))
	}
	if len(t.rows) == 0 {
		return ""
	}
	within := "within a block"
	if outcome.SideBySide(run) > 0 {
		within += ", or within a group of slots where they ran side by side"
	}
	return "\nComparisons, each the ratio of two cells' figures " + within + "\n" + t.String()
}

// metricAndHow is the comparison's metric, and how that was measured where there are several ways.
func metricAndHow(c outcome.Comparison) string {
	if c.Ratio.How == "" {
		return c.Plan.Metric
	}
	return c.Plan.Metric + "; " + c.Ratio.How
}

// star stands after a flagged figure, and a space in its place after others.
func star(flagged bool) string {
	if flagged {
		return "*"
	}
	return " "
}

// reason adds why to text.
func reason(text, why string) string {
	if why == "" {
		return text
	}
	return text + ": " + why
}

// studyFigures sets the study's figures beside those seen here. They are from other machines: who wins can agree, sizes
// can't.
func studyFigures(run *result.Run, figures []outcome.StudyFigure) string {
	if run.Lesson.Study == nil {
		return ""
	}
	s := run.Lesson.Study
	var b strings.Builder
	b.WriteString("\n")
	paragraph(&b, "The study: ", fmt.Sprintf("%s (%s). %s", s.Title, s.Source, s.Setup))
	if len(figures) == 0 {
		return b.String()
	}
	t := &table{left: 2, gap: 2, headings: [][]string{{"the study", "here", "what"}}}
	for _, f := range figures {
		here, what := f.String(), f.Plan.What
		if f.Seen.N == 0 && len(here) > 24 {
			here, what = "-", reason(what, here)
		}
		t.add(f.Plan.Value, here, what)
	}
	return b.String() + t.String()
}

func findings(all []outcome.Finding) string {
	t := &table{left: 2, gap: 2, headings: [][]string{{"outcome", "of", "finding"}}}
	for _, f := range all {
		if f.Reason.LeftOut != "" {
			continue
		}
		whose := "the study"
		if f.Own {
			whose = "the lab"
		}
		t.add(f.Outcome.String(), whose, reason(f.Plan.Text, f.Reason.String()))
	}
	if len(t.rows) == 0 {
		return ""
	}
	return "\n" + t.String()
}

// leftOut says which of the lesson's comparisons and findings the run wasn't made for.
func leftOut(all outcome.Outcomes) string {
	text := all.LeftOutText()
	if text == "" {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n")
	paragraph(&b, "", text)
	return b.String()
}
