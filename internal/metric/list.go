package metric

import (
	"slices"

	"pooler-lab/internal/result"
)

// all are the metrics that have a name of their own, in the order in which people read of them.
var all = slices.Concat(rates, responses, connects, finishes, servers, poolers, traffic, ledgers)

// rates are how much got done.
var rates = []Metric{
	{Name: "tps", Heading: "TPS", Unit: "/s", Better: More, from: throughput.of(tps).inSlots(),
		Meaning: "transactions a second",
		opening: "transactions a second, each iteration with its connect"},
	{Name: "tps_with_connect", Heading: "TPS w. connect", Unit: "/s", Better: More,
		from:    throughput.of(finish(func(f *result.Finish) float64 { return f.TPSWithConnect })),
		Meaning: "transactions a second, the time to connect included"},
	{Name: "ceiling_share", Heading: "of ceiling", Unit: "share", Better: More, from: throughput.of(ceiling),
		Meaning: "TPS as a share of clients / measured round trip, which clients with " +
			"one statement an iteration can't exceed"},
}

// responses are how long clients waited for an answer: of an open loop from an iteration's intended start, of an
// iteration that connects with its connect, and else the iteration's transaction, where it has one, or its statement.
// The word latency is kept for the round trip that a link adds.
var responses = []Metric{
	response("p50", "median response time", med),
	response("p95", "95th percentile of the response time", p95),
	response("p99", "99th percentile of the response time", p99),
	response("mean", "mean response time", avg),
	duration("statement", "statement", med.of("pg_statement"),
		"median of a statement, from sending it to the end of its answer"),
	duration("transaction", "transaction", med.of("pg_transaction"),
		"median of a transaction, from BEGIN to the answer to COMMIT"),
	duration("pipeline", "pipeline", med.of("pg_pipeline"),
		"median of a pipeline: many statements sent at once, to the end of the last answer"),
	duration("pool_wait", "pool wait", med.of("pg_pool_wait"),
		"median wait for a connection of the application's own pool"),
	duration("pool_wait_p95", "pool wait p95", p95.of("pg_pool_wait"),
		"95th percentile of the waits for a connection of the application's own pool"),
}

// connects are what it takes to connect.
var connects = []Metric{
	duration("connect", "connect", med.of("pg_connect"), "from the first packet to a session that takes statements"),
	duration("connect_p95", "connect p95", p95.of("pg_connect"), "95th percentile of connects"),
	duration("connect_p99", "connect p99", p99.of("pg_connect"), "99th percentile of connects"),
	duration("connect_mean", "connect mean", avg.of("pg_connect"), "mean of connects"),
	duration("connect_first_query", "connect + first query", med.of("pg_connect_first_query"),
		"a connect and its session's first query: a pooler can answer the login without the database"),
	duration("dial", "dial", med.of("pg_connect_dial"), "median of a connect's TCP handshake"),
	duration("tls", "TLS", med.of("pg_connect_tls"), "median of a connect's TLS handshake"),
	duration("auth", "auth", med.of("pg_connect_auth"),
		"median of a connect's rest: from the startup message to a session that takes statements"),
	duration("hash", "hash", med.of("pg_connect_hash"),
		"median of the client's own hashing in a login with SCRAM: a part of auth, and longer in libpq than in k6"),
	duration("connect_without_hash", "connect without hash", med.of("pg_connect_without_hash"),
		"median of connects, each less the client's own hashing: what path and server take"),
	duration("first_connect", "first connect", firstOf("pg_connect"), "the test's first connect alone"),
	duration("first_connect_query", "first connect + query", firstOf("pg_connect_first_query"),
		"the test's first connect and its first query"),
	duration("later_connect", "later connect", laterOf("pg_connect"), "median of the connects after the test's first"),
	duration("later_connect_query", "later connect + query", laterOf("pg_connect_first_query"),
		"median of the connects after the test's first, each with its first query"),
}

// duration is a metric of milliseconds.
func duration(name, heading string, from source, meaning string) Metric {
	return Metric{Name: name, Heading: heading, Unit: "ms", Better: Less, from: from, Meaning: meaning}
}

