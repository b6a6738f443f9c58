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

// Ask sends one statement and returns its rows.
func (l *Line) Ask(ctx context.Context, sql string) ([]Row, error) {
	for attempt := 1; ; attempt++ {
		if l.session == nil {
			s, err := OpenWithin(ctx, restartWait, l.dsn, l.password)
			if err != nil {
				return nil, fmt.Errorf("ask %s: %w", l.Name, err)
			}
			l.session = s
		}
		rows, err := l.session.Ask(ctx, sql)
		if err == nil {
			return rows, nil
		}
		if l.session.Closed() {
			l.session = nil
		}
		if l.session != nil || attempt == 2 || ctx.Err() != nil {
			return nil, fmt.Errorf("ask %s: %w", l.Name, err)
		}
	}
}

// AskOne is Ask for an answer of one row.
func (l *Line) AskOne(ctx context.Context, sql string) (Row, error) {
	rows, err := l.Ask(ctx, sql)
	if err != nil {
		return nil, err
	}
	if len(rows) != 1 {
		return nil, fmt.Errorf("ask %s: %d rows instead of one", l.Name, len(rows))
	}
	return rows[0], nil
}

// Close ends the session; the next question opens another one.
func (l *Line) Close() {
	if l.session != nil {
		l.session.Close()
		l.session = nil
	}
}
