// Package server asks the lab's servers and poolers what they say of themselves: which one they are, whom they see, and
// how much they counted. It believes no host name. Before a trial it sets what a cell wants of them, and takes it back
// afterwards.
package server

import (
	"context"
	"maps"
	"slices"

	"pooler-lab/internal/pooler"
	"pooler-lab/internal/topology"
)

// Servers are the lab's, over sessions of the lab's own. They belong to one goroutine.
type Servers struct {
	nodes     map[string]*Node         // PostgreSQL's, and YugabyteDB
	poolers   map[string]pooler.Pooler // by service
	applied   []applied                // settings that are to be restored
	granted   []string                 // nodes on which the role without a password may log in, nil where it may not
	madeFresh bool                     // there is a fresh database
}

// New describes the servers of the lab's paths, whose passwords are in the environment; each is connected to when it is
// first asked.
func New(set *topology.Set) (_ *Servers, err error) {
	l := &Servers{nodes: map[string]*Node{}}
	if l.poolers, err = pooler.All(set); err != nil {
		return nil, err
	}
	for _, name := range append(topology.Nodes(), yugabyte) {
		l.nodes[name] = NewNode(name)
	}
	return l, nil
}

// pooler is that of the path.
func (l *Servers) pooler(p Route) pooler.Pooler {
	if found := l.poolers[p.PoolerService()]; found != nil {
		return found
	}
	return pooler.None{}
}

// clear ends all backends of measured connections on the nodes, so that pools start empty and counts are handed in.
// Poolers first let go of those that they have to close themselves.
func (l *Servers) clear(ctx context.Context, nodes []string) error {
	for _, service := range slices.Sorted(maps.Keys(l.poolers)) {
		l.poolers[service].CloseServers(ctx)
	}
	for _, name := range nodes {
		if err := l.nodes[name].Clear(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Close ends the lab's own sessions.
func (l *Servers) Close() {
	for _, n := range l.nodes {
		n.Close()
	}
	for _, p := range l.poolers {
		p.Close()
	}
}
