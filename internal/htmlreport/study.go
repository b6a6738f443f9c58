package htmlreport

import (
	"fmt"
	"slices"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
)

// A finding is one of the study's or of the lab's own, and whether the run reproduces it.
type finding struct {
	Says  string
	Own   bool // the lab's, and not the study's
	Badge badge
}

// findings are those found, and in one line how many of them are reproduced.
func findings(found []outcome.Finding) (all []finding, tally string) {
	counts := map[outcome.Outcome]int{}
	for _, f := range found {
		if f.Reason.LeftOut != "" {
			continue
		}
		all = append(all, finding{f.Plan.Text, f.Own, badgeOf(f.Outcome, f.Reason)})
		counts[f.Outcome]++
	}
	order := []outcome.Outcome{outcome.Reproduced, outcome.NotReproduced, outcome.NoInterval, outcome.Inconclusive,
		outcome.NotInThisRun}
	return all, fmt.Sprintf("%s: %s", metric.Count(len(all), "finding"), counted(counts, order))
}

// A study is the published one that the lesson reproduces.
type study struct {
	*lesson.Study
	Table Table
}

// studyOf sets what the study's author saw beside what was seen here.
func studyOf(plan *lesson.Study, figures []outcome.StudyFigure) study {
	s := study{Study: plan}
	if s.Study == nil {
		return s
	}
	seen := slices.ContainsFunc(figures, func(f outcome.StudyFigure) bool { return f.Plan.Of != nil })
	s.Table = Table{Prose: true, Caption: "What its author saw beside what was seen here",
		Head: []Head{{Text: "figure"}, {Text: "the study", Number: true}}}
	if seen {
		s.Table.Head = append(s.Table.Head, Head{Text: "here", Number: true}, Head{Text: "measured as"})
	}
	for _, f := range figures {
		row := Row{Cells: append(words(f.Plan.What), numbers(f.Plan.Value)...)}
		if seen {
			row.Cells = append(row.Cells, seenHere(f)...)
		}
		s.Table.Rows = append(s.Table.Rows, row)
	}
	return s
}

// seenHere is what was seen here of a study's figure.
func seenHere(f outcome.StudyFigure) []Cell {
	if f.Seen.N == 0 {
		return []Cell{{Text: "-", Class: "number"}, {Text: f.Reason.String()}}
	}
	seen := Cell{Text: f.String(), Class: "number"}
	if f.Seen.Known() {
		seen.Note = f.Seen.Text(f.Metric.Text)
	}
	return []Cell{seen, {Text: fmt.Sprintf("%s of %s", f.Metric.Heading, outcome.Name(f.Cell))}}
}
