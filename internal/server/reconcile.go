package server

import (
	"context"
	"slices"

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

// tally reads the counters of the paths' nodes and of their poolers, after it has cleared the nodes, so that all counts
// are handed in.
func (l *Lab) tally(ctx context.Context, paths []Path) ([]Tally, error) {
	for _, p := range paths {
		if err := l.pooler(p).Settle(ctx, p.use()); err != nil {
			return nil, err
		}
	}
	if err := l.clear(ctx, nodes(paths)); err != nil {
		return nil, err
	}
	var all []Tally
	for _, p := range paths {
		t := Tally{nodes: map[string]Counters{}}
		var err error
		for _, name := range p.Nodes() {
			if t.nodes[name], err = l.nodes[name].Counters(ctx, p.counted()); err != nil {
				return nil, err
			}
		}
		if t.pooler, err = l.pooler(p).Counters(ctx, p.use()); err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

// nodes are those that any of the paths can reach, each once.
func nodes(paths []Path) (all []string) {
	for _, p := range paths {
		for _, n := range p.Nodes() {
			if !slices.Contains(all, n) {
				all = append(all, n)
			}
		}
	}
	return all
}

// Reconcile reads all counts again and sets those since before beside k6's.
func (l *Lab) Reconcile(ctx context.Context, p Path, before Tally, k6 result.Counted) (
	[]result.Count, []result.Share, error) {
	loads, shares, err := l.since(ctx, []Path{p}, []Tally{before}, []result.Counted{k6})
	if err != nil {
		return nil, nil, err
	}
	return pooler.Counts(l.pooler(p), p.use(), loads[0]), shares[0], nil
}

// ReconcilePair does what Reconcile does for two paths that were loaded together. A balancer that both crossed can't
// tell whose SELECTs it sent where: there are no shares then.
func (l *Lab) ReconcilePair(ctx context.Context, paths [2]Path, before [2]Tally, k6 [2]result.Counted) (
	counts [2][]result.Count, shares [2][]result.Share, err error) {
	loads, both, err := l.since(ctx, paths[:], before[:], k6[:])
	if err != nil {
		return counts, shares, err
	}
	var sides [2]pooler.Side
	for i, p := range paths {
		sides[i] = pooler.Side{Pooler: l.pooler(p), Use: p.use(), Load: loads[i]}
	}
	if paths[0].PoolerService() != paths[1].PoolerService() {
		shares = [2][]result.Share{both[0], both[1]}
	}
	return pooler.PairCounts(sides), shares, nil
}

// since is what was counted on each path since before, and where its SELECTs went.
func (l *Lab) since(ctx context.Context, paths []Path, before []Tally, k6 []result.Counted) (
	loads []pooler.Load, shares [][]result.Share, err error) {
	var loaded []pooler.Counters
	for _, p := range paths { // before the nodes are cleared: what that makes a pooler count isn't the load's
		c, err := l.pooler(p).Counters(ctx, p.use())
		if err != nil {
			return nil, nil, err
		}
		loaded = append(loaded, c)
	}
	after, err := l.tally(ctx, paths)
	if err != nil {
		return nil, nil, err
	}
	for i, p := range paths {
		of := load(p, before[i], after[i], k6[i])
		of.Servers = loaded[i].Servers
		loads, shares = append(loads, of), append(shares, loaded[i].Since(before[i].pooler))
	}
	return loads, shares, nil
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
