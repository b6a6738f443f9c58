package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pooler-lab/internal/result"
)

// meanings say what each flag's word stands for.
var meanings = map[string]string{
	"counts":    "k6 and the servers counted different numbers of transactions",
	"errors":    "statements or connects failed; run.json counts them by SQLSTATE",
	"few":       "too few transactions for a median",
	"generator": "k6 itself used nearly all of the host's CPU",
	"host":      "the host's CPU was full: the figure says more about this machine than about the path",
	"late":      "more than 1 % of the paced turns began late or never",
	"latency":   "the round trip was not what was asked, within 1.5 ms or 10 %: it stands, starred, in its column",
	"throttled": "a CPU budget stopped a component in 10 % or more of the periods, so this latency holds waits for CPU",
	"uncounted": "the servers' own counts could not be read",
	"warm-up":   "not all clients were ready when the measured window opened",
}

// reading says how to understand the table: what the lesson explains, and how little a single repeat proves.
func reading(run *result.Run) string {
	var b strings.Builder
	if run.Lesson.Explanation != "" {
		b.WriteString("\n")
		paragraph(&b, "", run.Lesson.Explanation)
	}
	least, most, one := 0.0, 0.0, false
	for _, c := range run.Cells {
		if c.Wanted == 1 {
			if !one {
				least = c.Seconds
			}
			one, least, most = true, min(least, c.Seconds), max(most, c.Seconds)
		}
	}
	if one {
		length := seconds(least)
		if most > least {
			length += " to " + seconds(most)
		}
		b.WriteString("\n")
		paragraph(&b, "", "One repeat of "+length+" s each: the table shows the lab at work and proves no claim; --repeats 6 runs each "+
			"cell six times, in six shuffled blocks.")
	}
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
	}
	if slices.ContainsFunc(run.Cells, func(c result.Cell) bool { return c.Path == "direct" }) {
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
	for _, w := range words {
		paragraph(&b, fmt.Sprintf("  %-10s ", w), meanings[w])
	}
	return b.String()
}

// explain explains the columns of a group. Its cells ask the same, or the line says what each of them asks.
func explain(b *strings.Builder, run *result.Run, group string) {
	for i, f := range figuresOf(firstOf(run, group)) {
		var all []string
		for j := range run.Cells {
			if c := &run.Cells[j]; c.Group == group {
				if m := figuresOf(c)[i].meaning; !slices.Contains(all, m) {
					all = append(all, m)
				}
			}
		}
		name := map[string]string{"+ 1st": "+ 1st stmt", "latency": "latency p50"}[f.heading]
		if name == "" {
			name = f.heading
		}
		paragraph(b, name+": ", strings.Join(all, "; or "))
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
