package metric

import "pooler-lab/internal/result"

// poolers are what stood between the clients and the database.
func poolers() []Metric {
	return []Metric{
		{Name: "memory_pooler_mb", Heading: "memory pooler", Unit: "MB", Better: Less, kind: counted, of: memory(isPooler),
			Meaning: "most memory of the path's pooler"},
		{Name: "memory_per_client_mb", Heading: "memory a client", Unit: "MB", Better: Less, kind: counted,
			of:      per(memory(isPooler), clients),
			Meaning: "memory of the path's pooler / clients"},
		{Name: "cpu_pooler", Heading: "CPU pooler", Unit: "CPUs", Better: Less, of: cpus(isPooler),
			Meaning: "CPU seconds a second of the path's pooler"},
		{Name: "throttled_pooler", Heading: "throttled pooler", Unit: "share", Better: Less, of: throttled(isPooler),
			Meaning: "share of the periods in which its CPU limit stopped the pooler"},
		{Name: "waiting", Heading: "clients waiting", Better: Less, kind: counted,
			of:      pooler(func(p *result.Pooler) *int { return p.MaxWaiting }),
			Meaning: "most clients that waited at the pooler for a server connection at once"},
		{Name: "max_wait", Heading: "longest wait", Unit: "ms", Better: Less,
			of:      pooler(func(p *result.Pooler) *float64 { return p.MaxWaitMS }),
			Meaning: "longest that a client had waited at the pooler for a server connection"},
	}
}

func clients(c *result.Cell, _ *result.Repeat) (float64, bool) { return float64(c.Clients), true }

// pooler reads what the path's pooler told, where it can tell.
func pooler[T int | float64](of func(*result.Pooler) *T) reading {
	return func(_ *result.Cell, r *result.Repeat) (float64, bool) {
		if r.Pooler == nil || of(r.Pooler) == nil {
			return 0, false
		}
		return float64(*of(r.Pooler)), true
	}
}

// traffic is what went over the wire, and what went wrong.
func traffic() []Metric {
	return []Metric{
		{Name: "copy_mb_s", Heading: "COPY throughput", Unit: "MB/s", Better: More, kind: sampled, of: copied,
			Meaning: "megabytes a second between clients and their end of the path, both directions together"},
		{Name: "round_trips", Heading: "round trips", Unit: "per iteration", Better: Less, kind: counted,
			of:      per(counter("pg_round_trips"), transactions),
			Meaning: "times that a client sent something and waited for the answer, for each transaction"},
		{Name: "errors", Heading: "errors", Better: Less, kind: counted, of: errors(""),
			Meaning: "statements and connects that failed, warm-up included"},
	}
}

func copied(c *result.Cell, r *result.Repeat) (float64, bool) {
	sent, ok := counter("pg_bytes_sent")(c, r)
	received, _ := counter("pg_bytes_received")(c, r)
	if !ok || r.Measured.WindowSeconds == 0 {
		return 0, false
	}
	return (sent + received) / 1e6 / r.Measured.WindowSeconds, true
}

func transactions(_ *result.Cell, r *result.Repeat) (float64, bool) {
	return float64(r.Measured.Transactions), true
}

// counter is a sum within the window; one that nobody added to is 0 where others were kept.
func counter(metric string) reading {
	return func(_ *result.Cell, r *result.Repeat) (float64, bool) {
		return r.Measured.Counters[metric], len(r.Measured.Counters) > 0
	}
}

// errors counts those of a code, whatever the phase, or all of them.
func errors(code string) reading {
	return func(_ *result.Cell, r *result.Repeat) (n float64, _ bool) {
		for _, e := range r.Measured.Errors {
			if code == "" || e.Code == code {
				n += float64(e.Count)
			}
		}
		return n, true
	}
}
