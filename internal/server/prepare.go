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
		held, err := l.pooler(s.Route).Held(ctx, s.Route.use().Database)
		if err == nil && held != "" {
			err = fmt.Errorf("%s lets no client through: %s; 'scripts/reset --keep-data' ends that", s.Route.PoolerService(),
				held)
		}
		if err != nil {
			return err
		}
	}
	for _, s := range sides {
		if err := l.GrantLogin(ctx, s.Route.Role, s.Route.Nodes()...); err != nil {
			return err
		}
	}
	if err := l.applySettings(ctx, p.Settings); err != nil {
		return err
	}
	if p.Writes && slices.ContainsFunc(sides, func(s *Side) bool { return s.Route.postgreSQL() }) {
		if err := l.BeginWrites(ctx); err != nil {
			return err
		}
	}
	for _, s := range sides {
		if s.Route.Fresh {
			return l.makeFresh(ctx, s.Route)
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

// Reset undoes what may have been changed on poolers and nodes since a start of the lab, whoever left it so. It goes on
// where something can't be undone: the error names all of that. done says what it looked at and found or made right.
func (l *Servers) Reset(ctx context.Context) (done []string, err error) {
	var failed []error
	step := func(what string, err error) {
		if err == nil {
			done = append(done, what)
			return
		}
		failed = append(failed, err)
	}
	for _, service := range slices.Sorted(maps.Keys(l.poolers)) {
		did, err := l.poolers[service].Reset(ctx)
		if err != nil {
			err = fmt.Errorf("%s isn't as its file has it ('scripts/compose restart %s' makes it so): %w", service, service, err)
		}
		if did != "" || err != nil {
			step(service+": "+did, err)
		}
	}
	for _, name := range topology.Nodes() {
		step(name+": nothing by ALTER SYSTEM", l.nodes[name].resetParameters(ctx))
	}
	step("roles and databases: no settings of their own", l.nodes[primary].resetOwn(ctx))
	step(topology.AppTrust+": no login", l.RevokeLogin(ctx, standby))
	step("", l.dropFresh(ctx))
	return slices.DeleteFunc(done, func(text string) bool { return text == "" }), errors.Join(failed...)
}

// SamplePooler returns how the path's pooler is filled just now, all pools of measured connections together.
func (l *Servers) SamplePooler(ctx context.Context, p Route) (result.Pooler, error) {
	return l.pooler(p).Sample(ctx, p.use())
}
