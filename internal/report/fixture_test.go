package report

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
	"pooler-lab/test/testkit"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden holds got against testdata/name.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		testkit.OK(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	testkit.OK(t, err)
	if got != string(want) {
		t.Errorf("%s differs: go test ./internal/report -update writes it anew, and git diff shows how", file)
	}
}

// newRun is a run without cells.
func newRun() *result.Run {
	started := time.Date(2026, 11, 21, 16, 12, 0, 0, time.UTC)
	ended := started.Add(2 * time.Minute)
	return &result.Run{Version: result.Version, ID: "20261121T161200Z-00-tour", Status: result.Finished, Started: started,
		Ended: &ended,
		Seed:  4224954960, Blocks: 1,
		Lesson: result.Lesson{About: lesson.About{Name: "00-tour",
			Question: "What does each way to the database cost, without latency and with 10 ms of it?",
			Explanation: "A connect pays several round trips and the authentication, a statement pays one round trip; " +
				"ten clients that wait for each answer can have no more than ten statements under way.",
			Charts: []lesson.Chart{
				{Title: "A connect", Kind: "bars", Metric: "connect", X: "path", Series: "latency_ms",
					Of: pick(`{"experiment": "connect"}`)},
				{Title: "Transactions a second", Kind: "bars", Metric: "tps", X: "path", Series: "latency_ms",
					Of: pick(`{"experiment": "throughput"}`)}}}},
		Manifest: result.Manifest{Scale: 10, Host: result.Host{CPUs: 2},
			Limits: []result.Limit{{Of: "nodes", CPUs: "0.5"}, {Of: "poolers", CPUs: "0.5"}}}}
}

// measured is a repeat that counts.
func measured(block int, roundTrip, tps, connect, latency float64, flags ...result.FlagKind) result.Repeat {
	r := result.Repeat{Block: block, Position: 1, Attempt: 1, Status: result.OK,
		RoundTrip: &result.RoundTrip{MeasuredMS: roundTrip},
		Measured: &result.Measured{WindowSeconds: 1.5, Transactions: int64(1.5 * tps), TPS: tps,
			Trends: map[string]result.Trend{}},
		Resources: &result.Resources{}}
	if connect > 0 {
		r.Measured.Trends["pg_connect"] = result.Trend{Count: 20, Med: connect, P99: 2 * connect}
		r.Measured.Trends["pg_connect_first_query"] = result.Trend{Count: 20, Med: connect + roundTrip, P99: 2*connect +
			roundTrip}
	}
	if latency > 0 {
		r.Measured.Trends["pg_statement"] = result.Trend{Count: 60, Med: latency, Avg: latency, P95: 2 * latency,
			P99: 3 * latency}
		r.Measured.Trends["pg_response_time"] = result.Trend{Count: 60, Med: latency + 0.1, Avg: latency + 0.1,
			P95: 2 * latency, P99: 3 * latency}
	}
	for _, kind := range flags {
		r.Flags = append(r.Flags, result.Flag{Kind: kind, Text: "because"})
	}
	return r
}

// add adds a cell of the tour with its repeats.
func add(run *result.Run, experiment, path string, latency lesson.Value, repeats ...result.Repeat) *result.Cell {
	c := lesson.Cell{ID: experiment + "." + path + "." + latency.String(), Experiment: experiment, Path: path,
		Latency:  latency,
		Workload: "select",
		Clients:  1, Protocol: "prepared", Shared: lesson.Shared{Rate: 37, Seconds: 1.5}, Wanted: run.Blocks}
	switch experiment {
	case "connect":
		c.Workload, c.Rate = "connect", 11
	case "throughput":
		c.Clients, c.Rate = 10, 0
	}
	cell := result.Cell{Cell: c, Status: result.Planned}
	for _, r := range repeats {
		cell.Add(r)
	}
	run.Cells = append(run.Cells, cell)
	return &run.Cells[len(run.Cells)-1]
}

// tourOf adds the tour's three cells of a path at a latency.
func tourOf(run *result.Run, path string, latency lesson.Value, roundTrip, connect, ms, tps float64,
	flags ...result.FlagKind) {
	add(run, "connect", path, latency, measured(1, roundTrip, 11, connect, 0))
	add(run, "select", path, latency, measured(1, roundTrip, 37, 0, ms))
	add(run, "throughput", path, latency, measured(1, roundTrip, tps, 0, 1, flags...))
}

// tour is a run of the whole tour, in which nearly everything that can happen to a cell happened.
func tour() *result.Run {
	run := newRun()
	for _, name := range []string{"direct", "socket", "standby", "pgbouncer-transaction", "pgbouncer-transaction-near-app",
		"pgpool"} {
		run.Paths = append(run.Paths, result.Path{Name: name})
	}
	run.Paths = append(run.Paths, result.Path{Name: "pgbouncer-yugabyte-near-app", Unavailable: "off",
		Latencies: []lesson.Value{lesson.Number(10)}}, result.Path{Name: "yugabyte", Unavailable: "its image cannot be " +
		"had: no image registry in reach, " +
		"and nothing that this line says makes it shorter than the table is wide"})
	none, ten := lesson.None, lesson.Number(10)
	tourOf(run, "direct", none, 0.06, 5.04, 0.346, 12404)
	tourOf(run, "socket", none, 0.035, 4.97, 0.26, 12388, "host", "generator", "late", "counts", "warm-up")
	tourOf(run, "pgbouncer-transaction", none, 0.1, 1.88, 0.48, 10862)
	tourOf(run, "pgpool", none, 0.2, 7.02, 0.55, 5333, "host")
	tourOf(run, "direct", ten, 10.7, 46.4, 11.5, 847)
	tourOf(run, "standby", ten, 10.7, 46.8, 11.4, 843)
	tourOf(run, "pgbouncer-transaction-near-app", ten, 10.9, 2.27, 11.9, 765)

	stolen := result.Repeat{Block: 1, Attempt: 1, Status: result.Rejected,
		Reason: "12 % of the host's CPU time was stolen: " +
			"the hypervisor gave it to other virtual machines", Flags: []result.Flag{{Kind: result.FlagStolen}}}
	last := &run.Cells[len(run.Cells)-1]
	last.Repeats[0].Attempt = 2
	last.Repeats = append([]result.Repeat{stolen}, last.Repeats...)

	failed := result.Repeat{Block: 1, Attempt: 1, Status: result.Failed,
		Reason: "the path doesn't lead where it says: the list of Pgpool-II's nodes is primary, it had to be primary, " +
			"standby"}
	add(run, "connect", "pgpool", ten, failed)
	errors := measured(1, 14.2, 12, 0, 11, "errors", "latency")
	errors.RoundTrip.SetMS = 10
	errors.Measured.Errors = []result.Error{{Code: "08006", Count: 1, Message: "connection failure"},
		{Code: "57P01", Count: 2, Message: "terminating connection due to administrator command"}}
	add(run, "select", "pgpool", ten, errors)
	add(run, "throughput", "pgpool", ten)
	run.Unfinished = run.Left()
	return run
}
