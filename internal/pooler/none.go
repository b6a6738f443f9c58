package pooler

import (
	"context"
	"errors"
	"strings"

	"pooler-lab/internal/result"
	"pooler-lab/internal/session"
)

// None is the pooler of a path that has none: it does nothing, and all that is counted is clients' own.
type None struct{}

// Overhead is what is no client's: a connection's own transaction, prepares, and what the lab did. With
// target_session_attrs k6 asks once a connection whether the server takes writes, and pgbench doesn't have to ask.
func (None) Overhead(u Use, l LoadCounts) Overhead {
	o := Overhead{less: []deduction{{"connections' own", l.Sessions}, {"prepares", l.K6.Prepares},
		{"the lab's own", l.Own.Statements}}}
	if strings.Contains(u.DSN, "target_session_attrs") {
		o.unsure = l.Sessions
	}
	return o
}

// Opened is one for each connection of a client.
func (None) Opened(_ Use, l LoadCounts) (int64, bool) {
	return l.K6.Connections + l.Own.Connections, true
}

// There is nobody to do what follows, or to answer.

func (None) Enter(context.Context) error                            { return nil }
func (None) Learn(context.Context, *session.Session) (int64, error) { return 0, nil }
func (None) Fill(context.Context, Use) (Own, error)                 { return Own{}, nil }
func (None) Settle(context.Context, Use) error                      { return nil }
func (None) CloseServers(context.Context)                           {}
func (None) Emptied(context.Context, Use) error                     { return nil }
func (None) Counters(context.Context, Use) (Counters, error)        { return Counters{}, nil }
func (None) Counted(Use, LoadCounts) []result.Count                 { return nil }
func (None) Sample(context.Context, Use) (result.Pooler, error)     { return result.Pooler{}, nil }
func (None) State(context.Context) (State, error)                   { return State{}, nil }
func (None) Version(context.Context) (string, error)                { return "", nil }
func (None) Setting(context.Context, string) (string, error)        { return "", errFixed }
func (None) Apply(context.Context, string, string) error            { return errFixed }
func (None) Reset(context.Context) (string, error)                  { return "", nil }
func (None) HoldsBack() bool                                        { return false }
func (None) Pause(context.Context) error                            { return nil }
func (None) Resume(context.Context) (bool, error)                   { return false, nil }
func (None) Held(context.Context, string) (string, error)           { return "", nil }
func (None) Follows(context.Context, string) error                  { return nil }
func (None) CloseIdle(context.Context) error                        { return nil }
func (None) Close()                                                 {}
func (None) Prove(context.Context, Use, *session.Session, string) ([]result.Fact, error) {
	return nil, nil
}

var errFixed = errors.New("its settings are those of its files alone")
