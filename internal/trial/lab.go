// Package trial measures once: one cell, two cells side by side, or several while events happen. It sets latencies and
// settings, proves the paths, has the clients' program run, samples the servers, compares their counts with the
// clients', and flags what a reader has to know. Lab.Measure is the way in; package run orders trials.
package trial

import (
	"context"

	"pooler-lab/internal/link"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
	"pooler-lab/internal/sample"
	"pooler-lab/internal/server"
	"pooler-lab/internal/topology"
)

// A Lab is what trials are measured in.
type Lab struct {
	Set      *topology.Set
	Links    Links
	Servers  Servers
	Faults   Faults
	Sampler  *sample.Resources
	Sessions *sample.Sessions
	Script   string // the lesson's
	Folder   string // the run's, which has one called K6Folder
	Seed     uint64 // of the run
	Scale    int    // of the data

	// NotRestored is told what could not be put back, and why.
	NotRestored func(what string, err error)
	// Phase is told what a trial does now: filling pools, or the program that its clients are in.
	Phase func(string)
	// Groups is told what the groups of a pair show so far: the interval of its first metric.
	Groups func(*result.Pair, outcome.Interval)
}

// K6Folder is where, below a run's folder, k6 writes.
const K6Folder = "k6"

// Links are where latencies are set. The standby's replication goes over link.ReplicationLink while that is set.
type Links interface {
	Snapshot(context.Context) (link.Snapshot, error)
	Put(context.Context, link.Snapshot) error
	Off(ctx context.Context, link string) error
	Set(ctx context.Context, link string, s link.Settings) error
}

// Servers are those that a cell goes through, and what they say of it.
type Servers interface {
	Prepare(context.Context, server.Preparation, ...*server.Side) error
	Begin(context.Context, ...*server.Side) error
	Changed(context.Context) (string, error)
	Reconcile(context.Context, []result.Counted, ...*server.Side) error
	CountHistory(ctx context.Context, k6 int64) (result.Count, error)
	Marks(context.Context) (map[string]bool, error)
	Restore(context.Context) error
	SamplePooler(context.Context, server.Route) (result.Pooler, error)
}

// Faults break and heal the nodes: see package fault.
type Faults interface {
	Do(ctx context.Context, verb, node string) error
}
