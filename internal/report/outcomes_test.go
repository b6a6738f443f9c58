package report

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// pick makes a selector of JSON text.
func pick(text string) (s lesson.Selector) {
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		panic(err)
	}
	return s
}

// pooling is a run of a lesson with comparisons and findings: experiments that differ in clients, pool size and role,
// more metrics than fit a line, six blocks in one experiment and one in the other.
func pooling() *result.Run {
	run := newRun()
	run.Blocks, run.ID, run.Lesson.Name, run.Lesson.Title = 6, "20261121T161200Z-03-pooling", "03-pooling", "Pooling"
	run.Lesson.Question, run.Lesson.Explanation = "When does PgBouncer pay?", "Memory and locks follow the number of "+
		"backends, not of clients."
	run.Paths = []result.Path{{Name: "direct"}, {Name: "pgbouncer-transaction"},
		{Name: "yugabyte", Unavailable: "its image cannot be had"}}
	for _, clients := range []int{10, 100} {
		slower := float64(clients) / 10
		work(run, "direct", clients, 0, 6, 200/slower, clients)
		for _, size := range []int{10, 20} {
			work(run, "pgbouncer-transaction", clients, size, 6, 180+float64(size), size)
		}
	}
	for _, role := range []string{"app", "app_trust"} {
		for i, path := range []string{"direct", "pgbouncer-transaction"} {
			c := add(run, "connect", path, lesson.WithoutProxy, measured(1, 0.1, 11, 5/float64(1+i), 0))
			c.Role, c.Wanted = role, 1
		}
	}
	many := pick(`{"experiment": "fixed", "path": "pgbouncer-transaction", "clients": 100, "pool_size": 10}`)
	direct := pick(`{"experiment": "fixed", "path": "direct", "clients": 100}`)
	once := pick(`{"experiment": "connect", "path": "pgbouncer-transaction", "role": "app_trust"}`)
	two := 2.0
	run.Lesson.Comparisons = []lesson.Comparison{{Name: "many", Text: "PgBouncer with a pool of 10 to direct, 100 clients",
		Metric: "tps", Of: many, To: direct},
		{Name: "connect", Text: "connecting to PgBouncer to connecting to PostgreSQL, no password", Metric: "connect",
			Of: once,
			To: pick(`{"experiment": "connect", "path": "direct", "role": "app_trust"}`)},
		{Name: "huge", Text: "the same with 4000 clients", Metric: "tps", Of: pick(`{"clients": 4000, "pool_size": 10}`),
			To: direct}}
	run.Lesson.Experiments = []result.Experiment{{Name: "fixed",
		Text: "50 transactions for each client, connecting included"}}
	run.Lesson.Study = &lesson.Study{Title: "PgBouncer, light connection pooler", Source: "2023",
		Setup: "4 CPUs and 8 GB for everything.",
		Figures: []lesson.StudyFigure{{What: "TPC-B, 100 clients, direct", Value: "168.89 TPS", Metric: "tps", Of: direct},
			{What: "TPC-B, 100 clients, PgBouncer", Value: "163.72 TPS", Metric: "tps", Of: many},
			{What: "TPC-B, 4000 clients, direct", Value: "11.38 TPS", Metric: "tps",
				Of: pick(`{"clients": 4000}`)}, {What: "all connected, 500 clients", Value: "8187 ms"}},
		Findings: []lesson.Finding{
			{Name: "many", Text: "PgBouncer wins with many clients",
				All: []lesson.Condition{{Metric: "tps", Of: many, To: direct, Is: "more"}}},
			{Name: "cheap", Text: "connecting to PgBouncer takes less than 2 ms",
				All: []lesson.Condition{{Metric: "connect", Of: once, Is: "less", Than: &two}}},
			{Name: "locks", Text: "with few clients the locks are the same",
				All: []lesson.Condition{{Metric: "locks", Of: pick(`{"path": "direct", "clients": 10}`),
					To: pick(`{"path": "direct", "clients": 100}`), Is: "more"}}},
			{Name: "huge", Text: "with 4000 clients it wins by far",
				All: []lesson.Condition{{Metric: "tps", Of: pick(`{"experiment": "four-thousand"}`), To: direct, Is: "more"}}}}}
	return run
}

