package crosscheck

import (
	"fmt"
	"io"
	"strings"

	"pooler-lab/internal/outcome"
	"pooler-lab/internal/pgbench"
)

// pairTables prints the ratios of both programs, and then how fair and how expensive each of them is.
func pairTables(out io.Writer, pairs []*pair) {
	const ratios = "%-21s %7s %-8s %-22s %-22s %-22s %s\n"
	fmt.Fprintf(out, "\nThroughput, ratio to the direct path (95 %% interval)\n"+ratios, "path", "clients", "protocol",
		"pgbench", "k6", "k6 / pgbench", "")
	for _, p := range pairs {
		if !p.done() {
			fmt.Fprintf(out, "%-21s %7d %-8s not measured: %v\n", p.paths[pgbench.B], p.clients, p.protocol, p.err)
			continue
		}
		fmt.Fprintf(out, ratios, p.paths[pgbench.B], fmt.Sprint(p.clients), p.protocol,
			ratioText(outcome.Summary(p.pgbench.ratios())), ratioText(outcome.Summary(p.k6.ratios())),
			ratioText(p.quotient()), p.verdict())
	}
	fmt.Fprint(out, "In parentheses: not required.\n")
	const costs = "%-21s %7s %-8s %8s %8s  %8s %8s  %8s %8s %6s\n"
	fmt.Fprintf(out, "\n%-38s %17s  %17s  %24s\n"+costs, "", "transactions/s", "Jain's fairness", "CPU us a transaction",
		"path", "clients", "protocol", "pgbench", "k6", "pgbench", "k6", "pgbench", "k6", "ratio")
	for _, p := range pairs {
		if !p.done() {
			continue
		}
		byPgbench, byK6 := p.pgbench.cpuMicros(), p.k6.cpuMicros()
		fmt.Fprintf(out, costs, p.paths[pgbench.B], fmt.Sprint(p.clients), p.protocol,
			fmt.Sprintf("%.0f", p.pgbench.tps(pgbench.B)), fmt.Sprintf("%.0f", p.k6.tps(pgbench.B)),
			fmt.Sprintf("%.3f", p.pgbench.fairness(pgbench.B)), fmt.Sprintf("%.3f", p.k6.fairness(pgbench.B)),
			fmt.Sprintf("%.1f", byPgbench), fmt.Sprintf("%.1f", byK6), fmt.Sprintf("%.2f", byK6/byPgbench))
	}
	fmt.Fprint(out, "Jain's index is 1 where all clients did as much, and 1/n where one of n did everything. CPU is the "+
		"generator's own,\nof both paths together.\n")
}

// verdict is the pair's agreement for people, in parentheses where it isn't required.
func (p *pair) verdict() string {
	if p.required {
		return string(p.agreement())
	}
	return "(" + strings.ToLower(string(p.agreement())) + ")"
}

// ratioText writes a ratio with its interval.
func ratioText(ratio outcome.Interval) string {
	if !ratio.Known() {
		return fmt.Sprintf("%.3f (no interval)", ratio.Center)
	}
	return fmt.Sprintf("%.3f (%.3f to %.3f)", ratio.Center, ratio.Lo, ratio.Hi)
}
