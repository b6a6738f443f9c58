package console

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"pooler-lab/k6/live/second"
)

// A gauge is a figure of the state that Prometheus can have. Where there is no value it has none.
type gauge struct {
	describe *prometheus.Desc
	values   func(State, map[string]second.Path, func(value float64, labels ...string))
}

func newGauge(name, help string, labels []string, values func(State, map[string]second.Path, func(float64, ...string))) gauge {
	return gauge{prometheus.NewDesc("pooler_lab_"+name, help, labels, nil), values}
}

// gauges are the same figures as pages show.
var gauges = []gauge{
	ofLinks("link_latency_asked_seconds", "Round trip that the link is asked to add.", func(l Link) *float64 { return known(l, seconds(float64(l.LatencyMS))) }),
	ofLinks("link_jitter_asked_seconds", "Answers come up to this much earlier or later.", func(l Link) *float64 { return known(l, seconds(float64(l.JitterMS))) }),
	ofLinks("link_round_trip_seconds", "Round trip measured over the link.", func(l Link) *float64 { return inSeconds(l.MeasuredMS) }),
	ofLinks("link_cut", "1 where the link is cut.", func(l Link) *float64 { return known(l, yes(l.Cut)) }),
	ofNodes("node_up", "1 where the node answers, 0 where it doesn't; none where nobody knows.", nodeUp),
	ofNodes("node_backends", "Sessions of clients and poolers.", func(n Node) *float64 { return whole(n.Backends) }),
	ofNodes("node_replication_lag_seconds", "How far the standby's replay is behind, in time.", func(n Node) *float64 { return inSeconds(n.ReplicationLagMS) }),
	ofNodes("node_replication_lag_bytes", "How far the standby's replay is behind, in WAL.", func(n Node) *float64 { return whole(n.ReplicationLagBytes) }),
	ofNodes("node_waiting_clients", "Clients that wait for a server connection.", func(n Node) *float64 { return whole(n.WaitingClients) }),
	ofNodes("node_servers_active", "Server connections of a pooler that are in use.", func(n Node) *float64 { return whole(n.ServersActive) }),
	ofNodes("node_servers_idle", "Server connections of a pooler that wait for a client.", func(n Node) *float64 { return whole(n.ServersIdle) }),
	ofNodes("node_pool_size", "Server connections that a pooler's pools may have.", func(n Node) *float64 { return whole(n.PoolSize) }),
	ofNodes("node_selects_per_second", "SELECTs a second that Pgpool-II sends to the node.", func(n Node) *float64 { return n.SelectsPerSecond }),
	ofLoad("load_transactions_per_second", "Transactions a second of the live load.", func(p second.Path) *float64 { return &p.TPS }),
	ofLoad("load_turn_median_seconds", "Median time of a turn of the live load in the last second.", func(p second.Path) *float64 { return inSeconds(p.MedianMS) }),
	ofLoad("load_turn_p95_seconds", "Time that 95 % of the live load's turns stayed below in the last second.", func(p second.Path) *float64 { return inSeconds(p.P95MS) }),
	ofLoad("load_connect_median_seconds", "Median time to connect of the live load in the last second.", func(p second.Path) *float64 { return inSeconds(p.ConnectMS) }),
	ofLoad("load_errors", "Errors of the live load in the last second.", func(p second.Path) *float64 { v := float64(p.Errors); return &v }),
	newGauge("wait_share", "Share of the sessions' time in the last 5 seconds.", []string{"node", "event"}, func(s State, _ map[string]second.Path, add func(float64, ...string)) {
		for _, n := range s.Waits {
			for _, e := range n.Events {
				add(e.Share, n.Node, e.Name)
			}
		}
	}),
	newGauge("toxiproxy_up", "1 where toxiproxy answers.", nil, func(s State, _ map[string]second.Path, add func(float64, ...string)) { add(*yes(s.Toxiproxy.Up)) }),
	newGauge("measuring", "1 while a lesson, or something else that measures, has the lab to itself.", nil, func(s State, _ map[string]second.Path, add func(float64, ...string)) { add(*yes(s.Lock != "")) }),
}

func ofLinks(name, help string, of func(Link) *float64) gauge {
	return newGauge(name, help, []string{"link"}, func(s State, _ map[string]second.Path, add func(float64, ...string)) {
		for _, l := range s.Links {
			if v := of(l); v != nil {
				add(*v, l.Name)
			}
		}
	})
}

func ofNodes(name, help string, of func(Node) *float64) gauge {
	return newGauge(name, help, []string{"node"}, func(s State, _ map[string]second.Path, add func(float64, ...string)) {
		for _, n := range s.Nodes {
			if v := of(n); v != nil {
				add(*v, n.Name)
			}
		}
	})
}

func ofLoad(name, help string, of func(second.Path) *float64) gauge {
	return newGauge(name, help, []string{"path"}, func(_ State, paths map[string]second.Path, add func(float64, ...string)) {
		for path, p := range paths {
			if v := of(p); v != nil {
				add(*v, path)
			}
		}
	})
}

// known is what a link was asked, where that is known just now.
func known(l Link, v *float64) *float64 {
	if !l.Known {
		return nil
	}
	return v
}

// seconds are milliseconds as Prometheus wants them.
func seconds(ms float64) *float64 { ms /= 1000; return &ms }

func inSeconds(ms *float64) *float64 {
	if ms == nil {
		return nil
	}
	return seconds(*ms)
}

func yes(v bool) *float64 {
	f := 0.0
	if v {
		f = 1
	}
	return &f
}

func whole[N int | int64](v *N) *float64 {
	if v == nil {
		return nil
	}
	f := float64(*v)
	return &f
}

func nodeUp(n Node) *float64 {
	if n.State != Up && n.State != Down {
		return nil
	}
	return yes(n.State == Up)
}

// A collector hands one moment's figures to Prometheus.
type collector struct {
	state State
	paths map[string]second.Path
}

// Describe implements prometheus.Collector.
func (c collector) Describe(to chan<- *prometheus.Desc) {
	for _, g := range gauges {
		to <- g.describe
	}
}

// Collect implements prometheus.Collector.
func (c collector) Collect(to chan<- prometheus.Metric) {
	for _, g := range gauges {
		g.values(c.state, c.paths, func(value float64, labels ...string) {
			to <- prometheus.MustNewConstMetric(g.describe, prometheus.GaugeValue, value, labels...)
		})
	}
}

// serveMetrics answers Prometheus. Each answer has a registry of its own, for it is of one moment.
func (p *parts) serveMetrics(w http.ResponseWriter, r *http.Request) error {
	registry := prometheus.NewRegistry()
	if err := registry.Register(collector{p.measured(r.Context()), p.hub.lastPaths()}); err != nil {
		return err
	}
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(w, r)
	return nil
}
