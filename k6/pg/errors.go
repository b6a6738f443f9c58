package pg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/grafana/sobek"
	"github.com/jackc/pgx/v5/pgconn"
	"go.k6.io/k6/v2/js/common"

	"pooler-lab/internal/shared"
	"pooler-lab/k6/summary"
)

// queryCanceled is the SQLSTATE that a server answers a cancel request with.
const queryCanceled = "57014"

// classify returns the SQLSTATE of err where the server sent one, or the class that it belongs to: the tag code of
// pg_errors, and the property code of the JavaScript error. ctx is the one that the failed call ran under.
func classify(ctx context.Context, err error) string {
	var server *pgconn.PgError
	stopped := ctx.Err() != nil
	switch {
	case errors.As(err, &server) && !(stopped && server.Code == queryCanceled):
		return server.Code
	case stopped: // the test
		return "cancelled"
	case errors.Is(err, errNotConnected):
		return "not_connected"
	case errors.Is(err, errRolledBack):
		return "rolled_back"
	case errors.Is(err, syscall.EADDRNOTAVAIL): // this machine has no local port left
		return "address_exhausted"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE): // nor a file descriptor
		return "files_exhausted"
	case errors.Is(err, syscall.ECONNREFUSED): // nobody listens at the address
		return "refused"
	case pgconn.Timeout(err), errors.Is(err, context.DeadlineExceeded), // connect_timeout passed
		errors.Is(err, os.ErrDeadlineExceeded): // or the client's own
		return "timeout"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed),
		errors.Is(err, pgconn.ErrConnClosed), errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ETIMEDOUT) && !isDial(err):
		return "dropped" // the connection ended without a word
	case isDial(err), errors.As(err, new(*net.DNSError)): // any other failure to reach the address
		return "dial"
	case errors.As(err, new(*shared.TLSError)), strings.Contains(err.Error(), refusedTLS):
		return "tls" // the server has none, or none that is trusted
	}
	return "client" // anything else on the client's side
}

// isDial reports whether err comes from establishing a network connection.
func isDial(err error) bool {
	var operation *net.OpError
	return errors.As(err, &operation) && operation.Op == "dial"
}

// refusedTLS is pgconn's message where the server has no TLS; it has no type.
const refusedTLS = "server refused TLS connection"

// reconnects says how a pooler is told to connect again.
const reconnects = " (PgBouncer: RECONNECT on its admin console)"

// advice returns what to do about an error that the client's protocol has to do with, "" for all others. It speaks of a
// pooler only where there is one: a direct path never loses what was prepared just before.
func (c *client) advice(err error) string {
	server := new(pgconn.PgError)
	switch {
	case !errors.As(err, &server):
		return ""
	case severalStatements(server):
		return ": pg.client({ protocol: 'simple' }) sends several statements in one text"
	case c.protocol != prepared:
		return ""
	}
	pooled := c.session != nil && c.session.pooled()
	switch own := ownName.FindString(server.Message); {
	case changedResult(server) && pooled:
		return ": a table has changed since the statement was prepared; connect() again, and have the pooler do so" +
			reconnects
	case changedResult(server):
		return ": a table has changed since the statement was prepared; send it again, or connect() again:" +
			" it will be prepared anew"
	case own == "":
		return ""
	case !strings.HasPrefix(own, ownPrefix):
		return ": the server has deallocated a statement that a pooler had prepared; have the pooler connect again" +
			reconnects
	case server.Code == duplicateStatement, server.Code == undefinedStatement && pooled:
		return ": a pooler has given the statement to another connection than the one that prepared it;" +
			" use protocol extended or simple, or a pooler that keeps prepared statements" +
			" (PgBouncer: max_prepared_statements above 0)"
	case server.Code == undefinedStatement:
		return ": the session has deallocated it; send it again: it will be prepared anew"
	}
	return ""
}

// severalStatements reports whether a text had more statements than its protocol can send; the message may be
// translated.
func severalStatements(server *pgconn.PgError) bool {
	return server.Code == "42601" && server.Routine == "exec_parse_message"
}

// fail counts err, with the class or SQLSTATE as its code, and throws it.
func (c *client) fail(ctx context.Context, set *tagSet, action string, err error) {
	code, err := c.tally(ctx, set, action, err)
	c.throwCoded(code, err)
}

// tally counts err and returns its class or SQLSTATE, and err with what was
// being done.
func (c *client) tally(ctx context.Context, set *tagSet, action string, err error) (string, error) {
	code, now := classify(ctx, err), time.Now()
	phase, tags := c.now(set, now)
	tags = tags.With("code", code)
	c.push(sample(c.metrics.Errors, tags, now, 1))
	err = fmt.Errorf("%s: %w%s", action, err, c.advice(err))
	c.errors.add(c.side, phase, code, err.Error())
	return code, err
}

// throwCoded throws a JavaScript Error named PgError with the properties code,
// message and, where the server sent them, detail and hint.
func (i *instance) throwCoded(code string, err error) {
	rt := i.vu.Runtime()
	thrown, failed := rt.New(rt.Get("Error"), rt.ToValue(err.Error()))
	if failed != nil {
		common.Throw(rt, err)
	}
	i.define(thrown, "name", "PgError")
	i.define(thrown, "code", code)
	var server *pgconn.PgError
	if errors.As(err, &server) {
		i.define(thrown, "detail", server.Detail)
		i.define(thrown, "hint", server.Hint)
	}
	panic(sobek.Value(thrown))
}

// errorTally counts errors for the summary: samples have no message.
type errorTally struct {
	mu     sync.Mutex
	counts map[errorKey]*summary.Error
}

type errorKey struct {
	side  int
	phase phase
	code  string
}

// add counts one error.
func (t *errorTally) add(side int, phase phase, code, message string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := errorKey{side, phase, code}
	if t.counts == nil {
		t.counts = map[errorKey]*summary.Error{}
	}
	if t.counts[key] == nil {
		t.counts[key] = &summary.Error{Phase: phase.String(), Code: code, Message: message}
	}
	t.counts[key].Count++
}

// list returns the counts of a side, ordered by phase and code.
func (t *errorTally) list(side int) []summary.Error {
	t.mu.Lock()
	defer t.mu.Unlock()
	keys := slices.SortedFunc(maps.Keys(t.counts), func(a, b errorKey) int {
		return cmp.Or(cmp.Compare(a.phase, b.phase), strings.Compare(a.code, b.code))
	})
	list := []summary.Error{}
	for _, key := range keys {
		if key.side == side {
			list = append(list, *t.counts[key])
		}
	}
	return list
}
