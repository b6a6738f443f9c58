package server

import (
	"context"

	"pooler-lab/internal/pooler"
	"pooler-lab/internal/result"
)

// A Tally is everything that servers and poolers of a path counted until now, and what the lab itself did on it
// between then and the load.
type Tally struct {
	nodes  map[string]Counters
	pooler pooler.Counters
	own    pooler.Own
}

// tally reads the counters of the path's nodes and of its pooler, after it has cleared the nodes, so that all counts
// are handed in.
func (l *Lab) tally(ctx context.Context, p Path) (Tally, error) {
	t := Tally{nodes: map[string]Counters{}}
	pool := l.pooler(p)
	if err := pool.Settle(ctx, p.use()); err != nil {
		return t, err
	}
	if err := l.Clear(ctx, p); err != nil {
		return t, err
	}
	var err error
	for _, name := range p.Nodes() {
		if t.nodes[name], err = l.nodes[name].Counters(ctx, p.counted()); err != nil {
			return t, err
		}
	}
	t.pooler, err = pool.Counters(ctx, p.use())
	return t, err
}

// Reconcile reads all counts again and sets those since before beside k6's.
func (l *Lab) Reconcile(ctx context.Context, p Path, before Tally, k6 result.Counted) (
	[]result.Count, []result.Share, error) {
	// Before the nodes are cleared: what that makes a pooler count isn't the load's.
	loaded, err := l.pooler(p).Counters(ctx, p.use())
	if err != nil {
		return nil, nil, err
	}
	after, err := l.tally(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	counts := l.pooler(p).Counts(p.use(), load(p, before, after, k6))
	return counts, loaded.Since(before.pooler), nil
}

// load is what was counted between two tallies.
func load(p Path, before, after Tally, k6 result.Counted) pooler.Load {
	l := pooler.Load{K6: k6, Own: before.own, Transactions: after.pooler.Transactions - before.pooler.Transactions}
	for _, name := range p.Nodes() {
		c := after.nodes[name].less(before.nodes[name])
		l.Nodes = append(l.Nodes, pooler.Node{Name: name, Commits: c.Commits, Sessions: c.Sessions})
	}
	return l
}
