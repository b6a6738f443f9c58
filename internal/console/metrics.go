package console

import (
	"net/http"
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"pooler-lab/k6/summary"
)

// serveMetrics answers Prometheus. Each answer has a registry of its own, for it is of one moment.
func (p *parts) serveMetrics(w http.ResponseWriter, r *http.Request) error {
	state, registry := p.measured(r.Context()), prometheus.NewRegistry()
	registry.MustRegister(prometheus.CollectorFunc(func(to chan<- prometheus.Metric) {
		collect(to, state)
		p.load.totals.collect(to)
	}))
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(w, r)
	return nil
}

// collect hands out what a state has. What isn't known has no value.
func collect(to chan<- prometheus.Metric, s State) {
	if s.Toxiproxy.Reason != notMeasuredYet {
		tell(to, "toxiproxy_up", "1 where toxiproxy answers, 0 where it doesn't; none where nobody has asked it.",
			yes(s.Toxiproxy.Up))
	}
	tell(to, "measuring", "1 while a lesson, or something else that measures, has the lab to itself.", yes(s.Lock != ""))
	for _, l := range s.Links {
		collectLink(to, l)
	}
	for _, n := range s.Nodes {
		collectNode(to, n)
	}
	for _, n := range s.Waits {
		for _, e := range n.Waits {
			tell(to, "wait_ratio", "Share of the sessions' time in the last 5 seconds.", &e.Share,
				"node", n.Service, "event", e.Event)
		}
	}
}

func collectLink(to chan<- prometheus.Metric, l Link) {
	of := []string{"link", l.Name}
	if l.Known {
		tell(to, "link_latency_set_seconds", "Round trip that the link is set to take.", seconds(l.LatencyMS), of...)
		tell(to, "link_jitter_set_seconds", "Answers come up to this much earlier or later.",
			seconds(l.JitterMS), of...)
		tell(to, "link_cut", "1 where the link is cut.", yes(l.Cut), of...)
	}
	if l.MeasuredMS != nil {
		tell(to, "link_round_trip_seconds", "Round trip measured over the link.", seconds(*l.MeasuredMS), of...)
	}
}

func collectNode(to chan<- prometheus.Metric, n Node) {
	of := []string{"node", n.Name}
	if n.State == Up || n.State == Down {
		tell(to, "node_up", "1 where the node answers, 0 where it doesn't; none where nobody knows.",
			yes(n.State == Up), of...)
	}
	if n.ReplicationLagMS != nil {
		tell(to, "node_replication_lag_seconds", "How far the standby's replay is behind, in time.",
			seconds(*n.ReplicationLagMS), of...)
	}
	tell(to, "node_replication_lag_bytes", "How far the standby's replay is behind, in WAL.", n.ReplicationLagBytes, of...)
	tell(to, "node_backends", "Sessions of clients and poolers.", n.Backends, of...)
	tell(to, "node_waiting_clients", "Clients that wait for a server connection.", n.WaitingClients, of...)
	tell(to, "node_servers_active", "Server connections of a pooler that are in use.", n.ServersActive, of...)
	tell(to, "node_servers_idle", "Server connections of a pooler that wait for a client.", n.ServersIdle, of...)
	tell(to, "node_pool_size", "Server connections that a pooler's pools may have.", n.PoolSize, of...)
	tell(to, "node_selects_per_second", "SELECTs a second that a balancing pooler sends to the node.",
		n.SelectsPerSecond, of...)
}

// loadTotals are what the clients of each path of the live load have seen since the console began: transactions, errors
// by code, response times and times to open a connection.
type loadTotals struct {
	mu    sync.Mutex
	paths map[string]*summary.PathSecond
}

func newLoadTotals() *loadTotals { return &loadTotals{paths: map[string]*summary.PathSecond{}} }

// add adds a second of all paths.
func (t *loadTotals) add(paths map[string]summary.PathSecond) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for name, seen := range paths {
		total := t.paths[name]
		if total == nil {
			total = &summary.PathSecond{Codes: map[string]int64{}}
			t.paths[name] = total
		}
		total.Transactions += seen.Transactions
		for code, n := range seen.Codes {
			total.Codes[code] += n
		}
		total.ResponseTime.Add(seen.ResponseTime)
		total.ConnectTime.Add(seen.ConnectTime)
	}
}

// collect hands out the totals of each path.
func (t *loadTotals) collect(to chan<- prometheus.Metric) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for name, total := range t.paths {
		of := []string{"path", name}
		tellTotal(to, "transactions_total", "Transactions of the live load.", total.Transactions, of...)
		for code, n := range total.Codes {
			tellTotal(to, "errors_total", "Errors of the live load, by SQLSTATE or the client's own word.", n,
				"path", name, "code", code)
		}
		tellTimes(to, "response_time_seconds", "Response time of an iteration of the live load.", total.ResponseTime, of...)
		tellTimes(to, "connect_time_seconds", "Time to open a connection of the live load.", total.ConnectTime, of...)
	}
}

// described is a metric of what the labels say: a name, its value, the next name.
func described(name, help string, labels ...string) *prometheus.Desc {
	of := prometheus.Labels{}
	for pair := range slices.Chunk(labels, 2) {
		of[pair[0]] = pair[1]
	}
	return prometheus.NewDesc("lab_"+name, help, nil, of)
}

// tellTotal hands out a counter.
func tellTotal(to chan<- prometheus.Metric, name, help string, n int64, labels ...string) {
	to <- prometheus.MustNewConstMetric(described(name, help, labels...), prometheus.CounterValue, float64(n))
}

// tellTimes hands out a histogram. As Prometheus wants it each bucket has all that the smaller ones have, too.
func tellTimes(to chan<- prometheus.Metric, name, help string, h summary.Histogram, labels ...string) {
	count, buckets := uint64(0), map[float64]uint64{}
	for i, n := range h.Counts {
		count += n
		if i < len(summary.Bounds) {
			buckets[summary.Bounds[i]] = count
		}
	}
	to <- prometheus.MustNewConstHistogram(described(name, help, labels...), count, h.Sum, buckets)
}

// tell hands out a gauge, unless its value isn't known.
func tell[N int | int64 | float64](to chan<- prometheus.Metric, name, help string, value *N, labels ...string) {
	if value != nil {
		to <- prometheus.MustNewConstMetric(described(name, help, labels...), prometheus.GaugeValue, float64(*value))
	}
}

// seconds are milliseconds as Prometheus wants them.
func seconds(ms float64) *float64 { ms /= 1000; return &ms }

// yes is 1 for what is so, 0 for what isn't.
func yes(so bool) *float64 {
	v := 0.0
	if so {
		v = 1
	}
	return &v
}
