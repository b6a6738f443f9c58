package server

import (
	"context"
	"errors"
)

// A Preparation is what a cell wants of the servers, beside a journey that leads where it says.
type Preparation struct {
	Writes   bool                         // see BeginWrites
	Settings map[string]map[string]string // by component and name
}

// Prepare brings the servers into the state that a repeat wants: its role may log in, its settings are in force, its
// tables are tidy, its database is new. TakeBack undoes what would last.
func (l *Lab) Prepare(ctx context.Context, j Journey, p Preparation) error {
	if err := l.Admit(ctx, j.Role, j.nodes()...); err != nil {
		return err
	}
	if err := l.turn(ctx, p.Settings); err != nil {
		return err
	}
	if p.Writes && len(j.nodes()) > 0 {
		if err := l.BeginWrites(ctx); err != nil {
			return err
		}
	}
	if j.Fresh {
		return l.makeFresh(ctx, j)
	}
	return nil
}

// TakeBack makes logins and settings what they were before Prepare. It tries all of it, whatever fails, and what could
// not be taken back is tried again when it is called once more.
func (l *Lab) TakeBack(ctx context.Context) error {
	failed := []error{l.turnBack(ctx)}
	if l.admitted != nil {
		failed = append(failed, l.Expel(ctx, l.admitted...))
	}
	if l.madeFresh {
		failed = append(failed, l.dropFresh(ctx))
	}
	return errors.Join(failed...)
}
