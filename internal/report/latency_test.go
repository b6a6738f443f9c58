package report

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

// repeats is how often the latency's claimed cells ran.
const repeats = 6

// latency is a run of an invented lesson in which nearly everything that a report shows is there.
func latency() *result.Run {
	started := time.Date(2026, 11, 21, 16, 12, 0, 0, time.UTC)
	ended := started.Add(4*time.Minute + 31*time.Second)
	run := &result.Run{Version: result.Version, ID: "20261121T161200Z-02-latency", Status: result.Finished,
		Started: started, Ended: &ended,
		Seed: 4224954960, Blocks: repeats, Lesson: latencyLesson(), Manifest: latencyManifest(), Paths: latencyPaths()}
	for _, ms := range []int{-1, 0, 1, 10, 20, 100} {
		for n, path := range []string{"direct", "pgbouncer-transaction", "pgpool"} {
			run.Cells = append(run.Cells, throughput(path, ms, n))
		}
	}
	run.Cells = append(run.Cells, throughput("pgbouncer-transaction-near-app", 10, 1))
	for _, path := range []string{"direct", "pgpool"} {
		for _, ms := range []int{0, 20} {
			run.Cells = append(run.Cells, waiting(path, ms))
		}
	}
	failed := result.Cell{Cell: cellOf("throughput", "pgpool", 200), Status: result.Failed,
		Reason: "the path doesn't lead where it says: " +
			"<script>alert(1)</script> had to be primary, standby", Repeats: []result.Repeat{}}
	run.Cells = append(run.Cells, failed)
	return run
}

func latencyPaths() []result.Path {
	return []result.Path{
		{Name: "direct", Meaning: "client to primary over TCP, nothing between", Services: []string{"primary"}},
		{Name: "pgbouncer-transaction", Services: []string{"pgbouncer", "primary"}},
		{Name: "pgbouncer-transaction-near-app", Services: []string{"pgbouncer", "primary"}},
		{Name: "pgpool", Services: []string{"pgpool", "primary", "standby"}, Balances: true},
		{Name: "yugabyte", Services: []string{"yugabyte"},
			Unavailable: "its image yugabytedb/yugabyte:2025.2 can't be pulled"},
	}
}

// pick makes a selector of JSON text.
func pick(text string) (s lesson.Selector) {
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		panic(err)
	}
	return s
}

