package console

import (
	"github.com/prometheus/client_golang/prometheus"

	"pooler-lab/internal/console/api"
)

// gaugeFamilies are of the state: what pages show, too.
var gaugeFamilies = []family{
	ofLinks("link_latency_set_seconds", "Round trip that the link is set to add.", func(l api.Link) *float64 {
		return whereKnown(l, seconds(float64(l.LatencyMS)))
	}),
	ofLinks("link_jitter_set_seconds", "Answers come up to this much earlier or later.", func(l api.Link) *float64 {
		return whereKnown(l, seconds(float64(l.JitterMS)))
	}),
	ofLinks("link_round_trip_seconds", "Round trip measured over the link.", func(l api.Link) *float64 {
		return inSeconds(l.MeasuredMS)
	}),
	ofLinks("link_cut", "1 where the link is cut.", func(l api.Link) *float64 { return whereKnown(l, yes(l.Cut)) }),
	ofNodes("node_up", "1 where the node answers, 0 where it doesn't; none where nobody knows.", nodeUp),
	ofNodes("node_backends", "Sessions of clients and poolers.", func(n api.Node) *float64 { return whole(n.Backends) }),
	ofNodes("node_replication_lag_seconds", "How far the standby's replay is behind, in time.",
		func(n api.Node) *float64 { return inSeconds(n.ReplicationLagMS) }),
	ofNodes("node_replication_lag_bytes", "How far the standby's replay is behind, in WAL.",
		func(n api.Node) *float64 { return whole(n.ReplicationLagBytes) }),
	ofNodes("node_waiting_clients", "Clients that wait for a server connection.",
		func(n api.Node) *float64 { return whole(n.WaitingClients) }),
	ofNodes("node_servers_active", "Server connections of a pooler that are in use.",
		func(n api.Node) *float64 { return whole(n.ServersActive) }),
	ofNodes("node_servers_idle", "Server connections of a pooler that wait for a client.",
		func(n api.Node) *float64 { return whole(n.ServersIdle) }),
	ofNodes("node_pool_size", "Server connections that a pooler's pools may have.",
		func(n api.Node) *float64 { return whole(n.PoolSize) }),
	ofNodes("node_selects_per_second", "SELECTs a second that a balancing pooler sends to the node.",
		func(n api.Node) *float64 { return n.SelectsPerSecond }),
	{
		describe("wait_ratio", "Share of the sessions' time in the last 5 seconds.", "node", "event"),
		func(m moment, d *prometheus.Desc, to chan<- prometheus.Metric) {
			for _, n := range m.state.Waits {
				for _, e := range n.Events {
					to <- gauge(d, e.Share, n.Node, e.Name)
				}
			}
		},
	},
	ofState("toxiproxy_up", "1 where toxiproxy answers.", func(s api.State) bool { return s.Toxiproxy.Up }),
	ofState("measuring", "1 while a lesson, or something else that measures, has the lab to itself.",
		func(s api.State) bool { return s.Lock != "" }),
}

func gauge(d *prometheus.Desc, value float64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
}

func ofLinks(name, help string, of func(api.Link) *float64) family {
	return family{
		describe(name, help, "link"),
		func(m moment, d *prometheus.Desc, to chan<- prometheus.Metric) {
			for _, l := range m.state.Links {
				if v := of(l); v != nil {
					to <- gauge(d, *v, l.Name)
				}
			}
		},
	}
}

func ofNodes(name, help string, of func(api.Node) *float64) family {
	return family{
		describe(name, help, "node"),
		func(m moment, d *prometheus.Desc, to chan<- prometheus.Metric) {
			for _, n := range m.state.Nodes {
				if v := of(n); v != nil {
					to <- gauge(d, *v, n.Name)
				}
			}
		},
	}
}

func ofState(name, help string, is func(api.State) bool) family {
	return family{
		describe(name, help),
		func(m moment, d *prometheus.Desc, to chan<- prometheus.Metric) { to <- gauge(d, *yes(is(m.state))) },
	}
}

// whereKnown is what a link is set to, where that is known just now.
func whereKnown(l api.Link, v *float64) *float64 {
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

func nodeUp(n api.Node) *float64 {
	if n.State != api.Up && n.State != api.Down {
		return nil
	}
	return yes(n.State == api.Up)
}
