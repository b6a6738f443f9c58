package metric

import (
	"math"
	"slices"

	"pooler-lab/internal/result"
	"pooler-lab/internal/shared"
	"pooler-lab/internal/topology"
)

// A statistic sums up many times in one.
type statistic struct {
	kind  kind
	least int64 // times that it takes: of fewer, five lie beyond the percentile at most, and one decides it
	sum   func(result.Trend) float64
}

var (
	med = statistic{median, 0, func(t result.Trend) float64 { return t.Med }}
	p95 = statistic{tail, 100, func(t result.Trend) float64 { return t.P95 }}
	p99 = statistic{tail, 500, func(t result.Trend) float64 { return t.P99 }}
	avg = statistic{tail, 0, func(t result.Trend) float64 { return t.Avg }} // a mean holds the longest times
)

// of is the statistic of the first of those trends that the measured window has. A slot has too few times for a
// percentile.
func (s statistic) of(trends ...string) source {
	window := func(m *result.Measured) map[string]result.Trend { return m.Trends }
	return source{kind: s.kind, read: s.in(window, trends...), slots: s.least == 0, trends: trends, least: s.least}
}

// in reads the statistic of the first of those trends that are there.
func (s statistic) in(trendsOf func(*result.Measured) map[string]result.Trend, trends ...string) reading {
	return func(_ *result.Cell, r *result.Repeat) (float64, bool) {
		for _, name := range trends {
			if t := trendsOf(r.Measured)[name]; t.Count > 0 {
				return s.sum(t), true
			}
		}
		return 0, false
	}
}

// firstOf is of the test's first connect alone, whose time is the median of one.
func firstOf(trend string) source {
	first := func(m *result.Measured) map[string]result.Trend { return m.FirstConnects }
	return whole.of(med.in(first, trend))
}

func laterOf(trend string) source {
	later := func(m *result.Measured) map[string]result.Trend { return m.LaterConnects }
	return median.of(med.in(later, trend))
}

// responseTrends are those of an iteration: the first that a repeat has is what it waited for.
var responseTrends = []string{"pg_response_time", "pg_transaction", "pg_statement"}

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

// finish reads what is known of clients that had a fixed number of transactions each.
func finish(of func(*result.Finish) float64) reading {
	return func(_ *result.Cell, r *result.Repeat) (float64, bool) {
		if r.Measured.Finish == nil {
			return 0, false
		}
		return of(r.Measured.Finish), true
	}
}

func connected(_ *result.Cell, r *result.Repeat) (float64, bool) {
	if f := r.Measured.Finish; f != nil {
		return float64(f.Connected), true
	}
	return float64(r.Measured.ClientsReady), true
}

func clients(c *result.Cell, _ *result.Repeat) (float64, bool) { return float64(c.Clients), true }

// period is that of Docker's CPU limits, in seconds: a limit stops its container for the rest of one at most.
const period = 0.1

// HeldUp is which share of a repeat's iterations CPU limits can have held up at most. An iteration met a stop if it was
// under way in it: if it was due within the stop, or less than its own response time before. The stop, and the time in
// which what piled up meanwhile is done, are taken as a whole period. Stops of several components add up.
func HeldUp(r *result.Repeat) float64 {
	if r.Measured == nil || r.Measured.WindowSeconds <= 0 || r.Resources == nil {
		return 0
	}
	var stops int64
	for _, c := range r.Resources.Containers {
		stops += c.Stops
	}
	response, _ := med.of(responseTrends...).read(nil, r)
	return min(1, float64(stops)*(period+response/1000)/r.Measured.WindowSeconds)
}

// What a path goes through and isn't a database is a pooler, or what stands in a pooler's place.
var isDatabase = topology.IsDatabase

func isPooler(service string) bool { return !isDatabase(service) && service != topology.Proxy }

func memory(of func(service string) bool) reading {
	return containers(of, func(c result.Container) *float64 { return &c.MemoryMB }, plus)
}

func cpus(of func(service string) bool) reading {
	return containers(of, func(c result.Container) *float64 { return &c.CPUs }, plus)
}

// throttled is of the one that was stopped most, where one of the containers has a limit.
func throttled(of func(service string) bool) reading {
	return containers(of, func(c result.Container) *float64 { return c.Throttled }, math.Max)
}

func plus(a, b float64) float64 { return a + b }

// containers puts together what those of the repeat's containers that are wanted have of it.
func containers(wanted func(service string) bool, of func(result.Container) *float64,
	together func(a, b float64) float64) reading {
	return func(_ *result.Cell, r *result.Repeat) (all float64, found bool) {
		if r.Resources == nil {
			return 0, false
		}
		for _, c := range r.Resources.Containers {
			if v := of(c); v != nil && wanted(c.Service) {
				all, found = together(all, *v), true
			}
		}
		return all, found
	}
}

