package sample

import (
	"context"
	"slices"
	"sync"
	"time"

	"pooler-lab/internal/result"
	"pooler-lab/internal/shared"
)

// Sessions samples what the sessions of a path's databases, and its pooler, do while k6 runs. Its connections are kept
// from one repeat to the next. It belongs to one goroutine.
type Sessions struct {
	dsn      func(node string) string
	password string
	roles    []string

	nodes    map[string]*node
	subjects Subjects
	pooler   *pooler
	stop     context.CancelFunc
	running  sync.WaitGroup
}

// notSampled is why nothing is known of a server that answered.
const notSampled = "no sample of it began and ended while the window was open"

// Subjects are whom to sample, and how often.
type Subjects struct {
	Nodes []string // PostgreSQL servers of the path
	// Hz is samples a second of each of them, fewer where they are expensive; 0 is DefaultHz, or fewer with very many
	// sessions.
	Hz float64
	// SamplePooler tells how many clients and servers the path's pooler has just now; nil is a path without one. It is
	// called by one goroutine at a time, from Start until Stop.
	SamplePooler func(context.Context) (result.Pooler, error)
	Pooler       string // the service that it asks
}

// NewSessions makes one that reaches each node as dsn says, without a password in it, and not through toxiproxy:
// what a cell puts on its links isn't the sampler's to wait for. Sessions of the roles are the measured ones; those of
// a pooler's server connections are among them.
func NewSessions(dsn func(node string) string, password string, roles []string) *Sessions {
	return &Sessions{dsn: dsn, password: password, roles: roles, nodes: map[string]*node{}}
}

// Start connects where that is still to do, forgets what was seen before, and samples until Stop.
func (s *Sessions) Start(subjects Subjects) {
	ctx, stop := context.WithCancel(context.Background())
	s.subjects, s.stop, s.pooler = subjects, stop, nil
	for _, name := range subjects.Nodes {
		if s.nodes[name] == nil {
			s.nodes[name] = &node{service: name, dsn: s.dsn(name), password: s.password, roles: s.roles}
		}
		n := s.nodes[name]
		n.begin()
		s.running.Go(func() { n.watch(ctx, subjects.Hz) })
	}
	if subjects.SamplePooler != nil {
		s.pooler = &pooler{service: subjects.Pooler, ask: subjects.SamplePooler}
		s.running.Go(func() { shared.Every(ctx, poolerEvery, s.pooler.sample) })
	}
}

// Stop ends the sampling; it waits for a sample that is under way.
func (s *Sessions) Stop() {
	s.stop()
	s.running.Wait()
}

// Between sums up what was seen between two moments, after Stop. A server that could not be asked stands in it with
// the reason.
func (s *Sessions) Between(from, to time.Time) ([]result.Node, *result.Pooler) {
	var nodes []result.Node
	for _, name := range slices.Sorted(slices.Values(s.subjects.Nodes)) {
		nodes = append(nodes, s.nodes[name].between(from, to))
	}
	if s.pooler == nil {
		return nodes, nil
	}
	return nodes, s.pooler.between(from, to)
}

// Close ends the connections.
func (s *Sessions) Close() {
	for _, n := range s.nodes {
		n.close()
	}
}
