package report

import (
	"fmt"
	"slices"
	"strings"

	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// once says how little a single repeat shows, where cells ran once.
func once(run *result.Run) string {
	alone := 0 // cells that run once, beside no other
	for _, c := range run.Cells {
		if c.Wanted == 1 && c.Paired == 0 {
			alone++
		}
	}
	switch alone {
	case 0:
		return ""
	case len(run.Cells):
		return "Each cell ran once: this shows the lab at work and supports no conclusion.\n"
	}
	return fmt.Sprintf("%d of %d cells ran once: they show where to look and support no conclusion.\n", alone,
		len(run.Cells))
}

// legend explains what stands in the table and nothing else.
func legend(run *result.Run) string {
	var b strings.Builder
	b.WriteString("\n")
	paragraph(&b, "round trip: ", metric.RoundTripMeaning(run))
	explain(&b, run)
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
			"A flag vetoes an outcome or is a note beside it: see docs/limits.md")
	}
	explainFlags(&b, "  ", kinds)
	paragraph(&b, "seed: ", fmt.Sprintf("%d, of the order in which cells ran", run.Seed))
	return b.String()
}

// explainFlags says what the kinds of flags stand for.
func explainFlags(b *strings.Builder, indent string, kinds []result.FlagKind) {
	for _, kind := range kinds {
		paragraph(b, fmt.Sprintf("%s%-10s ", indent, kind), kind.Meaning())
	}
}

// explain explains each metric of the run once.
func explain(b *strings.Builder, run *result.Run) {
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
