package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pooler-lab/internal/pooler"
	"pooler-lab/internal/session"
	"pooler-lab/internal/shared"
	"pooler-lab/internal/topology"
)

// A Node is a database server as the lab's own role sees it, on a connection that has no toxiproxy in it. Its session
// with PostgreSQL is in database postgres, so that database lab's counters hold clients alone. It belongs to one
// goroutine.
type Node struct{ *session.Line }

// NewNode describes the primary, the standby or yugabyte, which has a login for role app alone. Nothing is opened
// before it is asked.
func NewNode(service string) *Node {
	if service == yugabyte {
		dsn := topology.Endpoint{Host: yugabyte, Port: 5433, DBName: "lab"}.DSN(topology.App)
		return &Node{session.NewLine(yugabyte, dsn, topology.Password(topology.App))}
	}
	return &Node{session.NewLine(service, topology.NodeDSN(service), topology.LabPassword())}
}

// measured are the roles that measured connections have, as a list in SQL.
const measured = "'" + topology.App + "', '" + topology.AppClear + "', '" + topology.AppTrust + "'"

// leftover finds the backends of measured connections.
const leftover = "FROM pg_stat_activity WHERE usename IN (" + measured + ") AND backend_type = 'client backend'"

// Clear ends every measured connection's backend and waits until all are gone, whoever holds them. A backend
// hands its counts in as it ends, before it leaves pg_stat_activity; an idle one keeps them to itself for seconds.
func (n *Node) Clear(ctx context.Context) error {
	left := 0
	err := shared.Until(ctx, clearWait, 10*time.Millisecond, func() (bool, error) {
		rows, err := n.Ask(ctx, "SELECT pg_terminate_backend(pid) "+leftover)
		left = len(rows)
		return left == 0, err
	})
	if errors.Is(err, shared.ErrLate) {
		return fmt.Errorf("%d backends of measured connections on %s don't end", left, n.Name)
	}
	return err
}

// clearWait is how long backends may take to end: they finish what can't be interrupted first.
const clearWait = 15 * time.Second

// Counters is what the node has counted in a database since its statistics began. Clear before, or backends still hold
// some of theirs back.
func (n *Node) Counters(ctx context.Context, database string) (pooler.NodeCounters, error) {
	r, err := n.AskOne(ctx, "SELECT xact_commit, sessions FROM pg_stat_database WHERE datname = "+session.Quoted(database))
	if err != nil {
		return pooler.NodeCounters{}, err
	}
	var v session.Numbers
	c := pooler.NodeCounters{Name: n.Name, Commits: v.Of(r, "xact_commit"), Sessions: v.Of(r, "sessions")}
	if v.Err != nil {
		return c, fmt.Errorf("counters of %s: %w", n.Name, v.Err)
	}
	return c, nil
}
