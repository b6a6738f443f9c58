package pg

import (
	"time"

	"go.k6.io/k6/v2/metrics"
)

// clientMetrics are the metrics of k6/x/pg. Durations are milliseconds with
// microsecond resolution.
type clientMetrics struct {
	Connect               *metrics.Metric // dial, TLS and authentication, up to ready for query
	ConnectDial           *metrics.Metric // name lookup and TCP or Unix connect
	ConnectTLS            *metrics.Metric // TLS handshake, where there is one
	ConnectAuth           *metrics.Metric // startup message to ready for query
	ConnectFirstStatement *metrics.Metric // connect plus the connection's first statement
	Prepare               *metrics.Metric // parse and describe of a prepared statement
	Statement             *metrics.Metric // service time: from send to ready for query
	Response              *metrics.Metric // from the due time of a paced turn to its end
	Connections           *metrics.Metric // connections opened
	Transactions          *metrics.Metric // transactions committed by statements
	PrepareTransactions   *metrics.Metric // transactions that were nothing but a prepare
	Errors                *metrics.Metric // by the tag code
	Late                  *metrics.Metric // paced turns that began more than one interval after their due time
	Dropped               *metrics.Metric // paced turns that were due in the window and never began
	Window                *metrics.Metric // length of the measured window, in seconds
	ClientsReady          *metrics.Metric // clients ready when the window opened
	ClientsFailed         *metrics.Metric // clients that had failed when the window opened
}

// registerMetrics registers the metrics in the registry, or finds them there.
func registerMetrics(registry *metrics.Registry) (*clientMetrics, error) {
	m := &clientMetrics{}
	for _, metric := range []struct {
		to    **metrics.Metric
		name  string
		kind  metrics.MetricType
		value metrics.ValueType
	}{
		{&m.Connect, "pg_connect", metrics.Trend, metrics.Time},
		{&m.ConnectDial, "pg_connect_dial", metrics.Trend, metrics.Time},
		{&m.ConnectTLS, "pg_connect_tls", metrics.Trend, metrics.Time},
		{&m.ConnectAuth, "pg_connect_auth", metrics.Trend, metrics.Time},
		{&m.ConnectFirstStatement, "pg_connect_first_statement", metrics.Trend, metrics.Time},
		{&m.Prepare, "pg_prepare", metrics.Trend, metrics.Time},
		{&m.Statement, "pg_statement", metrics.Trend, metrics.Time},
		{&m.Response, "pg_response", metrics.Trend, metrics.Time},
		{&m.Connections, "pg_connections", metrics.Counter, metrics.Default},
		{&m.Transactions, "pg_transactions", metrics.Counter, metrics.Default},
		{&m.PrepareTransactions, "pg_prepare_transactions", metrics.Counter, metrics.Default},
		{&m.Errors, "pg_errors", metrics.Counter, metrics.Default},
		{&m.Late, "pg_late", metrics.Counter, metrics.Default},
		{&m.Dropped, "pg_dropped", metrics.Counter, metrics.Default},
		{&m.Window, "pg_window", metrics.Gauge, metrics.Default},
		{&m.ClientsReady, "pg_clients_ready", metrics.Gauge, metrics.Default},
		{&m.ClientsFailed, "pg_clients_failed", metrics.Gauge, metrics.Default},
	} {
		registered, err := registry.NewMetric(metric.name, metric.kind, metric.value)
		if err != nil {
			return nil, err
		}
		*metric.to = registered
	}
	return m, nil
}

// sample returns one measurement.
func sample(metric *metrics.Metric, tags *metrics.TagSet, at time.Time, value float64) metrics.Sample {
	return metrics.Sample{TimeSeries: metrics.TimeSeries{Metric: metric, Tags: tags}, Time: at, Value: value}
}

// push hands the samples of one event to k6 as one container. The VU's context
// isn't asked: what was committed counts, even when the test is being stopped.
func (i *instance) push(at time.Time, tags *metrics.TagSet, samples ...metrics.Sample) {
	i.vu.State().Samples <- metrics.ConnectedSamples{Samples: samples, Tags: tags, Time: at}
}

// phaseTags holds a tag set per phase, so that a statement makes none.
type phaseTags struct {
	base   *metrics.TagSet // the VU's tags that the sets were made from
	phases [phaseCount]*metrics.TagSet
}

// at returns base, path, protocol and the phase of an event as one tag set.
// Empty values are left out.
func (p *phaseTags) at(base *metrics.TagSet, phase phase, path, protocol string) *metrics.TagSet {
	if p.base != base {
		p.base = base
		for _, tag := range [][2]string{{"path", path}, {"protocol", protocol}} {
			if tag[1] != "" {
				base = base.With(tag[0], tag[1])
			}
		}
		p.phases[phaseNone] = base
		for named := phaseWarmup; named < phaseCount; named++ {
			p.phases[named] = base.With("phase", named.String())
		}
	}
	return p.phases[phase]
}
