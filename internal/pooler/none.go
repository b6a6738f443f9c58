package pooler

import (
	"context"
	"errors"

	"pooler-lab/internal/result"
	"pooler-lab/internal/session"
)

// None is the pooler of a path that has none: it does nothing, and all that is counted is clients' own.
type None struct{}

// Version has nobody to ask.
func (None) Version(context.Context) (string, error) { return "", errNone }

// Enter does nothing.
func (None) Enter(context.Context) error { return nil }

// Learn does nothing.
func (None) Learn(context.Context, *session.Session) (int64, error) { return 0, nil }

// Prove has nothing to say.
func (None) Prove(context.Context, Use, *session.Session, string) ([]result.Fact, error) {
	return nil, nil
}

// Fill does nothing.
func (None) Fill(context.Context, Use) (Own, error) { return Own{}, nil }

// Settle does nothing.
func (None) Settle(context.Context, Use) error { return nil }

// CloseServers does nothing.
func (None) CloseServers(context.Context) {}

// Emptied does nothing.
func (None) Emptied(context.Context, Use) error { return nil }

// Counters has none.
func (None) Counters(context.Context, Use) (Counters, error) { return Counters{}, nil }

// Counted has nothing to say.
func (None) Counted(Use, Load) []result.Count { return nil }

// Overhead is what is no client's: a connection's own transaction, prepares, and what the lab did.
func (None) Overhead(_ Use, l Load) Overhead {
	return Overhead{less: []deduction{{"connections' own", l.Sessions}, {"prepares", l.K6.Prepares},
		{"the lab's own", l.Own.Statements}}}
}

// Opened is one for each connection of a client.
func (None) Opened(_ Use, l Load) (int64, bool) { return l.K6.Connections + l.Own.Connections, true }

// Sample has nothing to say.
func (None) Sample(context.Context, Use) (result.Pooler, error) { return result.Pooler{}, nil }

// State has nothing to say.
func (None) State(context.Context) (State, error) { return State{}, nil }

// Setting has none.
func (None) Setting(context.Context, string) (string, error) { return "", errNone }

// Apply has none.
func (None) Apply(context.Context, string, string) error { return errNone }

// Reset does nothing.
func (None) Reset(context.Context) error { return nil }

// CloseIdle does nothing.
func (None) CloseIdle(context.Context) error { return nil }

// Close does nothing.
func (None) Close() {}

var errNone = errors.New("there is no pooler")
