package session

import (
	"context"
	"fmt"
	"time"
)

// restartWait is how long a server that doesn't answer may take to come back before a repeat fails for it.
const restartWait = 20 * time.Second

// A Line is a session that is opened when it is first needed, and anew where it broke. It belongs to one goroutine.
type Line struct {
	Name     string // whom it leads to
	dsn      string
	password string
	session  *Session
}

// NewLine describes one; nothing is opened before it is asked. The dsn holds no password.
func NewLine(name, dsn, password string) *Line {
	return &Line{Name: name, dsn: dsn, password: password}
}

// Ask sends one statement and returns its rows. Where the connection breaks it sends the statement again on a new one.
func (l *Line) Ask(ctx context.Context, sql string) ([]Row, error) {
	return twice(ctx, l, func(s *Session) ([]Row, error) { return s.Ask(ctx, sql) })
}

// AskOne is Ask for an answer of one row.
func (l *Line) AskOne(ctx context.Context, sql string) (Row, error) {
	return twice(ctx, l, func(s *Session) (Row, error) { return s.AskOne(ctx, sql) })
}

// twice calls ask with an open session, and once more with a new one where the first one broke.
func twice[T any](ctx context.Context, l *Line, ask func(*Session) (T, error)) (answer T, err error) {
	for range 2 {
		if l.session == nil || l.session.IsClosed() {
			if l.session, err = OpenWithin(ctx, restartWait, l.dsn, l.password); err != nil {
				break
			}
		}
		if answer, err = ask(l.session); err == nil || !l.session.IsClosed() || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return answer, fmt.Errorf("ask %s: %w", l.Name, err)
	}
	return answer, nil
}

// Close ends the session; the next question opens another one.
func (l *Line) Close() {
	if l.session != nil {
		l.session.Close()
		l.session = nil
	}
}
