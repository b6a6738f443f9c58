package crosscheck

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pooler-lab/internal/k6run"
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/server"
	"pooler-lab/internal/topology"
	"pooler-lab/k6/summary"
)

// warmup is the least time that clients warm up, in seconds.
const warmup = 0.5

// patience is how many seconds k6 may take beside its window, and grace how long it may take to end when it is to stop.
const (
	patience = 20
	grace    = 10 * time.Second
)

// runK6 runs k6 once and returns the metric.
func runK6(ctx context.Context, at topology.Endpoint, l load, f metric, scale int) (float64, error) {
	folder, err := os.MkdirTemp("", "crosscheck")
	if err != nil {
		return 0, fmt.Errorf("make a folder for k6's summary: %w", err)
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "summary.json")
	env, err := k6run.Trial{Cells: []k6run.Cell{{Cell: lesson.Cell{Path: l.path, Workload: l.workload,
		Protocol: l.protocol, Role: l.role, Clients: l.clients, Seconds: l.seconds, Warmup: warmup},
		DSN: at.DSN(l.role), Scale: scale,
		Deadline: k6run.GettingReady(l.clients) + warmup + l.seconds + patience}}}.Env()
	if err != nil {
		return 0, err
	}
	var printed bytes.Buffer
	end, err := k6run.Run(ctx, k6run.Order{
		Script: filepath.Join(topology.Root(), "k6/crosscheck.js"), Output: "lab=" + file,
		Env: env, Password: server.Password(l.role), Stdout: &printed, Stderr: &printed, Grace: grace})
	switch {
	case err != nil:
		return 0, err
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case end.Exit != 0:
		return 0, fmt.Errorf("k6 ended with code %d: %s", end.Exit, strings.TrimSpace(printed.String()))
	}
	test, err := summary.Read(file)
	if err != nil {
		return 0, err
	}
	seen := test.Sides[0]
	return metricOf(seen, l, f)
}

// metricOf returns the metric that k6's summary has.
func metricOf(seen *summary.Summary, l load, f metric) (float64, error) {
	if err := wentWell(seen, l.clients); err != nil {
		return 0, err
	}
	switch f {
	case throughput:
		return float64(seen.Count("pg_transactions", summary.Measured)) / seen.Window.Seconds, nil
	case connecting:
		return seen.Trends["pg_connect"][summary.Measured].Avg, nil
	}
	return seen.Trends["pg_statement"][summary.Measured].Med, nil
}

// wentWell wants no errors, and all clients in the whole window.
func wentWell(seen *summary.Summary, clients int) error {
	if len(seen.Errors) > 0 {
		return fmt.Errorf("k6 met errors, the first of them %s: %s", seen.Errors[0].Code, seen.Errors[0].Message)
	}
	if seen.Window == nil || seen.Window.Ready < clients {
		return fmt.Errorf("not all of k6's %d clients were ready in time", clients)
	}
	return nil
}