func latencyLesson() result.Lesson {
	at := func(path, ms string) lesson.Selector {
		return pick(fmt.Sprintf(`{"experiment": "throughput", "path": %q, "latency_ms": %s}`, path, ms))
	}
	two, half := 2.0, 0.5
	return result.Lesson{About: lesson.About{Name: "02-latency", Title: "Latency and throughput",
		Question: "What does network latency do to throughput, and what wins it back?",
		Prediction: "Ten clients, one statement an iteration: how many transactions a second are left " +
			"at 10 ms of round trip, " +
			"and how many at 100 ms?",
		Explanation: "A client that waits for each answer can't have more than one statement under way, so ten clients do " +
			"no more than ten statements a round trip, whatever stands between.",
		File: "k6/lessons/02-latency.js", SHA256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		Comparisons: []lesson.Comparison{
			{Name: "slower", Text: "Throughput at 10 ms against none", Metric: "tps", Of: at("direct", "10"),
				To: at("direct", "0")},
			{Name: "pooled", Text: "PgBouncer against direct, without latency", Metric: "tps",
				Of: at("pgbouncer-transaction", "null"), To: at("direct", "null")},
			{Name: "near", Text: "PgBouncer near the application against near the database", Metric: "tps",
				Of: at("pgbouncer-transaction-near-app", "10"), To: at("pgbouncer-transaction", "10")},
			{Name: "balanced", Text: "Pgpool-II against direct, without latency", Metric: "tps", Of: at("pgpool", "null"),
				To: at("direct", "null")},
		},
		Study: &lesson.Study{Title: "PostgreSQL network latency does make a big difference", Source: "CYBERTEC, 2020",
			Setup: "Read-only pgbench, 10 clients, 20 s. The author's 10 ms is one way: 20 ms of round trip in our words.",
			Figures: []lesson.StudyFigure{{What: "no delay", Value: "8813 TPS", Metric: "tps", Of: at("direct", "null")},
				{What: "10 ms of delay", Value: "461 TPS", Metric: "tps", Of: at("direct", "20")},
				{What: "more delay", Value: "'dropped 100 times'"}},
			Findings: []lesson.Finding{
				{Name: "falls", Text: "Throughput falls to less than half at 10 ms of round trip.",
					All: []lesson.Condition{{Metric: "tps", Of: at("direct", "10"), To: at("direct", "0"), Is: "less", Than: &half}}},
				{Name: "doubles", Text: "Pgpool-II does twice as much as direct without latency.",
					All: []lesson.Condition{{Metric: "tps", Of: at("pgpool", "null"), To: at("direct", "null"), Is: "more",
						Than: &two}}},
				{Name: "cannot", Text: "At 200 ms Pgpool-II does less than at 100 ms.",
					All: []lesson.Condition{{Metric: "tps", Of: at("pgpool", "200"), To: at("pgpool", "100"), Is: "less"}}},
				{Name: "far", Text: "With 4000 clients it is another matter.", All: []lesson.Condition{{Metric: "tps",
					Of: pick(`{"experiment": "four-thousand"}`), Is: "less", Than: &two}}},
			}},
		LeftOut: []string{"four-thousand"},
		Charts: []lesson.Chart{
			{Title: "Transactions a second over latency", Kind: "lines", Metric: "tps", X: "latency_ms", Series: "path",
				Of: pick(`{"experiment": "throughput"}`), Ceiling: true, Log: "xy",
				Note: "Both axes are logarithmic: a straight line down means that twice the round trip halves the throughput."},
			{Title: "Response time over latency", Kind: "lines", Metric: "p50", X: "latency_ms", Series: "path",
				Of: pick(`{"experiment": "throughput"}`), Log: ""},
			{Title: "Transactions a second without latency", Kind: "bars", Metric: "tps", X: "path", Series: "",
				Of: pick(`{"experiment": "throughput", "latency_ms": null}`)},
			{Title: "Transactions a second, far and near", Kind: "bars", Metric: "tps", X: "latency_ms", Series: "path",
				Of: pick(`{"experiment": "throughput"}`)},
			{Title: "Where the server waits", Kind: "stack", Parts: []string{"waits"}, X: "path", Series: "latency_ms",
				Of: pick(`{"experiment": "waits"}`)},
			{Title: "What a connect is made of", Kind: "stack", Parts: []string{"dial", "tls", "auth"}, X: "path",
				Of: pick(`{"experiment": "waits", "latency_ms": 20}`)},
		}},
		Experiments: []result.Experiment{{Name: "waits", Text: "Where does the server wait?"}}}
}

func latencyManifest() result.Manifest {
	return result.Manifest{Scale: 10, MaxConnections: map[string]string{"primary": "600", "standby": "600"},
		Authentication: []result.Login{
			{Role: "app", Method: "scram-sha-256, 4096 iterations", Paths: []string{"direct", "pgbouncer-transaction"}},
		},
		Versions: map[string]string{"primary": "PostgreSQL 17.11 (Debian 17.11-0+deb13u1)", "pgbouncer": "PgBouncer 1.24.1",
			"pgpool": "4.6.1", "k6": "v2.2.0", "toxiproxy": "2.12.0", "lab": "(devel) go1.26"},
		Host: result.Host{CPUs: 2, MemoryBytes: 8 << 30, Kernel: "6.1.0-40-amd64", Arch: "amd64"},
		Limits: []result.Limit{
			{Of: "nodes", Services: []string{"primary", "standby"}, CPUs: "0.5", Memory: "1g"},
			{Of: "poolers", Services: []string{"pgbouncer"}, CPUs: "0.5", Memory: "512m"},
		}}
}