// generatorMicros is the CPU time of the clients' program for each transaction that it did, whatever the phase, in
// microseconds.
func generatorMicros(_ *result.Cell, r *result.Repeat) (float64, bool) {
	if r.Resources == nil || r.Resources.GeneratorSeconds == nil || r.Measured.Counted.Transactions == 0 {
		return 0, false
	}
	return 1e6 * *r.Resources.GeneratorSeconds / float64(r.Measured.Counted.Transactions), true
}

func switches(_ *result.Cell, r *result.Repeat) (float64, bool) {
	if r.Resources == nil || r.Resources.Switches == nil {
		return 0, false
	}
	return *r.Resources.Switches, true
}

// nodes sums over the databases that were sampled, where each of them has a count.
func nodes(of func(*result.Node) *int) reading {
	return func(_ *result.Cell, r *result.Repeat) (float64, bool) {
		sum := 0
		for i := range r.Nodes {
			n := of(&r.Nodes[i])
			if n == nil || r.Nodes[i].Samples == 0 { // nobody could ask it
				return 0, false
			}
			sum += *n
		}
		return float64(sum), len(r.Nodes) > 0
	}
}

var backends = nodes(func(n *result.Node) *int { return &n.MaxBackends })

func waitCost(_ *result.Cell, r *result.Repeat) (most float64, found bool) {
	for _, n := range r.Nodes {
		most, found = max(most, n.CostShare), found || n.Samples > 0
	}
	return most, found
}

// pooler reads what the path's pooler told, where it can tell.
func pooler[T int | float64](of func(*result.Pooler) *T) reading {
	return func(_ *result.Cell, r *result.Repeat) (float64, bool) {
		if r.Pooler == nil || of(r.Pooler) == nil {
			return 0, false
		}
		return float64(*of(r.Pooler)), true
	}
}

// selects counts those that a balancing path sent to the nodes of those roles.
func selects(roles ...string) reading {
	return func(_ *result.Cell, r *result.Repeat) (sum float64, found bool) {
		for _, s := range r.Shares {
			if slices.Contains(roles, s.Role) {
				sum += float64(s.Selects)
			}
		}
		return sum, len(r.Shares) > 0
	}
}

var standbyShare = per(selects("standby"), selects("primary", "standby"))

// per divides one reading by another that isn't 0.
func per(of, by reading) reading {
	return func(c *result.Cell, r *result.Repeat) (float64, bool) {
		a, ok := of(c, r)
		b, okay := by(c, r)
		if !ok || !okay || b == 0 {
			return 0, false
		}
		return a / b, true
	}
}

// counter is a sum within the window; one that nobody added to is 0 where others were kept.
func counter(metric string) reading {
	return func(_ *result.Cell, r *result.Repeat) (float64, bool) {
		return r.Measured.Counters[metric], len(r.Measured.Counters) > 0
	}
}

// iterations are those of the window.
var iterations = counter("pg_iterations")

func window(_ *result.Cell, r *result.Repeat) (seconds float64, _ bool) {
	return r.Measured.WindowSeconds, true
}

// rate is how many iterations a second there were.
var rate = per(iterations, window)

// copied is how many megabytes a second there were.
var copied = per(megabytes, window)

func megabytes(c *result.Cell, r *result.Repeat) (float64, bool) {
	sent, ok := counter("pg_bytes_sent")(c, r)
	received, _ := counter("pg_bytes_received")(c, r)
	return (sent + received) / 1e6, ok
}

// failures count the errors that are wanted.
func failures(wanted func(result.Error) bool) reading {
	return func(_ *result.Cell, r *result.Repeat) (n float64, _ bool) {
		for _, e := range r.Measured.Errors {
			if wanted(e) {
				n += float64(e.Count)
			}
		}
		return n, true
	}
}

// errors counts those of a code, or all of them, in the window.
func errors(code string) reading {
	return failures(func(e result.Error) bool { return result.InWindow(e) && (code == "" || e.Code == code) })
}

// refused counts whatever the phase: those of the window alone would be clients that ask again.
var refused = failures(func(e result.Error) bool { return e.Code == "53300" })

// misses has transactions for the statements that found theirs: one of its own each, as lessons send prepared ones.
func misses(c *result.Cell, r *result.Repeat) (float64, bool) {
	missed, _ := errors("26000")(c, r)
	sent := missed + float64(r.Measured.Transactions)
	if c.Protocol != "prepared" || sent == 0 {
		return 0, false
	}
	return missed / sent, true
}

// ofLedger reads what the ledger of a repeat with events comes to.
func ofLedger(of func(*result.Ledger) float64) reading {
	return func(_ *result.Cell, r *result.Repeat) (float64, bool) {
		if r.Ledger == nil {
			return 0, false
		}
		return of(r.Ledger), true
	}
}

func middleOutage(l *result.Ledger) float64 {
	middle, _ := shared.Median(outages(l))
	return middle
}

func worstOutage(l *result.Ledger) float64 { return slices.Max(append(outages(l), 0)) }

// outages are the clients' own, in seconds.
func outages(l *result.Ledger) (all []float64) {
	for _, o := range l.Outages {
		all = append(all, o.Seconds())
	}
	return all
}
