package pg

import (
	"context"
	"errors"
	"time"

	"github.com/grafana/sobek"
	"github.com/jackc/pgx/v5/pgconn"
)

// protocol is how statements are sent.
type protocol int

const (
	// simple is one Query message, with the arguments written into the text, which may hold several statements.
	simple   protocol = iota
	extended          // parse, bind, describe, execute and sync: one round trip
	prepared          // bind, execute and sync of a statement that was prepared before
)

// protocols are the protocols by their names in JavaScript.
var protocols = map[string]protocol{"simple": simple, "extended": extended, "prepared": prepared}

// background is the context of everything that pgconn does between connect and
// close: the guard watches the VU's own.
var background = context.Background()

// reading is what a statement does with its rows: exec drops them unread,
// query keeps a copy until the clock has stopped.
type reading struct {
	keep   bool
	result *pgconn.Result // the last result that had columns
	count  int64          // rows affected or returned, over all results
	tag    pgconn.CommandTag
	reset  bool // one of them was to forget all prepared statements
}

// take reads one result to its end.
func (r *reading) take(rows *pgconn.ResultReader) error {
	var err error
	if r.keep && len(rows.FieldDescriptions()) > 0 {
		r.result = rows.Read()
		r.tag, err = r.result.CommandTag, r.result.Err
	} else {
		r.tag, err = rows.Close()
	}
	r.count += r.tag.RowsAffected()
	r.reset = r.reset || r.tag.String() == "DISCARD ALL" || r.tag.String() == "DEALLOCATE ALL"
	return err
}

// message is a statement with its arguments, ready to be sent.
type message struct {
	text   string                       // for the simple protocol
	plan   *pgconn.StatementDescription // for the prepared protocol
	values [][]byte                     // for the others than simple
}

// encode makes a message of a statement. It may run JavaScript.
func (c *client) encode(s *session, st *statement, args []sobek.Value) (message, error) {
	m := message{text: st.sql}
	var err error
	switch {
	case c.protocol != simple:
		m.plan = s.prepared[st.sql]
		m.values, err = parameters(args)
	case len(args) > 0:
		if s.conn.ParameterStatus("standard_conforming_strings") == "off" {
			return m, errors.New("the simple protocol with arguments needs standard_conforming_strings on")
		}
		if st.template == nil {
			st.template = parseTemplate(st.sql)
		}
		m.text, err = st.template.interpolate(args)
	}
	return m, err
}

// send sends a message and reads what comes back.
func (c *client) send(s *session, m message, r *reading) error {
	switch c.protocol {
	case extended:
		return r.take(s.conn.ExecParams(background, m.text, m.values, nil, nil, nil))
	case prepared:
		return r.take(s.conn.ExecStatement(background, m.plan, m.values, nil, nil))
	}
	results := s.conn.Exec(background, m.text)
	for results.NextResult() {
		if err := r.take(results.ResultReader()); err != nil {
			break // Close says it too, and reads on to the end
		}
	}
	return results.Close()
}

// execute runs one statement, records it and throws what goes wrong.
func (c *client) execute(call sobek.FunctionCall, keep bool) reading {
	ctx, s := c.requireSession("a statement")
	st := c.statementOf(call.Argument(0))
	if err := st.withoutCopy(); err != nil {
		c.fail(ctx, st.tagSet, "statement", err)
	}
	return c.perform(ctx, s, st, call.Arguments[min(1, len(call.Arguments)):], keep)
}

// perform is what execute does with a statement it knows. One that the server can't use as it was prepared is prepared
// anew and sent once more. The first answer counts as an error, though the script isn't thrown it. Within a transaction
// that is too late: it has failed.
func (c *client) perform(ctx context.Context, s *session, st *statement, args []sobek.Value, keep bool) reading {
	preparing := c.ready(ctx, s, st)
	m, err := c.encode(s, st, args)
	if err != nil {
		c.fail(ctx, st.tagSet, "statement", err)
	}
	r, err := c.attempt(ctx, s, st, m, keep, preparing)
	if c.protocol == prepared && unprepared(err) {
		s.forget()
		if s.idle() && ctx.Err() == nil {
			c.tally(ctx, st.tagSet, "statement", err)
			preparing = c.ready(ctx, s, st)
			m.plan = s.prepared[st.sql]
			if r, err = c.attempt(ctx, s, st, m, keep, preparing); unprepared(err) {
				s.forget()
				s.moves = true
			}
		}
	}
	if err != nil {
		c.fail(ctx, st.tagSet, "statement", err)
	}
	return r
}

// attempt sends a statement, reads what comes back and records what succeeded.
func (c *client) attempt(ctx context.Context, s *session, st *statement, m message, keep bool, preparing time.Duration,
) (reading, error) {
	r := reading{keep: keep}
	x, err := c.exchange(ctx, s, st.tagSet, func() error { return c.send(s, m, &r) })
	if r.reset {
		s.forget()
	}
	if err == nil {
		c.record(x, c.metrics.Statement, x.tags, r.count, r.tag, preparing)
	}
	return r, err
}

// exec is client.exec(statement, ...args): the number of rows, without the rows.
func (c *client) exec(call sobek.FunctionCall) sobek.Value {
	return c.vu.Runtime().ToValue(c.execute(call, false).count)
}

// query is client.query(statement, ...args): the rows as objects by column name.
func (c *client) query(call sobek.FunctionCall) sobek.Value {
	return c.rows(c.execute(call, true).result)
}
