package report

import (
	"fmt"
	"strconv"
	"strings"

	"pooler-lab/internal/result"
)

// lines shows a section a group, in it a line a cell: what a run is shown as that fits no grid.
func lines(run *result.Run, groups []string) string {
	text, notes := "", notesOf(run)
	for _, g := range groups {
		connects := find(run, func(c *result.Cell) bool { return c.Group == g && c.Workload == "connect" }) != nil
		t := &table{left: 5, gap: 1, headings: [][]string{
			{"", "", "", "", "", "round ", "", "", "p50 ", "p99 "},
			{"path", "latency", "workload", "protocol", "rate", "trip ms ", "clients ", "TPS ", "ms ", "ms "}}}
		if connects {
			t.headings[0] = append(t.headings[0], "connect ", "+ 1st ")
			t.headings[1] = append(t.headings[1], "ms ", "stmt ms ")
		}
		t.headings[0] = append(t.headings[0], "", "", "")
		t.headings[1] = append(t.headings[1], "x ", "errors ", "flags")
		for _, p := range run.Paths {
			if p.Unavailable != "" {
				t.addAcross(p.Name, notes.row(p))
			}
			for i := range run.Cells {
				if c := &run.Cells[i]; c.Group == g && c.Path == p.Name {
					t.add(cellLine(run, c, connects)...)
				}
			}
		}
		text += fmt.Sprintf("\nGroup %s\n%s", g, t)
	}
	return text + notes.text()
}

func cellLine(run *result.Run, c *result.Cell, connects bool) []string {
	rate := "max"
	if c.Rate > 0 {
		rate = number(c.Rate) + "/s"
	}
	row := []string{c.Path, c.Latency.String(), c.Workload, c.Protocol, rate, roundTripOf(c), strconv.Itoa(c.Clients) + " "}
	figures := []figure{{of: tps}, {of: latency}, {of: tail}}
	if connects {
		figures = append(figures, figure{of: median("pg_connect")}, figure{of: median("pg_connect_first_statement")})
	}
	for _, f := range figures {
		row = append(row, f.shown(c))
	}
	row = append(row, figureOf(c).shownRatio(c, base(run, c)))
	return append(row, errorsAndFlags([]*result.Cell{c})...)
}

// tail is the 99th percentile of what latency is the median of.
func tail(r *result.Repeat) (float64, bool) {
	for _, metric := range []string{"pg_response", "pg_statement"} {
		if t, ok := r.Measured.Trends[metric]; ok && t.Count > 0 {
			return t.P99, true
		}
	}
	return 0, false
}

func join(words []string) string { return strings.Join(words, " ") }
