// Package session holds the lab's own connections to servers and poolers.
package session

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pooler-lab/internal/shared"
)

// What connections call themselves: the lab's own, and k6/x/pg's.
const (
	Name     = "pooler-lab"
	LoadName = "k6"
)

// A Session is one connection. It belongs to one goroutine.
type Session struct{ *pgx.Conn }

// Open connects with a libpq keyword string that holds no password.
func Open(ctx context.Context, dsn, password string) (*Session, error) {
	return OpenAs(ctx, Name, dsn, password)
}

// OpenAs connects as Open does, under another application name.
func OpenAs(ctx context.Context, name, dsn, password string) (*Session, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("read connection settings: %w", err)
	}
	config.Password = password
	config.RuntimeParams["application_name"] = name
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	return &Session{conn}, nil
}

// OpenWithin connects as Open does and keeps trying for wait while nobody listens or the server is starting.
func OpenWithin(ctx context.Context, wait time.Duration, dsn, password string) (s *Session, err error) {
	_ = shared.Until(ctx, wait, 250*time.Millisecond, func() (bool, error) { // err says more than that it is late
		s, err = Open(ctx, dsn, password)
		return err == nil || !comingUp(err), nil
	})
	return s, err
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

// Ask sends one statement in the simple protocol, which is all that a pooler's admin console and its SHOW commands
// understand, and returns its rows.
func (s *Session) Ask(ctx context.Context, sql string) ([]Row, error) {
	results, err := s.PgConn().Exec(ctx, sql).ReadAll()
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, r := range results {
		for _, values := range r.Rows {
			rows = append(rows, toRow(r.FieldDescriptions, values))
		}
	}
	return rows, nil
}

// AskOne is Ask for an answer of one row.
func (s *Session) AskOne(ctx context.Context, sql string) (Row, error) {
	rows, err := s.Ask(ctx, sql)
	switch {
	case err != nil:
		return nil, err
	case len(rows) == 0:
		return nil, pgx.ErrNoRows
	case len(rows) > 1:
		return nil, pgx.ErrTooManyRows
	}
	return rows[0], nil
}

// PID is the process of the server's that answers, as it was told at the connect.
func (s *Session) PID() uint32 { return s.PgConn().PID() }

// LocalAddress is this end's of the connection, empty for a Unix socket.
func (s *Session) LocalAddress() string {
	host, _, err := net.SplitHostPort(s.PgConn().Conn().LocalAddr().String())
	if err != nil {
		return ""
	}
	return host
}

// Close ends the connection.
func (s *Session) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = s.Conn.Close(ctx)
}
