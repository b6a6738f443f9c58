package htmlreport

import (
	"strings"
	"testing"

	"pooler-lab/internal/result"
)

// TestOneSessionsNodesAreCounted has a client with one session through Pgpool-II, and one that connects each time.
func TestOneSessionsNodesAreCounted(t *testing.T) {
	run := fixture()
	for _, workload := range []string{"plain", "reconnectEach"} {
		shares := map[string][]int64{"plain": {0, 1000, 1000, 0, 0, 1000}, "reconnectEach": {500}}[workload]
		c := result.Cell{Cell: cellOf("drawn", "pgpool", -1)}
		c.ID, c.Workload, c.Clients, c.Wanted = workload, workload, 1, len(shares)
		c.Metrics = []string{"standby_share", "p50"}
		for i, standby := range shares {
			r := repeat(i+1, 0.2, 900, 1)
			r.Measured.Counters = map[string]float64{"pg_iterations": 1000}
			if workload == "reconnectEach" {
				r.Measured.Counters["pg_opening_iterations"] = 1000
			}
			r.Shares = []result.Share{{Role: "primary", Selects: 1000 - standby}, {Role: "standby", Selects: standby}}
			c.Add(r)
		}
		run.Cells = append(run.Cells, c)
	}
	page, err := Run(run)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"standby in 3 of 6 repeats", ">50.0<", "each iteration of reconnectEach connects",
		"in how many repeats the standby answered", "share of the SELECTs that the standby answered",
		"from before its connect to the end of its last statement"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("%q is missing on the page", want)
		}
	}
}
