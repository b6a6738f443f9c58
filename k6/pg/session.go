package pg

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// session is one connection and what is known of it. One goroutine at a time
// uses it, besides the guard, which cancels.
type session struct {
	conn     *pgconn.PgConn
	wire     *wire
	counted  traffic                                 // that is in the metrics already
	prepared map[string]*pgconn.StatementDescription // by SQL text
	closing  []*pgproto3.Close                       // what goes to the server before the next Parse
	connect  time.Duration                           // what the connect took, until the first statement
	place    string                                  // of the connect in the test: first or later
	moves    bool                                    // from one server connection to another, as it has shown

	mu        sync.Mutex
	running   context.Context // of the call that is under way; nil between calls
	cancelled bool
}

// newSession returns the session of a connect that has succeeded.
func newSession(conn *pgconn.PgConn, t *timing) *session {
	return &session{conn: conn, wire: t.wire, connect: t.Connect(),
		prepared: map[string]*pgconn.StatementDescription{}}
}

// open reports whether the connection can still be used.
func (s *session) open() bool {
	return !s.conn.IsClosed()
}

// mostPID is the largest process ID that Linux gives. PgBouncer makes up those that its clients are told.
const mostPID = 1 << 22

// pooled reports whether the connection is to a pooler, as far as it shows.
func (s *session) pooled() bool {
	return s.conn.PID() > mostPID || s.moves
}

// idle reports whether the connection is outside of a transaction.
func (s *session) idle() bool {
	return s.conn.TxStatus() == 'I'
}

// traffic returns what travelled since the last call.
func (s *session) traffic() traffic {
	total := s.wire.total()
	since := traffic{total.sent - s.counted.sent, total.received - s.counted.received, total.trips - s.counted.trips}
	s.counted = total
	return since
}

// begin lets the guard cancel what follows when ctx ends.
func (s *session) begin(ctx context.Context) {
	s.mu.Lock()
	s.running = ctx
	s.mu.Unlock()
}

// end ends what begin began. A connection that was cancelled is closed: the
// request may reach the server late and would end another statement. Nobody
// waits for its acknowledgement, for which Pgpool-II takes a second.
func (s *session) end() {
	s.mu.Lock()
	s.running = nil
	cancelled := s.cancelled
	s.mu.Unlock()
	if cancelled {
		s.close()
	}
}

// stop sends a cancel request if the call that is under way belongs to a test
// that was stopped.
func (s *session) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil || s.running.Err() == nil || s.cancelled {
		return
	}
	s.cancelled = true
	_ = s.wire.SetDeadline(time.Now().Add(cancelWait))
	go s.requestCancel()
}

// cancelAfter has the server cancel what is sent next where the answer takes longer than wait. done is to be called
// once the answer is there: it returns when no request is under way that could reach the statement after it.
func (s *session) cancelAfter(wait time.Duration) (done func()) {
	requested := make(chan struct{})
	timer := time.AfterFunc(wait, func() {
		defer close(requested)
		s.requestCancel()
	})
	return func() {
		if !timer.Stop() {
			<-requested
		}
	}
}

// requestCancel sends a cancel request, and returns when the server has taken it. One that can't be told is left after
// cancelWait.
func (s *session) requestCancel() {
	ctx, cancel := context.WithTimeout(context.Background(), cancelWait)
	defer cancel()
	_ = s.conn.CancelRequest(ctx)
}

// close says goodbye to the server without waiting for an answer.
func (s *session) close() {
	// What goes wrong here goes wrong for a connection that nobody wants.
	ctx, cancel := context.WithTimeout(context.Background(), goodbye)
	defer cancel()
	_ = s.conn.Close(ctx)
}

// leave says goodbye and reads until the server has closed the connection, or
// until the deadline.
func (s *session) leave(deadline time.Time) {
	if !s.open() {
		select {
		case <-s.conn.CleanupDone():
		case <-time.After(time.Until(deadline)):
		}
		return
	}
	defer s.close()
	raw := s.conn.Conn()
	_ = raw.SetDeadline(deadline)
	if s.conn.IsBusy() {
		// In the middle of a statement: there is no orderly way out.
		_ = s.wire.Close()
		return
	}
	s.conn.Frontend().Send(&pgproto3.Terminate{})
	if s.conn.Frontend().Flush() == nil {
		_, _ = io.Copy(io.Discard, raw)
	}
}
