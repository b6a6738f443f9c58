package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"pooler-lab/internal/result"
	"pooler-lab/internal/topology"
)

// A Preparation is what a cell wants of the servers, beside a path that leads where it says.
type Preparation struct {
	Writes   bool                         // see BeginWrites
	Settings map[string]map[string]string // by component and name
}

// Prepare brings the servers into the state that a trial wants: their roles may log in, their
// settings are in force, their tables are tidy, their database is new. Restore undoes what would last.
func (l *Servers) Prepare(ctx context.Context, p Preparation, sides ...*Side) error {
	for _, s := range sides {
		if err := l.GrantLogin(ctx, s.Path.Role, s.Path.Nodes()...); err != nil {
			return err
		}
	}
	if err := l.applySettings(ctx, p.Settings); err != nil {
		return err
	}
	if p.Writes && slices.ContainsFunc(sides, func(s *Side) bool { return s.Path.postgreSQL() }) {
		if err := l.BeginWrites(ctx); err != nil {
			return err
		}
	}
	for _, s := range sides {
		if s.Path.Fresh {
			return l.makeFresh(ctx, s.Path)
		}
	}
	return nil
}

// Restore makes logins and settings what they were before Prepare. It tries all of it, whatever fails, and what could
// not be restored is tried again when it is called once more.
func (l *Servers) Restore(ctx context.Context) error {
	failed := []error{l.restoreSettings(ctx)}
	if l.granted != nil {
		failed = append(failed, l.RevokeLogin(ctx, l.granted...))
	}
	if l.madeFresh {
		failed = append(failed, l.dropFresh(ctx))
	}
	return errors.Join(failed...)
}

// Reset undoes whatever lessons apply, whoever left it so: poolers' settings by having them read their files again,
// what ALTER SYSTEM set on the nodes, the login of the role that has no password, with the connections that poolers
// keep open for it, and the database that is made anew.
func (l *Servers) Reset(ctx context.Context) error {
	for _, service := range slices.Sorted(maps.Keys(l.poolers)) {
		if err := l.poolers[service].Reset(ctx); err != nil {
			return fmt.Errorf("reset %s: %w", service, err)
		}
	}
	for _, name := range topology.Nodes() {
		if err := l.nodes[name].resetParameters(ctx); err != nil {
			return err
		}
	}
	if err := l.RevokeLogin(ctx, standby); err != nil {
		return err
	}
	return l.dropFresh(ctx)
}

// SamplePooler returns how the path's pooler is filled just now, all pools of measured connections together.
func (l *Servers) SamplePooler(ctx context.Context, p Path) (result.Pooler, error) {
	return l.pooler(p).Sample(ctx, p.use())
}