// response is a statistic of the response times.
func response(name, what string, s statistic) Metric {
	f := duration(name, "response time "+name, s.of(responseTrends...),
		what+" of a transaction, or of a statement outside of one")
	f.open = what + ", from an iteration's intended start"
	f.opening = what + " of an iteration: from before its connect to the end of its last statement"
	return f
}

// finishes are how clients got done that had a fixed number of transactions each.
var finishes = []Metric{
	{Name: "connected_seconds", Heading: "all connected", Unit: "s", Better: Less,
		from:    whole.of(finish(func(f *result.Finish) float64 { return f.ConnectedSeconds })),
		Meaning: "time until the last client that could connect was connected"},
	{Name: "finish_seconds", Heading: "all done", Unit: "s", Better: Less,
		from:    whole.of(finish(func(f *result.Finish) float64 { return f.Seconds })),
		Meaning: "time until the last client had done all its transactions, or the deadline"},
	{Name: "starved", Heading: "starved", Better: Less,
		from:    count.of(finish(func(f *result.Finish) float64 { return float64(f.Starved) })),
		Meaning: "clients that did no transaction before the deadline"},
	{Name: "connected", Heading: "clients connected", Better: More, from: count.of(connected),
		Meaning: "clients that could connect"},
}

// servers are what the machines and the databases had to do.
var servers = []Metric{
	{Name: "memory_database_mb", Heading: "memory database", Unit: "MB", Better: Less, from: count.of(memory(isDatabase)),
		Meaning: "most memory of the path's database nodes together, shared memory that they touched included"},
	{Name: "memory_per_backend_mb", Heading: "memory a backend", Unit: "MB", Better: Less,
		from:    count.of(per(memory(isDatabase), backends)),
		Meaning: "memory of the database nodes / most backends: shared memory and the nodes' own processes included"},
	{Name: "cpu_database", Heading: "CPU database", Unit: "CPUs", Better: Less, from: usage.of(cpus(isDatabase)),
		Meaning: "CPU seconds a second of the path's database nodes together"},
	{Name: "throttled_database", Heading: "throttled database", Unit: "share", Better: Less,
		from:    usage.of(throttled(isDatabase)),
		Meaning: "share of the periods in which its CPU limit stopped a database node, of the one stopped most"},
	{Name: "context_switches", Heading: "context switches", Unit: "per iteration", Better: Less,
		from:    usage.of(per(switches, rate)),
		Meaning: "context switches of the whole host, whoever caused them, for each iteration"},
	{Name: "generator_us", Heading: "CPU client", Unit: "us", Better: Less, from: usage.of(generatorMicros),
		Meaning: "CPU time that k6, or pgbench, takes for a transaction, its start and its end included"},
	{Name: "backends", Heading: "backends", Better: Less, from: count.of(backends),
		Meaning: "most backends that served measured connections at once, all nodes together"},
	{Name: "active", Heading: "active", from: count.of(nodes(func(n *result.Node) *int { return &n.MaxActive })),
		Meaning: "most backends that were at work at once, all nodes together"},
	{Name: "locks", Heading: "locks", Better: Less,
		from:    count.of(nodes(func(n *result.Node) *int { return n.MaxLocks })),
		Meaning: "most locks that measured connections held or waited for at once, all nodes together"},
	{Name: "selects_primary", Heading: "SELECTs primary", drawn: true, from: count.of(selects("primary")),
		Meaning: "SELECTs that the pooler sent to the primary, warm-up included"},
	{Name: "selects_standby", Heading: "SELECTs standby", drawn: true, from: count.of(selects("standby")),
		Meaning: "SELECTs that the pooler sent to the standby, warm-up included"},
	{Name: "standby_share", Heading: "on standby", Unit: "share", drawn: true, from: count.of(standbyShare),
		Meaning: "share of the SELECTs that the standby answered"},
	{Name: "wait_cost", Heading: "sampling cost", Unit: "share", Better: Less, from: usage.of(waitCost),
		Meaning: "share of the window's time that a node spent on samples of its sessions, of the one that spent most"},
}

