package metric

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

func share(v float64) *float64 { return &v }

func number(v int) *int { return &v }

// found is the metric of that name.
func found(t *testing.T, name string) Metric {
	t.Helper()
	f, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// busy is a repeat that measured everything there is.
func busy() *result.Repeat {
	trends := map[string]result.Trend{}
	for i, metric := range []string{"pg_statement", "pg_transaction", "pg_pipeline", "pg_pool_wait", "pg_connect",
		"pg_connect_dial",
		"pg_connect_tls", "pg_connect_auth", "pg_connect_first_query", "pg_prepare", "pg_connect_hash",
		"pg_connect_without_hash"} {
		v := float64(i + 1)
		trends[metric] = result.Trend{Count: 5, Med: v, P95: 10 * v, P99: 11 * v, Avg: 2 * v}
	}
	one := func(v float64) map[string]result.Trend {
		return map[string]result.Trend{"pg_connect": {Count: 1, Med: v}, "pg_connect_first_query": {Count: 1, Med: v + 1}}
	}
	return &result.Repeat{Block: 1, Status: result.OK, RoundTrip: &result.RoundTrip{MeasuredMS: 10},
		Measured: &result.Measured{WindowSeconds: 2, Transactions: 100, TPS: 50, ClientsReady: 4, Trends: trends,
			Counted:       result.Counted{Transactions: 400},
			FirstConnects: one(30), LaterConnects: one(3),
			Counters: map[string]float64{"pg_bytes_sent": 1e6, "pg_bytes_received": 7e6, "pg_round_trips": 300,
				"pg_iterations": 50, "lab_missed": 20, "lab_reads": 80},
			Statements: map[string]result.Trend{"read": {Count: 9, Med: 0.7}},
			Errors: []result.Error{{Code: "53300", Count: 2}, {Code: "57014", Count: 3},
				{Code: "53300", Phase: "warmup", Count: 7}}},
		Shares: []result.Share{{Node: "primary", Role: "primary", Selects: 30},
			{Node: "standby", Role: "standby", Selects: 70}},
		Resources: &result.Resources{Switches: share(1000), GeneratorSeconds: share(0.03),
			Containers: []result.Container{{Service: "primary", CPUs: 0.5, Throttled: share(0.2), MemoryMB: 100},
				{Service: "standby", CPUs: 0.25, Throttled: share(0.1), MemoryMB: 60}, {Service: "pgpool", CPUs: 0.4,
					MemoryMB: 20}, {Service: "toxiproxy", MemoryMB: 7}}},
		Nodes: []result.Node{{Service: "primary", Samples: 30, MaxBackends: 6, MaxActive: 3, MaxLocks: number(40),
			CostShare: 0.01, Sessions: 6,
			Waits: []result.Wait{{Event: "Client:ClientRead", Share: 0.75}, {Event: "CPU", Share: 0.25}}},
			{Service: "standby", Samples: 30, MaxBackends: 4, MaxActive: 1, MaxLocks: number(2), CostShare: 0.004, Sessions: 4,
				Waits: []result.Wait{{Event: "CPU", Share: 1}}}},
		Pooler: &result.Pooler{MaxWaiting: number(5), MaxWaitMS: share(12)},
		Ledger: &result.Ledger{Lost: 6, Unreported: 7, Warned: 8,
			Outages: []result.Outage{{To: 1}, {From: 3, To: 7}, {From: 3, To: 5}}}}
}

func TestReadings(t *testing.T) {
	want := map[string]float64{"tps": 50, "ceiling_share": 0.05, "p50": 2, "p95": 20, "p99": 22, "mean": 4,
		"statement": 1, "transaction": 2, "pipeline": 3, "pool_wait": 4, "pool_wait_p95": 40, "connect": 5,
		"connect_p95": 50, "connect_p99": 55, "connect_mean": 10, "dial": 6, "tls": 7, "auth": 8, "connect_first_query": 9,
		"first_connect": 30, "first_connect_query": 31, "later_connect": 3, "later_connect_query": 4, "connected": 4,
		"memory_database_mb": 160, "memory_per_backend_mb": 16, "memory_pooler_mb": 20, "memory_per_client_mb": 2,
		"cpu_database": 0.75, "cpu_pooler": 0.4, "throttled_database": 0.2, "context_switches": 40, "generator_us": 75,
		"backends": 10, "active": 4, "locks": 42, "selects_primary": 30, "selects_standby": 70, "standby_share": 0.7,
		"wait_cost": 0.01, "waiting": 5, "max_wait": 12, "copy_mb_s": 4, "round_trips": 6, "errors": 5, "refused": 9,
		"hash": 11, "connect_without_hash": 12, "errors:53300": 2, "share:lab_missed/lab_reads": 0.25, "errors:57014": 3,
		"errors:08006": 0, "counter:pg_round_trips": 300, "counter:stale": 0, "trend:pg_prepare": 10,
		"statement:read": 0.7, "wait:Client:ClientRead": 0.75, "wait:CPU": 0.25, "wait:IO:WALSync": 0,
		"outage": 2, "outage_max": 4, "lost_writes": 6, "unreported_writes": 7, "warnings": 8}
	absent := []string{"prepared_misses", "tps_with_connect", "connected_seconds", "finish_seconds", "starved",
		"throttled_pooler", "trend:nothing", "statement:nothing", "share:lab_missed/nothing"}
	c := &result.Cell{Cell: lesson.Cell{Path: "pgpool", Clients: 10}}
	for _, f := range All() {
		if _, ok := want[f.Name]; !ok && !slices.Contains(absent, f.Name) {
			t.Errorf("nobody tests %s", f.Name)
		}
	}
	for name, v := range want {
		if got, ok := found(t, name).Of(c, busy()); !ok || math.Abs(got-v) > 1e-9 {
			t.Errorf("%s is %v (%v), it should be %v", name, got, ok, v)
		}
	}
	for _, name := range absent {
		if got, ok := found(t, name).Of(c, busy()); ok {
			t.Errorf("%s is %v, and nobody measured it", name, got)
		}
	}
}

// What a figure is depends on what else the repeat measured, and on its cell.
func TestReadingsByCircumstances(t *testing.T) {
	finish := func(_ *result.Cell, r *result.Repeat) {
		r.Measured.Finish = &result.Finish{ConnectedSeconds: 1, Connected: 9, Starved: 1, Seconds: 3, TPSWithConnect: 40}
	}
	prepared := func(transactions int64, errors ...result.Error) func(*result.Cell, *result.Repeat) {
		return func(c *result.Cell, r *result.Repeat) {
			c.Protocol, r.Measured.Transactions, r.Measured.Errors = "prepared", transactions, errors
		}
	}
	on := func(path, other string) func(*result.Cell, *result.Repeat) {
		return func(c *result.Cell, r *result.Repeat) { c.Path, r.Nodes[0].Service = path, other }
	}
	missed := []result.Error{{Code: "26000", Phase: "measure", Count: 25}, {Code: "26000", Phase: "warmup", Count: 99},
		{Code: "42P05", Phase: "measure", Count: 7}}
	for _, test := range []struct {
		name, metric string
		given        func(*result.Cell, *result.Repeat)
		want         float64 // -1: it has none
	}{
		{"fixed work leaves connecting out", "tps", finish, 0},
		{"fixed work", "tps_with_connect", finish, 40},
		{"fixed work", "connected_seconds", finish, 1},
		{"fixed work", "finish_seconds", finish, 3},
		{"fixed work", "starved", finish, 1},
		{"fixed work", "connected", finish, 9},
		{"an open loop counts from the due time", "p50", func(_ *result.Cell, r *result.Repeat) {
			r.Measured.Trends["pg_response_time"] = result.Trend{Count: 5, Med: 7}
		}, 7},
		{"locks that nobody counted on one node", "locks", func(_ *result.Cell, r *result.Repeat) {
			r.Nodes[1].MaxLocks = nil
		}, -1},
		{"the path leads to the standby", "wait:CPU", on("standby", "primary"), 1},
		{"the path leads to another server", "wait:CPU", on("yugabyte", "yugabyte"), 0.25},
		{"the path's node wasn't sampled", "wait:CPU", on("direct", "standby"), -1},
		{"a quarter missed", "prepared_misses", prepared(75, missed...), 0.25},
		{"none missed", "prepared_misses", prepared(75), 0},
		{"all missed", "prepared_misses", prepared(0, missed...), 1},
		{"nothing sent", "prepared_misses", prepared(0), -1},
	} {
		f := found(t, test.metric)
		c, r := &result.Cell{}, busy()
		test.given(c, r)
		if got, ok := f.Of(c, r); ok != (test.want >= 0) || ok && got != test.want {
			t.Errorf("%s: %s is %v (%v), it should be %v", test.name, test.metric, got, ok, test.want)
		}
	}
}

// TestNothing has no metric fail on a repeat that measured next to nothing, or has one made up.
func TestNothing(t *testing.T) {
	counts := []string{"errors", "refused", "connected"}
	for _, f := range All() {
		v, ok := f.Of(&result.Cell{}, &result.Repeat{Measured: &result.Measured{}})
		if ok != slices.Contains(counts, f.Name) {
			t.Errorf("%s of nothing is %v (%v)", f.Name, v, ok)
		}
		if _, ok := f.Of(&result.Cell{}, &result.Repeat{}); ok {
			t.Errorf("%s was measured where nothing was", f.Name)
		}
	}
}

func TestFindRefuses(t *testing.T) {
	for name, want := range map[string]string{
		"lock":    "did you mean locks?",
		"conect":  "did you mean connect?",
		"errors:": `wants a SQLSTATE or one of the lab's own codes after its colon, such as errors:53300`,
		"":        `unknown metric ""`,
	} {
		if _, err := Find(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, it should say %q", name, err, want)
		}
	}
}

func TestEveryFigureIsWhole(t *testing.T) {
	var seen []string
	for _, f := range All() {
		if f.Heading == "" || f.Meaning == "" || slices.Contains(seen, f.Name) {
			t.Errorf("%s has no heading, no meaning or a double", f.Name)
		}
		seen = append(seen, f.Name)
	}
	for _, name := range []string{"errors:1", "counter:x", "trend:x", "statement:x", "wait:x", "share:x/y"} {
		if f := found(t, name); f.Name != name || f.Heading == "" || f.Meaning == "" {
			t.Errorf("%s is %+v", name, f)
		}
	}
}

func TestFor(t *testing.T) {
	tests := []struct {
		name string
		cell lesson.Cell
		want string
	}{
		{"at capacity", lesson.Cell{Workload: "select"}, "tps"},
		{"an open loop", lesson.Cell{Workload: "select", Shared: lesson.Shared{Rate: 10}}, "p50"},
		{"connecting", lesson.Cell{Workload: "connect", Shared: lesson.Shared{Rate: 10}}, "connect connect_first_query"},
		{"a fixed number of transactions", lesson.Cell{Workload: "tpcb", Shared: lesson.Shared{Transactions: 5}},
			"tps tps_with_connect connected_seconds finish_seconds starved"},
		{"as the lesson has it", lesson.Cell{Workload: "connect",
			Shared: lesson.Shared{Metrics: []string{"auth", "of a newer program"}}}, "auth of a newer program"},
	}
	for _, test := range tests {
		var names []string
		for _, f := range For(&result.Cell{Cell: test.cell}) {
			names = append(names, f.Name)
		}
		if got := strings.Join(names, " "); got != test.want {
			t.Errorf("%s: the metrics are %s", test.name, got)
		}
	}
}

func TestFound(t *testing.T) {
	cells := []*result.Cell{{Repeats: []result.Repeat{*busy(), {Status: result.Failed}}}}
	var names []string
	for _, f := range Found(cells) {
		names = append(names, f.Name)
	}
	want := "counter:lab_missed counter:lab_reads counter:pg_bytes_received counter:pg_bytes_sent " +
		"counter:pg_iterations counter:pg_round_trips errors:53300 " +
		"errors:57014 statement:read trend:pg_prepare wait:CPU wait:Client:ClientRead"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("found are %s", got)
	}
}

// What alternates is read off what k6 measured, counters and trends, and needs nothing else of a repeat.
func TestWhatAlternatesIsOfK6Alone(t *testing.T) {
	all := busy()
	m := all.Measured
	alone := &result.Repeat{Status: result.OK, Measured: &result.Measured{WindowSeconds: m.WindowSeconds,
		Transactions: m.Transactions, TPS: m.TPS, Counters: m.Counters, Trends: m.Trends}}
	for _, f := range All() {
		v, ok := f.Of(&result.Cell{}, alone)
		if whole, _ := f.Of(&result.Cell{}, all); f.Alternates() && (!ok || v != whole) {
			t.Errorf("%s is %v of k6's counters and trends, and %v of the repeat", f.Name, v, whole)
		}
	}
	for name, want := range map[string]bool{"tps": true, "p50": true, "p95": false, "connect": true, "copy_mb_s": true,
		"errors": false, "errors:53300": false, "counter:pg_rows": true, "trend:pg_prepare": true,
		"share:lab_missed/lab_reads": false, "statement:read": false, "wait:CPU": false, "first_connect": false} {
		if f := found(t, name); f.Alternates() != want {
			t.Errorf("%s alternates: %v", name, f.Alternates())
		}
	}
}
