package report

import (
	"encoding/json"

	"pooler-lab/internal/lesson"
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
