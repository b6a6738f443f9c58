package report

import (
	"fmt"
	"strconv"
	"strings"

	"pooler-lab/internal/result"
)

// lines shows a section a group, in it a line a cell: what a run is shown as that fits no grid.
func lines(run *result.Run, groups []string) string {
	text := ""
	for n, g := range groups {
		t := &table{left: 5, headings: [][]string{
			{"", "", "", "", "", "round trip", "", "", "p50", "p99", "connect", "", "", ""},
			{"path", "latency", "workload", "protocol", "rate", "ms", "clients", "TPS", "ms", "ms", "ms", "x", "errors", "flags"}}}
		for _, p := range run.Paths {
			if p.Unavailable != "" && n == 0 {
				t.addAcross(p.Name, "not available: "+p.Unavailable)
			}
			for i := range run.Cells {
				if c := &run.Cells[i]; c.Group == g && c.Path == p.Name {
					t.add(cellLine(run, c)...)
				}
			}
		}
		text += fmt.Sprintf("\nGroup %s\n%s", g, t)
	}
	return text
}

func cellLine(run *result.Run, c *result.Cell) []string {
	rate := "max"
	if c.Rate > 0 {
		rate = number(c.Rate) + "/s"
	}
	row := []string{c.Path, c.Latency.String(), c.Workload, c.Protocol, rate, roundTripOf(c), strconv.Itoa(c.Clients)}
	for _, f := range []figure{{of: tps}, {of: latency}, {of: tail}, {of: median("pg_connect")}} {
		v, ok := f.middle(c)
		switch {
		case !ok && c.Status == result.Failed:
			row = append(row, "failed")
		case !ok:
			row = append(row, "-")
		default:
			row = append(row, number(v))
		}
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