// cellOf is a cell of the latency; -1 ms is without the proxy.
func cellOf(experiment, path string, ms int) lesson.Cell {
	c := lesson.Cell{Experiment: experiment, Path: path, Workload: "select", Clients: 10, Protocol: "prepared",
		Shared: lesson.Shared{Seconds: 3, Warmup: 1}, Wanted: repeats, Role: "app"}
	if ms >= 0 {
		c.Latency, c.Link = lesson.Number(float64(ms)), map[string]string{"direct": "client-primary",
			"pgbouncer-transaction":          "client-pgbouncer",
			"pgbouncer-transaction-near-app": "pgbouncer-primary", "pgpool": "client-pgpool"}[path]
	}
	c.ID = experiment + "." + path + "." + c.Latency.String() + ".select.10c.prepared"
	return c
}

// throughput is a cell whose figures follow from its latency; n makes its path slower. 100 ms and more ran once.
func throughput(path string, ms, n int) result.Cell {
	c := result.Cell{Cell: cellOf("throughput", path, ms), Status: result.Planned}
	if ms >= 100 {
		c.Wanted = 1
	}
	c.Metrics = []string{"tps", "p50"}
	trip := float64(max(ms, 0)) + 0.05*float64(n+1)
	if ms >= 0 {
		trip += 0.12 + 0.04*float64(ms)
	}
	if path == "direct" && ms == 0 {
		c.Add(result.Repeat{Block: 1, Position: 1, Attempt: 1, Status: result.Rejected, Reason: "12 % of the host's CPU " +
			"time was stolen: the hypervisor gave it to other virtual " +
			"machines", Flags: []result.Flag{{Kind: result.FlagStolen}}})
	}
	for b := range c.Wanted {
		noise := 1 + 0.03*math.Sin(float64(7*b+3*n+ms))
		tps := noise * 10000 / (trip + 0.9 + 0.25*float64(n))
		c.Add(repeat(b+1, trip, tps, 10000/tps))
	}
	if path == "pgpool" && ms == -1 {
		c.Repeats[2].Flags = []result.Flag{{Kind: result.FlagHost, Text: "the host's CPUs were 97 % busy"}}
	}
	return c
}

func repeat(block int, trip, tps, ms float64) result.Repeat {
	return result.Repeat{Block: block, Position: 1, Attempt: 1, Status: result.OK,
		RoundTrip: &result.RoundTrip{SetMS: math.Floor(trip), MeasuredMS: trip, Samples: 50},
		Measured: &result.Measured{WindowSeconds: 3, Transactions: int64(3 * tps), TPS: tps, Trends: map[string]result.Trend{
			"pg_statement": {Count: int64(3 * tps), Med: ms, P95: 2 * ms, P99: 3 * ms}}},
		Nodes: []result.Node{{Service: "primary", Samples: 30, Hz: 10, CostMS: 0.4, CostShare: 0.004}}}
}

// waiting is a cell with what its server waited for, and with errors.
func waiting(path string, ms int) result.Cell {
	c := result.Cell{Cell: cellOf("waits", path, ms), Status: result.Planned}
	c.Wanted, c.Metrics = 1, []string{"dial", "auth", "tps", "mean", "wait:CPU", "wait:Net/Delay", "throttled_database",
		"memory_database_mb", "memory_per_backend_mb", "backends", "locks", "errors:57P01"}
	slow := float64(ms) / 20
	r := repeat(1, float64(ms)+0.2, 400, 3)
	r.Nodes[0].Waits = []result.Wait{{Event: "CPU", Share: 0.55 - 0.5*slow}, {Event: "Net/Delay", Share: 0.15 + 0.5*slow},
		{Event: "Client:ClientRead", Share: 0.06 + 0.2*slow}, {Event: "IO:WALSync",
			Share: 0.14 - 0.12*slow}, {Event: "LWLock:WALWrite", Share: 0.1 - 0.08*slow}}
	for metric, ms := range map[string]float64{"pg_connect_dial": 0.2, "pg_connect_tls": 0, "pg_connect_auth": 5.1 +
		slow*40} {
		r.Measured.Trends[metric] = result.Trend{Count: 20, Med: ms, P95: ms, P99: ms}
	}
	r.Measured.Errors = []result.Error{{Code: "57P01", Phase: "measure", Count: 2,
		Message: `terminating connection due to "administrator" <command>`}}
	r.Flags = []result.Flag{{Kind: result.FlagErrors, Text: "2 statements failed"}}
	c.Add(r)
	return c
}
