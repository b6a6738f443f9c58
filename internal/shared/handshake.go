// Package shared is what packages on many floors need and no library has: the phases of a connect to PostgreSQL, the
// use of the host's CPUs, when a rate is steady, how long slots are, medians, files that are written whole, and asking
// until something is so. The lab's k6 has it, too.
package shared

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// A Handshake times one connect: dial, TLS, authentication, and the client's own hashing for SCRAM. Its phases add up
// to the whole: each ends where the next one begins.
type Handshake struct {
	// Wrap, unless nil, makes the connection that is used of the one that was dialled.
	Wrap func(net.Conn) net.Conn
	// TCP is how long a link holds back what a new connection sends first, in place of TCP's handshake (cmd/toxiproxy).
	// So much of the connect is dial, and not what comes after it.
	TCP time.Duration

	began, dialled, secured, ready time.Time
	tls                            bool

	head     []byte    // of what has arrived since the client sent the last message
	received time.Time // the end of it
	hashed   time.Duration
}

// Watch returns a copy of config for the connect, which begins now. Of the addresses that it tries the last one is
// timed.
func (h *Handshake) Watch(config *pgconn.Config) *pgconn.Config {
	copied := *config
	copied.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := config.DialFunc(ctx, network, address)
		if err != nil || !h.ready.IsZero() { // a cancel request dials too, later
			return conn, err
		}
		if h.Wrap != nil {
			conn = h.Wrap(conn)
		}
		h.dialled = time.Now().Add(h.TCP)
		return conn, nil
	}
	copied.AfterNetConnect = func(ctx context.Context, _ *pgconn.Config, conn net.Conn) (net.Conn, error) {
		h.secured, h.tls = h.dialled, false
		if secure, ok := conn.(*tls.Conn); ok {
			// Otherwise the handshake came with the first message, and counted as authentication.
			if err := secure.HandshakeContext(ctx); err != nil {
				return conn, &TLSError{err}
			}
			h.secured, h.tls = time.Now(), true
			h.dialled = earlier(h.dialled, h.secured)
		}
		return conn, nil
	}
	copied.BuildFrontend = func(r io.Reader, w io.Writer) *pgproto3.Frontend {
		h.head, h.hashed = nil, 0 // of an attempt at another address
		return config.BuildFrontend(&reader{r, h}, &writer{w, h})
	}
	copied.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		h.ready = time.Now()
		h.secured = earlier(h.secured, h.ready)
		h.dialled = earlier(h.dialled, h.secured)
		if config.AfterConnect != nil {
			return config.AfterConnect(ctx, conn)
		}
		return nil
	}
	h.began = time.Now()
	return &copied
}

// earlier is the earlier one of two moments: a link may have held back less than it was set to.
func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// Ready is when the session took queries.
func (h *Handshake) Ready() time.Time { return h.ready }

// Connect is how long the connect took, until the session took queries.
func (h *Handshake) Connect() time.Duration { return h.ready.Sub(h.began) }

// Dial is how long the network connection took, with the name lookup where there was one and
// with TCP's handshake over a link.
func (h *Handshake) Dial() time.Duration { return h.dialled.Sub(h.began) }

// TLS is how long asking for TLS and its handshake took, and whether there is TLS.
func (h *Handshake) TLS() (took time.Duration, encrypted bool) {
	return h.secured.Sub(h.dialled), h.tls
}

// Auth is how long it took from the startup message until the session took queries.
func (h *Handshake) Auth() time.Duration { return h.ready.Sub(h.secured) }

// Hashed is how long the client itself hashed, as a part of Auth; 0 where the login was without SCRAM. It is the time
// from the moment when the server's challenge (SASLContinue) has arrived until the client hands its answer
// (SASLResponse) to the network or to TLS. That is PBKDF2 over as many rounds as the server asks for (4096 unless
// scram_iterations says otherwise), the messages' reading and writing, and whatever the client waits for a CPU
// meanwhile. The check of the server's proof comes later, takes microseconds and isn't in it.
func (h *Handshake) Hashed() time.Duration { return h.hashed }

// challengeHead is how SASLContinue begins: its type, its length and its kind.
const challengeHead = 1 + 4 + 4

// challenged reports whether what has arrived is SASLContinue.
func (h *Handshake) challenged() bool {
	return len(h.head) == challengeHead && h.head[0] == 'R' &&
		binary.BigEndian.Uint32(h.head[5:]) == pgproto3.AuthTypeSASLContinue
}

// reader is a session's incoming side.
type reader struct {
	io.Reader
	of *Handshake
}

// Read notes what arrives before the session takes queries.
func (r *reader) Read(buf []byte) (int, error) {
	n, err := r.Reader.Read(buf)
	if h := r.of; n > 0 && h.ready.IsZero() {
		h.received = time.Now()
		h.head = append(h.head, buf[:min(n, challengeHead-len(h.head))]...)
	}
	return n, err
}

// writer is a session's outgoing side.
type writer struct {
	io.Writer
	of *Handshake
}

// Write notes when the client sends something after the server's challenge.
func (w *writer) Write(buf []byte) (int, error) {
	if h := w.of; h.ready.IsZero() {
		if h.challenged() {
			h.hashed = time.Since(h.received)
		}
		h.head = h.head[:0]
	}
	return w.Writer.Write(buf)
}

// A TLSError is a TLS handshake that failed.
type TLSError struct {
	err error
}

// Error says what failed.
func (e *TLSError) Error() string { return "TLS handshake: " + e.err.Error() }

// Unwrap returns the cause.
func (e *TLSError) Unwrap() error { return e.err }
