package server

import (
	"context"
	"fmt"
	"time"

	"pooler-lab/internal/shared"
	"pooler-lab/internal/topology"
)

// mayLogIn has a row where the role without a password may log in.
const mayLogIn = "SELECT FROM pg_roles WHERE rolcanlogin AND rolname = '" + topology.AppTrust + "'"

// GrantLogin lets the role log in, where it has no password and so may not unless something needs it, on all nodes
// given. RevokeLogin takes that back.
func (l *Servers) GrantLogin(ctx context.Context, role string, nodes ...string) error {
	if role != topology.AppTrust {
		return nil
	}
	if l.granted == nil {
		l.granted = []string{primary}
	}
	l.granted = append(l.granted, nodes...)
	if _, err := l.nodes[primary].Ask(ctx, "ALTER ROLE "+topology.AppTrust+" LOGIN"); err != nil {
		return fmt.Errorf("let %s log in: %w", topology.AppTrust, err)
	}
	for _, name := range nodes {
		if err := l.nodes[name].await(ctx, "that "+topology.AppTrust+" may log in", mayLogIn); err != nil {
			return err
		}
	}
	return nil
}

// RevokeLogin takes the login away from the role without a password, and ends what it has open on the primary and on
// the nodes given.
func (l *Servers) RevokeLogin(ctx context.Context, nodes ...string) error {
	rows, err := l.nodes[primary].Ask(ctx, mayLogIn)
	if err == nil && len(rows) > 0 {
		_, err = l.nodes[primary].Ask(ctx, "ALTER ROLE "+topology.AppTrust+" NOLOGIN")
	}
	if err != nil {
		return fmt.Errorf("take the login away from %s: %w", topology.AppTrust, err)
	}
	for _, name := range append([]string{primary}, nodes...) {
		const end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '" + topology.AppTrust + "'"
		if _, err := l.nodes[name].Ask(ctx, end); err != nil {
			return fmt.Errorf("end the sessions of %s: %w", topology.AppTrust, err)
		}
	}
	l.granted = nil
	return nil
}

// followWait is how long a change may take to arrive where it has to.
const followWait = 20 * time.Second

// await asks a statement until it has a row; what says what is waited for ("that ...").
func (n *Node) await(ctx context.Context, what, ask string) error {
	err := shared.Until(ctx, followWait, 10*time.Millisecond, func() (bool, error) {
		rows, err := n.Ask(ctx, ask)
		return len(rows) > 0, err
	})
	if err != nil {
		return fmt.Errorf("wait for %s to see %s: %w", n.Name, what, err)
	}
	return nil
}
