// Package server asks the lab's servers and poolers what they say of themselves: which one they are, whom they
// see, and how much they counted. It believes no host name.
package server

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
	applicationName = "pooler-lab"
	loadName        = "k6"
)

// A row is one row of an answer, by column; a null is missing.
type row map[string]string

// A session is one connection that speaks the simple protocol alone, since that is all that PgBouncer's console
// and Pgpool-II's SHOW commands understand.
type session struct{ conn *pgconn.PgConn }

// open connects with a libpq keyword string that holds no password.
func open(ctx context.Context, dsn, password string) (*session, error) {
	return openAs(ctx, applicationName, dsn, password)
}

func openAs(ctx context.Context, name, dsn, password string) (*session, error) {
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
	return &session{conn}, nil
}

// openWithin connects as open does and keeps trying for wait while nobody listens or the server is starting.
func openWithin(ctx context.Context, wait time.Duration, dsn, password string) (*session, error) {
	giveUp := time.Now().Add(wait)
	for {
		s, err := open(ctx, dsn, password)
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

// ask sends one statement and returns its rows.
func (s *session) ask(ctx context.Context, sql string) ([]row, error) {
	results, err := s.conn.Exec(ctx, sql).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(results) == 0 {
		return nil, nil
	}
	last := results[len(results)-1]
	rows := make([]row, 0, len(last.Rows))
	for _, values := range last.Rows {
		r := row{}
		for i, v := range values {
			if v != nil {
				r[last.FieldDescriptions[i].Name] = string(v)
			}
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// askOne is ask for an answer of one row.
func (s *session) askOne(ctx context.Context, sql string) (row, error) {
	rows, err := s.ask(ctx, sql)
	if err != nil {
		return nil, err
	}
	if len(rows) != 1 {
		return nil, fmt.Errorf("%d rows instead of one", len(rows))
	}
	return rows[0], nil
}

func (s *session) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	s.conn.Close(ctx)
}
