package pg

import (
	"go.k6.io/k6/v2/metrics"
)

// clientMetrics are the metrics of k6/x/pg. Durations are milliseconds with
// microsecond resolution.
type clientMetrics struct {
	Connect             *metrics.Metric // dial, TLS and authentication, up to ready for query
	ConnectDial         *metrics.Metric // name lookup and TCP or Unix connect
	ConnectTLS          *metrics.Metric // TLS handshake, where there is one
	ConnectAuth         *metrics.Metric // startup message to ready for query
	ConnectHash         *metrics.Metric // the client's own hashing, where the login is by SCRAM: see scram.Clock
	ConnectWithoutHash  *metrics.Metric // connect less the client's own hashing
	ConnectFirstQuery   *metrics.Metric // connect plus the connection's first statement
	Prepare             *metrics.Metric // parse and describe of a prepared statement
	Statement           *metrics.Metric // from send to ready for query
	Transaction         *metrics.Metric // from BEGIN to the answer to COMMIT
	Pipeline            *metrics.Metric // many statements, one round trip
	Copy                *metrics.Metric // COPY, tag direction: in or out
	PoolWait            *metrics.Metric // for a connection of a pool, until it is there
	ResponseTime        *metrics.Metric // of an iteration: from its intended start, or from before its connect
	Iterations          *metrics.Metric // iterations of a workload that went well
	OpeningIterations   *metrics.Metric // those of them that open a connection and close it
	Connections         *metrics.Metric // connections opened
	Reconnects          *metrics.Metric // connections opened in place of one that was dropped
	Transactions        *metrics.Metric // transactions committed by statements
	PrepareTransactions *metrics.Metric // transactions that were nothing but a prepare
	Rollbacks           *metrics.Metric // transactions rolled back by transaction()
	Rows                *metrics.Metric // rows returned or affected
	BytesSent           *metrics.Metric // to the server, as the network carries them
	BytesReceived       *metrics.Metric // from the server
	RoundTrips          *metrics.Metric // something sent, then something received
	Errors              *metrics.Metric // by the tag code
	Late                *metrics.Metric // iterations of an open loop that began more than one interval late
	Dropped             *metrics.Metric // iterations that were due in the window and never began
	Window              *metrics.Metric // length of the measured window, in seconds
	Group               *metrics.Metric // number of a group of slots: all of its samples come before it
	ClientsReady        *metrics.Metric // clients ready when the window opened
	ClientsFailed       *metrics.Metric // clients that had failed when the window opened
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
		{&m.ConnectHash, "pg_connect_hash", metrics.Trend, metrics.Time},
		{&m.ConnectWithoutHash, "pg_connect_without_hash", metrics.Trend, metrics.Time},
		{&m.ConnectFirstQuery, "pg_connect_first_query", metrics.Trend, metrics.Time},
		{&m.Prepare, "pg_prepare", metrics.Trend, metrics.Time},
		{&m.Statement, "pg_statement", metrics.Trend, metrics.Time},
		{&m.Transaction, "pg_transaction", metrics.Trend, metrics.Time},
		{&m.Pipeline, "pg_pipeline", metrics.Trend, metrics.Time},
		{&m.Copy, "pg_copy", metrics.Trend, metrics.Time},
		{&m.PoolWait, "pg_pool_wait", metrics.Trend, metrics.Time},
		{&m.ResponseTime, "pg_response_time", metrics.Trend, metrics.Time},
		{&m.Iterations, "pg_iterations", metrics.Counter, metrics.Default},
		{&m.OpeningIterations, "pg_opening_iterations", metrics.Counter, metrics.Default},
		{&m.Connections, "pg_connections", metrics.Counter, metrics.Default},
		{&m.Reconnects, "pg_reconnects", metrics.Counter, metrics.Default},
		{&m.Transactions, "pg_transactions", metrics.Counter, metrics.Default},
		{&m.PrepareTransactions, "pg_prepare_transactions", metrics.Counter, metrics.Default},
		{&m.Rollbacks, "pg_rollbacks", metrics.Counter, metrics.Default},
		{&m.Rows, "pg_rows", metrics.Counter, metrics.Default},
		{&m.BytesSent, "pg_bytes_sent", metrics.Counter, metrics.Data},
		{&m.BytesReceived, "pg_bytes_received", metrics.Counter, metrics.Data},
		{&m.RoundTrips, "pg_round_trips", metrics.Counter, metrics.Default},
		{&m.Errors, "pg_errors", metrics.Counter, metrics.Default},
		{&m.Late, "pg_late", metrics.Counter, metrics.Default},
		{&m.Dropped, "pg_dropped", metrics.Counter, metrics.Default},
		{&m.Window, "pg_window", metrics.Gauge, metrics.Default},
		{&m.Group, "pg_group", metrics.Gauge, metrics.Default},
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
