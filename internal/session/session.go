// Package session holds the lab's own connections to servers and poolers. They speak the simple protocol alone.
package session

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// What connections call themselves: the lab's own, and k6/x/pg's.
const (
	Name     = "pooler-lab"
	LoadName = "k6"
)

// A Session is one connection. It speaks the simple protocol, since that is all that a pooler's admin console and
// its SHOW commands understand.
type Session struct{ conn *pgconn.PgConn }

// Open connects with a libpq keyword string that holds no password.
func Open(ctx context.Context, dsn, password string) (*Session, error) {
	return OpenAs(ctx, Name, dsn, password)
}

// OpenAs connects as Open does, under another application name.
func OpenAs(ctx context.Context, name, dsn, password string) (*Session, error) {
	config, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("read connection settings: %w", err)
	}
	config.Password = password
	config.RuntimeParams["application_name"] = name
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	return &Session{conn}, nil
}

// OpenWithin connects as Open does and keeps trying for wait while nobody listens or the server is starting.
func OpenWithin(ctx context.Context, wait time.Duration, dsn, password string) (*Session, error) {
	giveUp := time.Now().Add(wait)
	for {
		s, err := Open(ctx, dsn, password)
		if err == nil || !comingUp(err) || time.Now().After(giveUp) {
			return s, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(250 * time.Millisecond):
		}
	}
}

// comingUp says whether err is one that a server gives while it restarts.
func comingUp(err error) bool {
	var said *pgconn.PgError
	if errors.As(err, &said) {
		return said.Code == "57P03" || said.Code == "57P01" // starting up, shutting down
	}
	var noName *net.DNSError // a stopped container has no name
	return errors.As(err, &noName) || errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ECONNRESET)
}

// Ask sends one statement and returns its rows.
func (s *Session) Ask(ctx context.Context, sql string) ([]Row, error) {
	results, err := s.conn.Exec(ctx, sql).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(results) == 0 {
		return nil, nil
	}
	last := results[len(results)-1]
	rows := make([]Row, 0, len(last.Rows))
	for _, values := range last.Rows {
		r := Row{}
		for i, v := range values {
			if v != nil {
				r[last.FieldDescriptions[i].Name] = string(v)
			}
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// AskOne is Ask for an answer of one row.
func (s *Session) AskOne(ctx context.Context, sql string) (Row, error) {
	rows, err := s.Ask(ctx, sql)
	if err != nil {
		return nil, err
	}
	if len(rows) != 1 {
		return nil, fmt.Errorf("%d rows instead of one", len(rows))
	}
	return rows[0], nil
}

// PID is the process of the server's that answers, as it was told at the connect.
func (s *Session) PID() uint32 { return s.conn.PID() }

// Closed says whether the connection is gone.
func (s *Session) Closed() bool { return s.conn.IsClosed() }

// LocalAddress is this end's of the connection, empty for a Unix socket.
func (s *Session) LocalAddress() string {
	host, _, err := net.SplitHostPort(s.conn.Conn().LocalAddr().String())
	if err != nil {
		return ""
	}
	return host
}

// Close ends the connection.
func (s *Session) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	s.conn.Close(ctx)
}