// work adds a cell in which each client did a fixed number of transactions.
func work(run *result.Run, path string, clients, size, repeats int, tps float64, backends int) {
	c := add(run, "fixed", path, lesson.WithoutProxy)
	c.Clients, c.PoolSize, c.Workload, c.Transactions, c.Rate, c.Wanted = clients, size, "tpcb", 50, 0, repeats
	c.Metrics = []string{"tps", "tps_with_connect", "mean", "connected_seconds", "memory_database_mb",
		"memory_per_backend_mb", "backends", "locks", "waiting"}
	for i := range repeats {
		r := measured(1+i, 0.1, tps+float64(i), 0, 1000/tps)
		r.Measured.Finish = &result.Finish{ConnectedSeconds: 0.01 * float64(clients), Connected: clients, Seconds: 9,
			TPSWithConnect: 0.9 * tps, TPS: tps + float64(i)}
		locks := 7 * backends
		r.Nodes = []result.Node{{Service: "primary", MaxBackends: backends, MaxLocks: &locks}}
		r.Resources.Containers = []result.Container{{Service: "primary", MemoryMB: 50 + 4*float64(backends)}}
		c.Add(r)
	}
	if clients == 100 && size == 20 {
		c.Repeats[2].Flags = []result.Flag{{Kind: result.FlagHost, Text: "because"}}
	}
}

func TestPooling(t *testing.T) {
	golden(t, "pooling.txt", brief(pooling()))
	golden(t, "pooling-details.txt", detailed(pooling()))
	fits(t, brief(pooling()), width)
	fits(t, detailed(pooling()), wideWidth)
}

func TestVerdict(t *testing.T) {
	run := pooling()
	golden(t, "verdict.txt", Verdict(run, outcome.All(run)))
	run.Lesson.Comparisons, run.Lesson.Study = nil, nil
	if got := Verdict(run, outcome.All(run)); !strings.Contains(got, "\nThe lesson makes no comparison: ") {
		t.Errorf("a lesson without comparisons says\n%s", got)
	}
}

func TestOutcomes(t *testing.T) {
	for name, want := range map[string]int{"reproduced": 0, "not-reproduced": 1, "flagged": 2} {
		run, err := result.Read("../outcome/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		code := 0
		if err := verdicts[outcome.All(run).Overall()]; err != nil {
			code = err.(*verdictError).ExitCode()
		}
		if code != want {
			t.Errorf("%s: the exit status is %d, it should be %d", name, code, want)
		}
	}
}

// A reader of a verdict alone learns what its flags mean.
func TestVerdictExplainsItsFlags(t *testing.T) {
	run := pooling()
	cell := find(run, func(c *result.Cell) bool { return c.Path == "direct" && c.Clients == 100 })
	cell.Repeats[0].Flags = []result.Flag{{Kind: result.FlagHost}, {Kind: result.FlagWarmup}}
	text := Verdict(run, outcome.All(run))
	for _, kind := range []string{"host", "warm-up"} {
		if !strings.Contains(text, "\n"+kind+" ") {
			t.Errorf("%s isn't explained:\n%s", kind, text)
		}
	}
	if none := flagLegend(nil); none != "" {
		t.Errorf("nothing is flagged, and it explains %q", none)
	}
}

// A flag that is no veto leaves a ratio its outcome, with a star and the reason for the star.
func TestAFlagThatChangesNothing(t *testing.T) {
	run := pooling()
	cell := find(run, func(c *result.Cell) bool { return c.Path == "direct" && c.Clients == 100 })
	cell.Repeats[0].Flags = []result.Flag{{Kind: result.FlagErrors}}
	for line := range strings.Lines(Verdict(run, outcome.All(run))) {
		if strings.HasPrefix(strings.TrimSpace(line), "higher ") && strings.Contains(line, "* ") {
			return
		}
	}
	t.Errorf("no comparison is starred and higher:\n%s", Verdict(run, outcome.All(run)))
}

func TestSettingsStandAboveTheTable(t *testing.T) {
	run := newRun()
	c := add(run, "throughput", "direct", lesson.WithoutProxy, measured(1, 0.1, 100, 0, 1))
	c.Settings = map[string]map[string]string{"standby": {"hot_standby_feedback": "off",
		"max_standby_streaming_delay": "30s"}}
	_, shared := result.Differ([]*result.Cell{c})
	if want := "standby.hot_standby_feedback=off standby.max_standby_streaming_delay=30s"; !slices.Contains(shared, want) {
		t.Errorf("said is %q, wanted %q", shared, want)
	}
}
