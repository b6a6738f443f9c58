package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// reading says how to understand the table: what the lesson explains, and how little a single repeat proves.
func reading(run *result.Run) string {
	var b strings.Builder
	if run.Lesson.Explanation != "" {
		b.WriteString("\n")
		paragraph(&b, "", run.Lesson.Explanation)
	}
	var lengths []float64 // of cells that run once
	for _, c := range run.Cells {
		if c.Wanted == 1 {
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
	text := "One repeat of " + length + " s each: the table shows the lab at work and proves no claim; --repeats 6 runs each " +
		"cell six times, in six shuffled blocks."
	if len(lengths) < len(run.Cells) {
		text = fmt.Sprintf("%d of %d cells ran once, for %s s: they show where to look and carry no claim; --repeats 6 runs each cell six times.",
			len(lengths), len(run.Cells), length)
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
	paragraph(&b, "round trip: ", "a SELECT 1 on a warm connection of that path, before load, median")
	if isGrid {
		for _, g := range groupsOf(run) {
			explain(&b, run, g)
		}
	} else {
		explainAll(&b, run)
	}
	if compares(run) {
		text := "ratio to the direct path at the same latency"
		if n := mostRepeats(run); n > 1 {
			text += fmt.Sprintf(": the median over %d blocks of each block's own ratio, not the quotient of the medians shown", n)
		}
		paragraph(&b, "x: ", text)
	}
	paragraph(&b, "errors: ", "statements and connects that failed")
	words := flagWords(run)
	if len(words) > 0 {
		paragraph(&b, "*: ", "a flagged figure, or a ratio to or of one: no verdict can rest on it")
	}
	explainFlags(&b, "  ", words)
	return b.String()
}

// explainFlags says what the words of flags stand for.
func explainFlags(b *strings.Builder, indent string, words []string) {
	for _, w := range words {
		paragraph(b, fmt.Sprintf("%s%-10s ", indent, w), result.FlagMeanings[w])
	}
}

// explain explains the columns of a group. What its cells ask stands with the first: all ask the same, or it says what
// each of them asks.
func explain(b *strings.Builder, run *result.Run, group string) {
	for i, f := range metric.For(firstOf(run, group)) {
		var all []string
		for j := range run.Cells {
			c := &run.Cells[j]
			text := f.MeaningIn(c)
			if i == 0 {
				text += ": " + demand(c)
			}
			if c.Experiment == group && !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
		paragraph(b, f.Heading+": ", strings.Join(all, "; or "))
	}
}

// explainAll explains each figure of the run once; what its cells ask stands above their tables.
func explainAll(b *strings.Builder, run *result.Run) {
	var said []string
	for i := range run.Cells {
		c := &run.Cells[i]
		for _, f := range figuresOf([]*result.Cell{c}) {
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

// flagWords are all flags of the run, each once.
func flagWords(run *result.Run) []string {
	var words []string
	for i := range run.Cells {
		words = append(words, flagsOf(&run.Cells[i])...)
	}
	slices.Sort(words)
	return slices.Compact(words)
}
