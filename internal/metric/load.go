package metric

import "pooler-lab/internal/result"

// A reading reads a metric off a repeat that measured something.
type reading = func(*result.Cell, *result.Repeat) (float64, bool)

// rates are how much got done.
func rates() []Metric {
	return []Metric{
		{Name: "tps", Heading: "TPS", Unit: "/s", Better: More, of: tps, slots: true,
			Meaning: "transactions a second",
			opening: "transactions a second, each iteration with its connect"},
		{Name: "tps_with_connect", Heading: "TPS w. connect", Unit: "/s", Better: More,
			Meaning: "transactions a second, the time to connect included",
			of:      finish(func(f *result.Finish) float64 { return f.TPSWithConnect })},
		{Name: "ceiling_share", Heading: "of ceiling", Unit: "share", of: ceiling,
			Meaning: "TPS as a share of clients / measured round trip, which clients with " +
				"one statement an iteration can't exceed"},
	}
}

// tps leaves connecting out where clients do a fixed number of transactions; none at all is then a figure, too.
func tps(_ *result.Cell, r *result.Repeat) (float64, bool) {
	if f := r.Measured.Finish; f != nil {
		return f.TPS, true
	}
	return r.Measured.TPS, r.Measured.Transactions > 0
}

func ceiling(c *result.Cell, r *result.Repeat) (float64, bool) {
	v, ok := tps(c, r)
	if !ok || r.RoundTrip == nil || c.Clients == 0 {
		return 0, false
	}
	return v * r.RoundTrip.MeasuredMS / 1000 / float64(c.Clients), true
}

// responseTrends are those of an iteration: the first that a repeat has is what it waited for.
var responseTrends = []string{"pg_response_time", "pg_transaction", "pg_statement"}

// responses are how long clients waited for an answer: of an open loop from an iteration's intended start, of an
// iteration that connects with its connect, and else the iteration's transaction, where it has one, or its statement.
// The word latency is kept for the round trip that a link adds.
func responses() []Metric {
	const closed, open = " of a transaction, or of a statement outside of one", ", from an iteration's intended start"
	const opening = " of an iteration: from before its connect to the end of its last statement"
	trends := responseTrends
	list := []Metric{
		{Name: "p50", Heading: "response time p50", Unit: "ms", Better: Less, from: trend(med, trends...),
			Meaning: "median response time" + closed, open: "median response time" + open,
			opening: "median response time" + opening},
		{Name: "p95", Heading: "response time p95", Unit: "ms", Better: Less, from: trend(p95, trends...),
			Meaning: "95th percentile of the response time" + closed, open: "95th percentile of the response time" + open,
			opening: "95th percentile of the response time" + opening},
		{Name: "p99", Heading: "response time p99", Unit: "ms", Better: Less, from: trend(p99, trends...),
			Meaning: "99th percentile of the response time" + closed, open: "99th percentile of the response time" + open,
			opening: "99th percentile of the response time" + opening},
		{Name: "mean", Heading: "response time mean", Unit: "ms", Better: Less, from: trend(avg, trends...),
			Meaning: "mean response time" + closed, open: "mean response time" + open,
			opening: "mean response time" + opening},
		{Name: "statement", Heading: "statement", Unit: "ms", Better: Less, from: trend(med, "pg_statement"),
			Meaning: "median of a statement, from sending it to the end of its answer"},
		{Name: "transaction", Heading: "transaction", Unit: "ms", Better: Less, from: trend(med, "pg_transaction"),
			Meaning: "median of a transaction, from BEGIN to the answer to COMMIT"},
		{Name: "pipeline", Heading: "pipeline", Unit: "ms", Better: Less, from: trend(med, "pg_pipeline"),
			Meaning: "median of a pipeline: many statements sent at once, to the end of the last answer"},
		{Name: "pool_wait", Heading: "pool wait", Unit: "ms", Better: Less, from: trend(med, "pg_pool_wait"),
			Meaning: "median wait for a connection of the application's own pool"},
		{Name: "pool_wait_p95", Heading: "pool wait p95", Unit: "ms", Better: Less, from: trend(p95, "pg_pool_wait"),
			Meaning: "95th percentile of the waits for a connection of the application's own pool"},
	}
	for i := range list {
		list[i].slots = true
	}
	return list
}
