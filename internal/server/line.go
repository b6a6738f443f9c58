package server

import (
	"context"
	"fmt"
	"time"
)

// restartWait is how long a server that doesn't answer may take to come back before a repeat fails for it.
const restartWait = 20 * time.Second

// A line is a session of the lab's own that is opened when it is first needed, and anew where it broke.
type line struct {
	name     string // whom it leads to
	dsn      string
	password string
	session  *session
}

func (l *line) ask(ctx context.Context, sql string) ([]row, error) {
	for attempt := 1; ; attempt++ {
		if l.session == nil {
			s, err := openWithin(ctx, restartWait, l.dsn, l.password)
			if err != nil {
				return nil, fmt.Errorf("ask %s: %w", l.name, err)
			}
			l.session = s
		}
		rows, err := l.session.ask(ctx, sql)
		if err == nil {
			return rows, nil
		}
		if l.session.conn.IsClosed() {
			l.session = nil
		}
		if l.session != nil || attempt == 2 || ctx.Err() != nil {
			return nil, fmt.Errorf("ask %s: %w", l.name, err)
		}
	}
}

func (l *line) askOne(ctx context.Context, sql string) (row, error) {
	rows, err := l.ask(ctx, sql)
	if err != nil {
		return nil, err
	}
	if len(rows) != 1 {
		return nil, fmt.Errorf("ask %s: %d rows instead of one", l.name, len(rows))
	}
	return rows[0], nil
}

func (l *line) close() {
	if l.session != nil {
		l.session.close()
		l.session = nil
	}
}