// poolers are what stood between the clients and the database.
var poolers = []Metric{
	{Name: "memory_pooler_mb", Heading: "memory pooler", Unit: "MB", Better: Less, from: count.of(memory(isPooler)),
		Meaning: "most memory of the path's pooler"},
	{Name: "memory_per_client_mb", Heading: "memory a client", Unit: "MB", Better: Less,
		from:    count.of(per(memory(isPooler), clients)),
		Meaning: "memory of the path's pooler / clients"},
	{Name: "cpu_pooler", Heading: "CPU pooler", Unit: "CPUs", Better: Less, from: usage.of(cpus(isPooler)),
		Meaning: "CPU seconds a second of the path's pooler"},
	{Name: "throttled_pooler", Heading: "throttled pooler", Unit: "share", Better: Less,
		from:    usage.of(throttled(isPooler)),
		Meaning: "share of the periods in which its CPU limit stopped the pooler"},
	{Name: "waiting", Heading: "clients waiting", Better: Less,
		from:    count.of(pooler(func(p *result.Pooler) *int { return p.MaxWaiting })),
		Meaning: "most clients that waited at the pooler for a server connection at once"},
	{Name: "max_wait", Heading: "longest wait", Unit: "ms", Better: Less,
		from:    tail.of(pooler(func(p *result.Pooler) *float64 { return p.MaxWaitMS })),
		Meaning: "longest that a client had waited at the pooler for a server connection"},
}

// traffic is what went over the wire, and what went wrong.
var traffic = []Metric{
	{Name: "copy_mb_s", Heading: "COPY throughput", Unit: "MB/s", Better: More, from: whole.of(copied).inSlots(),
		Meaning: "megabytes a second between clients and their end of the path, both directions together"},
	{Name: "round_trips", Heading: "round trips", Unit: "per iteration", Better: Less,
		from:    count.of(per(counter("pg_round_trips"), iterations)),
		Meaning: "times that a client sent something and waited for the answer, for each iteration",
		opening: "times that a client sent something and waited for the answer, for each iteration with its connect"},
	{Name: "errors", Heading: "errors", Better: Less, from: count.of(errors("")),
		Meaning: "statements and connects that failed within the window"},
	{Name: "prepared_misses", Heading: "prepared misses", Unit: "share", Better: Less, from: count.of(misses),
		Meaning: "share of the prepared statements executed within the window that the server connection didn't know " +
			"(SQLSTATE 26000); no other protocol can miss one"},
	{Name: "refused", Heading: "connects refused", Better: Less, from: count.of(refused),
		Meaning: "connects answered with SQLSTATE 53300, too many clients, from the first one on: " +
			"clients connect before the window opens"},
}

// ledgers are what clients saw of events, attempt by attempt.
var ledgers = []Metric{
	{Name: "outage", Heading: "outage", Unit: "s", Better: Less, from: whole.of(ofLedger(middleOutage)),
		Meaning: "longest time in which a client had no success: the median of the clients"},
	{Name: "outage_max", Heading: "worst outage", Unit: "s", Better: Less, from: whole.of(ofLedger(worstOutage)),
		Meaning: "longest time in which a client had no success, of the client that had the longest"},
	{Name: "lost_writes", Heading: "writes lost", Better: Less,
		from:    count.of(ofLedger(func(l *result.Ledger) float64 { return float64(l.Lost) })),
		Meaning: "writes that were acknowledged to a client and aren't there afterwards"},
	{Name: "warnings", Heading: "warnings", Better: Less,
		from:    count.of(ofLedger(func(l *result.Ledger) float64 { return float64(l.Warned) })),
		Meaning: "attempts that succeeded with a warning of the server"},
	{Name: "unreported_writes", Heading: "writes unreported", Better: Less,
		from:    count.of(ofLedger(func(l *result.Ledger) float64 { return float64(l.Unreported) })),
		Meaning: "writes that were reported to a client as failed and are there afterwards"},
}
