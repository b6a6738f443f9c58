package pg

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"regexp"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"go.k6.io/k6/v2/metrics"
)

// SQLSTATEs that say something of prepared statements.
const (
	undefinedStatement = "26000" // this server connection has none of that name
	duplicateStatement = "42P05" // it has one already
	unsupported        = "0A000" // among others: the columns of its result have changed
)

// mostStatements is how many statements a client knows and a connection has prepared, unless one pipeline has more: as
// many as pgx keeps.
const mostStatements = 512

// nameOf returns the name under which the server prepares an SQL text. It comes
// from the text, so that no pooler can mistake one client's for another's.
func nameOf(sql string) string {
	sum := sha256.Sum256([]byte(sql))
	return ownPrefix + hex.EncodeToString(sum[:12])
}

// closeLater has the server forget a name before anything else is prepared. That costs no round trip, and is no error
// where the server doesn't know the name: PostgreSQL forgets a statement whose Parse failed. PgBouncer remembers it,
// and closes the connection where the name comes again.
func (s *session) closeLater(name string) {
	s.closing = append(s.closing, &pgproto3.Close{ObjectType: 'S', Name: name})
}

// forget has what is used next be prepared anew.
func (s *session) forget() {
	for _, described := range s.prepared {
		s.closeLater(described.Name)
	}
	clear(s.prepared)
}

// prepare prepares an SQL text on the server, and closes there what is to be closed.
func (s *session) prepare(sql string) error {
	for _, message := range s.closing {
		s.conn.Frontend().SendClose(message)
	}
	s.closing = s.closing[:0]
	name := nameOf(sql)
	described, err := s.conn.Prepare(background, name, sql, nil)
	if err == nil {
		s.prepared[sql] = described
		return nil
	}
	// A name that is taken belongs to another client of a pooler that keeps no statements.
	if server := new(pgconn.PgError); errors.As(err, &server) && server.Code != duplicateStatement {
		s.closeLater(name)
	}
	return err
}

// ready prepares those statements that the protocol wants to be prepared and the connection hasn't seen yet: one round
// trip each and, to the server, one transaction of its own. It returns how long that took. A connection that would have
// too many forgets all of them first: each takes memory of the server.
func (c *client) ready(ctx context.Context, s *session, statements ...*statement) (took time.Duration) {
	if c.protocol != prepared {
		return 0
	}
	isNew := func(st *statement) bool { return s.prepared[st.sql] == nil }
	if slices.ContainsFunc(statements, isNew) && len(s.prepared)+len(statements) > mostStatements {
		s.forget()
	}
	for _, st := range statements {
		if isNew(st) {
			took += c.prepareNow(ctx, s, st)
		}
	}
	return took
}

// prepareNow prepares one statement and records it.
func (c *client) prepareNow(ctx context.Context, s *session, st *statement) time.Duration {
	alone := s.idle()
	x, err := c.exchange(ctx, s, st.tagSet, func() error { return s.prepare(st.sql) })
	if err != nil {
		c.fail(ctx, st.tagSet, "prepare", err)
	}
	samples := metrics.Samples{sample(c.metrics.Prepare, x.tags, x.ended, metrics.D(x.took))}
	if alone {
		samples = append(samples, sample(c.metrics.PrepareTransactions, x.tags, x.ended, 1))
	}
	c.push(samples...)
	return x.took
}

// ownPrefix begins the names of statements that this module has prepared.
const ownPrefix = "k6_"

// ownName matches these names as the server has them: a pooler may have given them others, such as PGBOUNCER_17.
var ownName = regexp.MustCompile(`\b` + ownPrefix + `[0-9a-f]{24}\b|\b[A-Z]+_[0-9]+\b`)

// unprepared reports whether err says that the server can't use a statement as it was prepared. Nothing was executed
// then: the server says it when it binds the arguments. (What a function finds out has a context, Where.)
func unprepared(err error) bool {
	server := new(pgconn.PgError)
	if !errors.As(err, &server) || server.Where != "" {
		return false
	}
	return server.Code == undefinedStatement && ownName.MatchString(server.Message) || changedResult(server)
}

// changedResult reports whether a prepared statement has other columns than it had; the message may be translated.
func changedResult(server *pgconn.PgError) bool {
	return server.Code == unsupported && server.Routine == "RevalidateCachedQuery"
}
