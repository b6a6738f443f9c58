package metric

import (
	"slices"

	"pooler-lab/internal/result"
)

// connects are what it takes to connect.
func connects() []Metric {
	first := func(m *result.Measured) map[string]result.Trend { return m.FirstConnects }
	later := func(m *result.Measured) map[string]result.Trend { return m.LaterConnects }
	list := []Metric{
		{Name: "connect", Heading: "connect", from: trend(med, "pg_connect"),
			Meaning: "from the first packet to a session that takes statements"},
		{Name: "connect_p95", Heading: "connect p95", from: trend(p95, "pg_connect"), Meaning: "95th percentile of connects"},
		{Name: "connect_p99", Heading: "connect p99", from: trend(p99, "pg_connect"), Meaning: "99th percentile of connects"},
		{Name: "connect_mean", Heading: "connect mean", from: trend(avg, "pg_connect"), Meaning: "mean of connects"},
		{Name: "connect_first_query", Heading: "connect + first query", from: trend(med, "pg_connect_first_query"),
			Meaning: "a connect and its session's first query: a pooler can answer the login without the database"},
		{Name: "dial", Heading: "dial", from: trend(med, "pg_connect_dial"), Meaning: "median of a connect's TCP handshake"},
		{Name: "tls", Heading: "TLS", from: trend(med, "pg_connect_tls"), Meaning: "median of a connect's TLS handshake"},
		{Name: "auth", Heading: "auth", from: trend(med, "pg_connect_auth"),
			Meaning: "median of a connect's rest: from the startup message to a session that takes statements"},
		{Name: "hash", Heading: "hash", from: trend(med, "pg_connect_hash"),
			Meaning: "median of the client's own hashing in a login with SCRAM: a part of auth, and longer in libpq than in k6"},
		{Name: "connect_without_hash", Heading: "connect without hash", from: trend(med, "pg_connect_without_hash"),
			Meaning: "median of connects, each less the client's own hashing: what path and server take"},
		{Name: "first_connect", Heading: "first connect", kind: sampled, from: trendIn(first, med, "pg_connect"),
			Meaning: "the test's first connect alone"},
		{Name: "first_connect_query", Heading: "first connect + query", kind: sampled,
			from:    trendIn(first, med, "pg_connect_first_query"),
			Meaning: "the test's first connect and its first query"},
		{Name: "later_connect", Heading: "later connect", from: trendIn(later, med, "pg_connect"),
			Meaning: "median of the connects after the test's first"},
		{Name: "later_connect_query", Heading: "later connect + query", from: trendIn(later, med, "pg_connect_first_query"),
			Meaning: "median of the connects after the test's first, each with its first query"},
	}
	whole := []string{"first_connect", "first_connect_query", "later_connect", "later_connect_query"} // of a test
	for i := range list {
		list[i].Unit, list[i].Better, list[i].slots = "ms", Less, !slices.Contains(whole, list[i].Name)
	}
	return list
}

// finishes are how clients got done that had a fixed number of transactions each.
func finishes() []Metric {
	return []Metric{
		{Name: "connected_seconds", Heading: "all connected", Unit: "s", Better: Less, kind: sampled,
			Meaning: "time until the last client that could connect was connected",
			of:      finish(func(f *result.Finish) float64 { return f.ConnectedSeconds })},
		{Name: "finish_seconds", Heading: "all done", Unit: "s", Better: Less, kind: sampled,
			Meaning: "time until the last client had done all its transactions, or the deadline",
			of:      finish(func(f *result.Finish) float64 { return f.Seconds })},
		{Name: "starved", Heading: "starved", Better: Less, kind: counted,
			Meaning: "clients that did no transaction before the deadline",
			of:      finish(func(f *result.Finish) float64 { return float64(f.Starved) })},
		{Name: "connected", Heading: "clients connected", Better: More, kind: counted,
			Meaning: "clients that could connect", of: connected},
	}
}

func connected(_ *result.Cell, r *result.Repeat) (float64, bool) {
	if f := r.Measured.Finish; f != nil {
		return float64(f.Connected), true
	}
	return float64(r.Measured.ClientsReady), true
}

func finish(of func(*result.Finish) float64) reading {
	return func(_ *result.Cell, r *result.Repeat) (float64, bool) {
		if r.Measured.Finish == nil {
			return 0, false
		}
		return of(r.Measured.Finish), true
	}
}
