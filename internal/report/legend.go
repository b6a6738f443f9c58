package report

import (
	"fmt"
	"slices"
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
	"latency":   "the round trip was not what was asked, within 1.5 ms or 10 %",
	"throttled": "a CPU budget stopped a component in 10 % or more of the periods, so this latency holds waits for CPU",
	"uncounted": "the servers' own counts could not be read",
	"warm-up":   "not all clients were ready when the measured window opened",
}

// legend explains what stands in the table and nothing else.
func legend(run *result.Run, body string) string {
	var b strings.Builder
	b.WriteString("\n")
	if strings.Contains(body, "round trip") {
		b.WriteString("round trip: a SELECT 1 on a warm connection of that path, before load, median\n")
	}
	if slices.ContainsFunc(run.Cells, func(c result.Cell) bool { return c.Path == "direct" }) {
		b.WriteString("x: ratio to the direct path at the same latency, within the same block\n")
	}
	var words []string
	for i := range run.Cells {
		words = append(words, flagsOf(&run.Cells[i])...)
	}
	slices.Sort(words)
	words = slices.Compact(words)
	if len(words) > 0 {
		b.WriteString("*: a flagged figure, no verdict can rest on it\n")
	}
	for _, w := range words {
		fmt.Fprintf(&b, "  %-10s %s\n", w, meanings[w])
	}
	return b.String()
}
