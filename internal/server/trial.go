package server

import (
	"context"
	"slices"

	"pooler-lab/internal/pooler"
	"pooler-lab/internal/result"
)

// A Side is a path that a trial loads, and what servers and poolers say of it before and after that. Of two that are
// loaded together each step is taken on both before the next one: emptying a pool ends connections of the other path,
// too.
type Side struct {
	Route Route
	Fill  bool // its pools, before the load

	// By Begin.

	Facts     []result.Fact // what the servers say of themselves, beside what they have to say
	RoundTrip *result.RoundTrip

	// By Reconcile.

	Counts []result.Count
	Shares []result.Share // SELECTs that its balancer sent to each node

	before     tally
	statements int64 // that the probe sent
}

// A tally is everything that servers and the pooler of a path counted until now, and what the lab itself did on it
// between then and the load.
type tally struct {
	nodes  map[string]pooler.NodeCounters
	pooler pooler.Counters
	own    pooler.Own
}

// wrong says whether the path doesn't lead where it should.
func (s *Side) wrong() bool { return Wrong(s.Facts) != "" }

// Begin empties the paths' pools, connects over each as a client would to see where it leads and how far that is,
// fills pools where that is wanted, and counts. Where a fact doesn't hold it stops there: Wrong says which.
//
// The probe itself counts too. Its backends are ended before the nodes are counted; those that a pooler keeps are
// counted with the load and taken out again, since it takes its time to let go of them.
func (l *Servers) Begin(ctx context.Context, sides ...*Side) error {
	if err := l.beforeCounts(ctx, sides); err != nil || slices.ContainsFunc(sides, (*Side).wrong) {
		return err
	}
	before, err := l.tally(ctx, sides)
	if err != nil {
		return err
	}
	for i, s := range sides {
		s.before = before[i]
	}
	return l.afterCounts(ctx, sides)
}

// beforeCounts proves the paths whose pooler lets go of the probe's connections before the count. A pooler that keeps
// them and has just started looks up what it wants to know of the probe's statements: before the count, not in it.
func (l *Servers) beforeCounts(ctx context.Context, sides []*Side) error {
	var proved []*Side
	for _, s := range sides {
		if !s.Route.kind.KeepsServers {
			proved = append(proved, s)
			continue
		}
		first, err := l.probe(ctx, s.Route)
		if err != nil {
			return err
		}
		first.Close()
	}
	if len(proved) == 0 {
		return nil
	}
	if err := l.clear(ctx, nodesOf(sides)); err != nil {
		return err
	}
	for _, s := range proved {
		if err := l.pooler(s.Route).Emptied(ctx, s.Route.use()); err != nil {
			return err
		}
	}
	for _, s := range proved {
		if err := l.prove(ctx, s); err != nil || s.wrong() {
			return err
		}
	}
	return nil
}

// afterCounts proves the paths whose pooler keeps the probe's connections, and fills pools.
func (l *Servers) afterCounts(ctx context.Context, sides []*Side) error {
	for _, s := range sides {
		if s.Route.kind.KeepsServers || s.Route.kind.NoticesLate || !s.Route.postgreSQL() {
			continue
		}
		if err := l.pooler(s.Route).Emptied(ctx, s.Route.use()); err != nil {
			return err
		}
	}
	for _, s := range sides {
		if !s.Route.kind.KeepsServers {
			continue
		}
		if err := l.prove(ctx, s); err != nil || s.wrong() {
			return err
		}
		s.before.own = pooler.Own{Connections: 1, Statements: s.statements}
	}
	if err := l.fill(ctx, sides); err != nil {
		return err
	}
	for _, s := range sides {
		if !s.Route.kind.KeepsServers {
			continue
		}
		var err error
		if s.before.pooler, err = l.pooler(s.Route).Counters(ctx, s.Route.use()); err != nil {
			return err
		}
	}
	return nil
}

// fill fills the pools that are to be filled, and those of poolers that notice late, each once: two paths may have the
// same one.
func (l *Servers) fill(ctx context.Context, sides []*Side) error {
	filled := map[string]bool{}
	for _, s := range sides {
		pool := s.Route.PoolerService() + " " + s.Route.DSN()
		if !s.Fill && !s.Route.kind.NoticesLate || !s.Route.kind.KeepsServers && !s.Route.postgreSQL() || filled[pool] {
			continue
		}
		filled[pool] = true
		own, err := l.pooler(s.Route).Fill(ctx, s.Route.use())
		if err != nil {
			return err
		}
		s.before.own.Connections += own.Connections
		s.before.own.Statements += own.Statements
	}
	return nil
}

// Reconcile reads all counts again and sets those since Begin beside k6's, a count for each side. A balancer that two
// sides crossed can't tell whose SELECTs it sent where: there are no shares then.
func (l *Servers) Reconcile(ctx context.Context, k6 []result.Counted, sides ...*Side) error {
	var loaded []pooler.Counters
	for _, s := range sides { // before the nodes are cleared: what that makes a pooler count isn't the load's
		c, err := l.pooler(s.Route).Counters(ctx, s.Route.use())
		if err != nil {
			return err
		}
		loaded = append(loaded, c)
	}
	after, err := l.tally(ctx, sides)
	if err != nil {
		return err
	}
	var all []pooler.Side
	for i, s := range sides {
		load := s.since(after[i], k6[i])
		load.Servers = loaded[i].Servers
		all = append(all, pooler.Side{Pooler: l.pooler(s.Route), Use: s.Route.use(), Load: load})
		shared := slices.ContainsFunc(sides, func(o *Side) bool {
			return o != s && o.Route.PoolerService() == s.Route.PoolerService()
		})
		if !shared {
			s.Shares = loaded[i].Since(s.before.pooler)
		}
	}
	for i, counts := range pooler.Counts(all) {
		sides[i].Counts = counts
	}
	return nil
}

// tally reads the counters of the paths' nodes and of their poolers, after it has cleared the nodes, so that all counts
// are handed in.
func (l *Servers) tally(ctx context.Context, sides []*Side) (all []tally, err error) {
	for _, s := range sides {
		if err := l.pooler(s.Route).Settle(ctx, s.Route.use()); err != nil {
			return nil, err
		}
	}
	if err := l.clear(ctx, nodesOf(sides)); err != nil {
		return nil, err
	}
	for _, s := range sides {
		t := tally{nodes: map[string]pooler.NodeCounters{}}
		for _, name := range s.Route.Nodes() {
			if t.nodes[name], err = l.nodes[name].Counters(ctx, s.Route.counted()); err != nil {
				return nil, err
			}
		}
		if t.pooler, err = l.pooler(s.Route).Counters(ctx, s.Route.use()); err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

// since is what was counted from before the load to after it.
func (s *Side) since(after tally, k6 result.Counted) pooler.LoadCounts {
	l := pooler.LoadCounts{K6: k6, Own: s.before.own,
		Transactions: after.pooler.Transactions - s.before.pooler.Transactions}
	for _, name := range s.Route.Nodes() {
		from, to := s.before.nodes[name], after.nodes[name]
		l.Nodes = append(l.Nodes, pooler.NodeCounters{Name: name, Commits: to.Commits - from.Commits,
			Sessions: to.Sessions - from.Sessions})
	}
	return l
}

// nodesOf are the nodes that any of the sides can reach, each once.
func nodesOf(sides []*Side) (all []string) {
	for _, s := range sides {
		all = append(all, s.Route.Nodes()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
