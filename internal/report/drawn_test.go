package report

import (
	"strings"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

// drawn is a run of one client through a balancer: one that keeps its session, and one that connects each time.
func drawn() *result.Run {
	run := newRun()
	run.Paths = []result.Path{{Name: "pgpool", Balances: true}}
	for _, workload := range []string{"plain", "reconnectEach"} {
		shares := map[string][]int64{"plain": {0, 1000, 1000, 0, 0, 1000}, "reconnectEach": {500}}[workload]
		cell := result.Cell{Cell: lesson.Cell{ID: workload, Experiment: "drawn", Path: "pgpool", Workload: workload,
			Clients: 1, Protocol: "simple", Seconds: 1, Wanted: len(shares), Metrics: []string{"standby_share", "p50"}}}
		for i, standby := range shares {
			r := measured(i+1, 0.2, 900, 0, 1)
			r.Measured.Counters = map[string]float64{"pg_iterations": 1000}
			if workload == "reconnectEach" {
				r.Measured.Counters["pg_opening_iterations"] = 1000
			}
			r.Shares = []result.Share{{Role: "primary", Selects: 1000 - standby}, {Role: "standby", Selects: standby}}
			cell.Add(r)
		}
		run.Cells = append(run.Cells, cell)
	}
	return run
}

func TestOneSessionsNodesAreCounted(t *testing.T) {
	table := detailed(drawn())
	for _, want := range []string{" 3 of 6 ", " 0.500 ", "each iteration of reconnectEach connects",
		"in how many repeats the standby answered", "share of the SELECTs that the standby answered",
		"of a transaction, or of a statement outside of one", "of an iteration: from before its connect to the end of its"} {
		if !strings.Contains(strings.Join(strings.Fields(table), " "), strings.TrimSpace(want)) {
			t.Errorf("%q is missing:\n%s", want, table)
		}
	}
}
