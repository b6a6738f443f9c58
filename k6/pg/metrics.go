package pg

import (
	"go.k6.io/k6/v2/metrics"
)

// clientMetrics are the metrics of k6/x/pg; registerMetrics says what each is. Durations are milliseconds with
// microsecond resolution.
type clientMetrics struct {
	Connect, ConnectDial, ConnectTLS, ConnectAuth, ConnectHash, ConnectWithoutHash, ConnectFirstQuery,
	Prepare, Statement, Transaction, Pipeline, Copy, PoolWait, ResponseTime, Attempt,
	Iterations, OpeningIterations, Connections, Reconnects, Transactions, PrepareTransactions, Rollbacks, Rows,
	BytesSent, BytesReceived, RoundTrips, Errors, Late, Dropped, Group *metrics.Metric
}

// registerMetrics registers the metrics in the registry, or finds them there.
func registerMetrics(registry *metrics.Registry) (*clientMetrics, error) {
	var failed error
	register := func(name string, kind metrics.MetricType, value metrics.ValueType) *metrics.Metric {
		metric, err := registry.NewMetric(name, kind, value)
		if err != nil {
			failed = err
		}
		return metric
	}
	trend := func(name string) *metrics.Metric { return register(name, metrics.Trend, metrics.Time) }
	counter := func(name string) *metrics.Metric { return register(name, metrics.Counter, metrics.Default) }
	bytes := func(name string) *metrics.Metric { return register(name, metrics.Counter, metrics.Data) }
	m := &clientMetrics{
		Connect:            trend("pg_connect"),              // dial, TLS and authentication, up to ready for query
		ConnectDial:        trend("pg_connect_dial"),         // name lookup and TCP or Unix connect
		ConnectTLS:         trend("pg_connect_tls"),          // TLS handshake, where there is one
		ConnectAuth:        trend("pg_connect_auth"),         // startup message to ready for query
		ConnectHash:        trend("pg_connect_hash"),         // the client's own hashing for SCRAM: see shared.Handshake
		ConnectWithoutHash: trend("pg_connect_without_hash"), // connect less the client's own hashing
		ConnectFirstQuery:  trend("pg_connect_first_query"),  // connect plus the connection's first statement
		Prepare:            trend("pg_prepare"),              // parse and describe of a prepared statement
		Statement:          trend("pg_statement"),            // from send to ready for query
		Transaction:        trend("pg_transaction"),          // from BEGIN to the answer to COMMIT
		Pipeline:           trend("pg_pipeline"),             // many statements, one round trip
		Copy:               trend("pg_copy"),                 // COPY, tag direction: in or out
		PoolWait:           trend("pg_pool_wait"),            // for a connection of a pool, until it is there
		ResponseTime:       trend("pg_response_time"),        // of an iteration, from when it was due or before its connect

		Attempt: trend("pg_attempt"), // of a ledger, from its begin to its success or error

		Iterations:          counter("pg_iterations"),           // iterations of a workload that went well
		OpeningIterations:   counter("pg_opening_iterations"),   // those of them that open a connection and close it
		Connections:         counter("pg_connections"),          // connections opened
		Reconnects:          counter("pg_reconnects"),           // connections opened in place of one that was dropped
		Transactions:        counter("pg_transactions"),         // transactions committed by statements
		PrepareTransactions: counter("pg_prepare_transactions"), // transactions that were nothing but a prepare
		Rollbacks:           counter("pg_rollbacks"),            // transactions rolled back by transaction()
		Rows:                counter("pg_rows"),                 // rows returned or affected
		BytesSent:           bytes("pg_bytes_sent"),             // to the server, as the network carries them
		BytesReceived:       bytes("pg_bytes_received"),         // from the server
		RoundTrips:          counter("pg_round_trips"),          // something sent, then something received
		Errors:              counter("pg_errors"),               // by the tag code
		Late:                counter("pg_late"),                 // iterations that began more than one interval late
		Dropped:             counter("pg_dropped"),              // iterations that were due and never began

		Group: register("pg_group", metrics.Gauge, metrics.Default), // number of a group of slots, after all its samples
	}
	return m, failed
}
