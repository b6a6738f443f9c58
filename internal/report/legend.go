package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// reading says how to understand the table: what the lesson explains, and how little a single repeat shows.
func reading(run *result.Run) string {
	var b strings.Builder
	if run.Lesson.Explanation != "" {
		b.WriteString("\n")
		paragraph(&b, "", run.Lesson.Explanation)
	}
	var lengths []float64 // of cells that run once
	for _, c := range run.Cells {
		if c.Wanted == 1 && c.Paired == 0 {
			lengths = append(lengths, c.Seconds)
		}
	}
	if len(lengths) == 0 {
		return b.String()
	}
	length := seconds(slices.Min(lengths))
	if most := slices.Max(lengths); most > slices.Min(lengths) {
		length += " to " + seconds(most)
	}
	text := "Each cell ran once, for " + length + " s: the table shows the lab at work and supports no conclusion. " +
		"--repeats 6 runs each cell six times, in six shuffled blocks."
	if len(lengths) < len(run.Cells) {
		text = fmt.Sprintf("%d of %d cells ran once, for %s s: they show where to look and support no conclusion. "+
			"--repeats 6 runs each cell six times.", len(lengths), len(run.Cells), length)
	}
	b.WriteString("\n")
	paragraph(&b, "", text)
	return b.String()
}

func seconds(s float64) string { return strconv.FormatFloat(s, 'f', -1, 64) }

// legend explains what stands in the table and nothing else.
func legend(run *result.Run, isGrid bool) string {
	var b strings.Builder
	b.WriteString("\n")
	paragraph(&b, "round trip: ", metric.RoundTripMeaning(run))
	if isGrid {
		for _, e := range run.ByExperiment() {
			explain(&b, e.Cells)
		}
	} else {
		explainAll(&b, run)
	}
	if compares(run) {
		text := "to the direct path's figure at the same latency"
		switch n := mostRepeats(run); {
		case outcome.SideBySide(run) > 0:
			text += ": where both ran side by side, the mean of the middle 70 % of their groups' ratios; else the median of " +
				"each block's own ratio; not the quotient of the figures shown"
		case n > 1:
			text += fmt.Sprintf(": the median over %d blocks of each block's own ratio, "+
				"not the quotient of the medians shown", n)
		}
		paragraph(&b, "ratio: ", text)
	}
	if endingOf(run).errors {
		paragraph(&b, "errors: ", "statements and connects that failed in the measured windows")
	} else {
		paragraph(&b, "errors: ", "none in the measured windows")
	}
	kinds := flagsOf(run)
	if len(kinds) > 0 {
		paragraph(&b, "*: ", "a flagged figure, or a ratio to or of one. "+
			"Outcomes allow for how far each flag can have moved it")
	}
	explainFlags(&b, "  ", kinds)
	return b.String()
}

// explainFlags says what the kinds of flags stand for.
func explainFlags(b *strings.Builder, indent string, kinds []result.FlagKind) {
	for _, kind := range kinds {
		paragraph(b, fmt.Sprintf("%s%-10s ", indent, kind), kind.Meaning())
	}
}

// explain explains the columns of an experiment. What its clients do stands with the first: all do the same, or it says
// what each of them does.
func explain(b *strings.Builder, cells []*result.Cell) {
	for i, f := range metric.For(cells[0]) {
		var all []string
		for _, c := range cells {
			text := f.MeaningIn(c)
			if i == 0 {
				text += ": " + demand(c)
			}
			if !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
		paragraph(b, f.Heading+": ", strings.Join(all, "; or "))
	}
}

// explainAll explains each metric of the run once; what its clients do stands above their tables.
func explainAll(b *strings.Builder, run *result.Run) {
	var said []string
	for i := range run.Cells {
		c := &run.Cells[i]
		for _, f := range metricsOf([]*result.Cell{c}) {
			text := f.Heading + ": " + f.MeaningIn(c)
			if !slices.Contains(said, text) {
				said = append(said, text)
				paragraph(b, f.Heading+": ", f.MeaningIn(c))
			}
		}
	}
}

// mostRepeats is how many repeats that count the cell with the most of them has.
func mostRepeats(run *result.Run) int {
	most := 0
	for _, c := range run.Cells {
		n := 0
		for _, r := range c.Repeats {
			if r.Status == result.OK {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// flagsOf are the kinds of all flags of the run, each once.
func flagsOf(run *result.Run) []result.FlagKind {
	var kinds []result.FlagKind
	for i := range run.Cells {
		kinds = append(kinds, run.Cells[i].Flags()...)
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}
