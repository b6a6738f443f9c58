package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// claims are the run's headlines, what stands beside the study's figures, and whether its shapes hold; empty where the
// lesson claims nothing.
func claims(run *result.Run) string {
	c := outcome.All(run)
	return headlines(c.Headlines) + sights(run, c.Figures) + shapes(c.Shapes)
}

// Verdict is the run's headlines and shapes alone.
func Verdict(run *result.Run, c outcome.Claims) string {
	text := fmt.Sprintf("%s: %s\n", run.ID, run.Lesson.Question)
	if len(c.Headlines)+len(c.Shapes) == 0 {
		return text + "The lesson claims nothing: its figures are a table to look at (scripts/report).\nA lesson that claims something: scripts/run 01-connect\n"
	}
	text += headlines(c.Headlines) + shapes(c.Shapes)
	return text + flagLegend(text) + counts(run)
}

// flagged finds what a verdict says of flagged cells, and in it the words of each one's flags.
var flagged = regexp.MustCompile(`flagged \(([^()]*)\)`)

// flagLegend says what the flags stand for that verdicts name.
func flagLegend(text string) string {
	var words []string
	for _, found := range flagged.FindAllStringSubmatch(strings.Join(strings.Fields(text), " "), -1) {
		for _, cell := range strings.Split(found[1], ";") {
			words = append(words, strings.Fields(cell[strings.LastIndex(cell, ":")+1:])...)
		}
	}
	slices.Sort(words)
	if len(words) == 0 {
		return ""
	}
	b := new(strings.Builder)
	b.WriteByte('\n')
	explainFlags(b, "", slices.Compact(words))
	return b.String()
}

func headlines(verdicts []outcome.Verdict) string {
	if len(verdicts) == 0 {
		return ""
	}
	t := &table{left: 1, gap: 2, headings: [][]string{{"verdict", "ratio ", "95 % interval", "of"}}}
	for _, v := range verdicts {
		ratio, interval := "-", "-"
		if v.Ratio.N > 0 {
			ratio = metric.RatioText(v.Ratio.Center)
		}
		if v.Ratio.Known() {
			interval = v.Ratio.Text(metric.RatioText)
		}
		if strings.HasPrefix(v.Why, "flagged") {
			ratio += "*"
		} else {
			ratio += " "
		}
		t.add(v.Word, ratio, interval, reason(fmt.Sprintf("%s (%s)", v.Says, v.Comparison.Metric), v.Why))
	}
	return "\nHeadlines, each the ratio of two cells' figures within a block\n" + t.String()
}

// reason adds why to text.
func reason(text, why string) string {
	if why == "" {
		return text
	}
	return text + ": " + why
}

// sights sets the study's figures beside those seen here. They are from other machines: their shape counts.
func sights(run *result.Run, figures []outcome.Sight) string {
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
	t := &table{left: 2, gap: 2, headings: [][]string{{"there", "here", "what"}}}
	for _, f := range figures {
		here, what := f.Text(), f.What
		if f.Seen.N == 0 && len(here) > 24 {
			here, what = "-", reason(f.What, here)
		}
		t.add(f.Said, here, what)
	}
	return b.String() + t.String()
}

func shapes(judgements []outcome.Judgement) string {
	if len(judgements) == 0 {
		return ""
	}
	t := &table{left: 1, gap: 2, headings: [][]string{{"verdict", "shape of the study"}}}
	for _, j := range judgements {
		t.add(j.Word, reason(j.Says, j.Why))
	}
	return "\n" + t.String()
}
