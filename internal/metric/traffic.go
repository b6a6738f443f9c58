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
		{Name: "copy_mb_s", Heading: "COPY throughput", Unit: "MB/s", Better: More, kind: sampled, of: copied, slots: true,
			Meaning: "megabytes a second between clients and their end of the path, both directions together"},
		{Name: "round_trips", Heading: "round trips", Unit: "per iteration", Better: Less, kind: counted,
			of:      per(counter("pg_round_trips"), iterations),
			Meaning: "times that a client sent something and waited for the answer, for each iteration",
			opening: "times that a client sent something and waited for the answer, for each iteration with its connect"},
		{Name: "errors", Heading: "errors", Better: Less, kind: counted, of: errors(""),
			Meaning: "statements and connects that failed within the window"},
		{Name: "prepared_misses", Heading: "prepared misses", Unit: "share", Better: Less, kind: counted, of: misses,
			Meaning: "share of the prepared statements executed within the window that the server connection didn't know " +
				"(SQLSTATE 26000); no other protocol can miss one"},
		{Name: "refused", Heading: "connects refused", Better: Less, kind: counted, of: refused,
			Meaning: "connects answered with SQLSTATE 53300, too many clients, from the first one on: " +
				"clients connect before the window opens"},
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

// iterations are those of the window; runs of a program that didn't count them have none.
func iterations(_ *result.Cell, r *result.Repeat) (float64, bool) {
	n := r.Measured.Counters["pg_iterations"]
	return n, n > 0
}

// counter is a sum within the window; one that nobody added to is 0 where others were kept.
func counter(metric string) reading {
	return func(_ *result.Cell, r *result.Repeat) (float64, bool) {
		return r.Measured.Counters[metric], len(r.Measured.Counters) > 0
	}
}

// errors counts those of a code, or all of them, in the window.
func errors(code string) reading {
	return func(_ *result.Cell, r *result.Repeat) (n float64, _ bool) {
		for _, e := range r.Measured.Errors {
			if result.InWindow(e) && (code == "" || e.Code == code) {
				n += float64(e.Count)
			}
		}
		return n, true
	}
}

// misses has transactions for the statements that found theirs: one of its own each, as lessons send prepared ones.
func misses(c *result.Cell, r *result.Repeat) (float64, bool) {
	missed, _ := errors("26000")(c, r)
	sent := missed + float64(r.Measured.Transactions)
	if c.Protocol != "prepared" || sent == 0 {
		return 0, false
	}
	return missed / sent, true
}

// refused counts whatever the phase: those of the window alone would be clients that ask again.
func refused(_ *result.Cell, r *result.Repeat) (n float64, _ bool) {
	for _, e := range r.Measured.Errors {
		if e.Code == "53300" {
			n += float64(e.Count)
		}
	}
	return n, true
}
