// Package handshake times a connect to PostgreSQL: dial, TLS, authentication, and the client's own hashing for SCRAM.
package handshake

import (
	"context"
	"crypto/tls"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// A Timing times one connect. Its phases add up to the whole: each ends where the next one begins.
type Timing struct {
	// Wrap, unless nil, makes the connection that is used of the one that was dialled.
	Wrap func(net.Conn) net.Conn

	began, dialled, secured, ready time.Time
	tls                            bool
	clock                          Clock
}

// Watch returns a copy of config for the connect, which begins now. Of the addresses that it tries the last one is
// timed.
func (t *Timing) Watch(config *pgconn.Config) *pgconn.Config {
	copied := *config
	copied.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := config.DialFunc(ctx, network, address)
		if err != nil || !t.ready.IsZero() { // a cancel request dials too, later
			return conn, err
		}
		if t.Wrap != nil {
			conn = t.Wrap(conn)
		}
		t.dialled = time.Now()
		return conn, nil
	}
	copied.AfterNetConnect = func(ctx context.Context, _ *pgconn.Config, conn net.Conn) (net.Conn, error) {
		t.secured, t.tls = t.dialled, false
		if secure, ok := conn.(*tls.Conn); ok {
			// Otherwise the handshake came with the first message, and counted as authentication.
			if err := secure.HandshakeContext(ctx); err != nil {
				return conn, &TLSError{err}
			}
			t.secured, t.tls = time.Now(), true
		}
		return conn, nil
	}
	after := config.AfterConnect
	copied.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		t.ready = time.Now()
		t.clock.Stop()
		if after != nil {
			return after(ctx, conn)
		}
		return nil
	}
	t.clock.Watch(&copied)
	t.began = time.Now()
	return &copied
}

// Ready is when the session took queries.
func (t *Timing) Ready() time.Time { return t.ready }

// Connect is how long the connect took, until the session took queries.
func (t *Timing) Connect() time.Duration { return t.ready.Sub(t.began) }

// Dial is how long the network connection took, with the name lookup where there was one.
func (t *Timing) Dial() time.Duration { return t.dialled.Sub(t.began) }

// TLS is how long asking for TLS and its handshake took, and whether there is TLS.
func (t *Timing) TLS() (took time.Duration, encrypted bool) { return t.secured.Sub(t.dialled), t.tls }

// Auth is how long it took from the startup message until the session took queries.
func (t *Timing) Auth() time.Duration { return t.ready.Sub(t.secured) }

// Hashed is how long the client itself hashed, as a part of Auth; 0 where the login was without SCRAM.
func (t *Timing) Hashed() time.Duration { return t.clock.Hashed() }

// A TLSError is a TLS handshake that failed.
type TLSError struct {
	err error
}

// Error says what failed.
func (e *TLSError) Error() string { return "TLS handshake: " + e.err.Error() }

// Unwrap returns the cause.
func (e *TLSError) Unwrap() error { return e.err }
