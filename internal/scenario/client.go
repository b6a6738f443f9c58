package scenario

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"pooler-lab/internal/lesson"
)

// A client is one connection, spoken to by messages of the protocol.
type client struct{ *pgconn.HijackedConn }

// open connects, with more of libpq's settings than the place has.
func open(ctx context.Context, at Place, settings string) (*client, error) {
	config, err := pgconn.ParseConfig(at.DSN + " " + settings)
	if err != nil {
		return nil, err
	}
	config.Password = at.Password
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	hijacked, err := conn.Hijack()
	return &client{hijacked}, err
}

// abort breaks the connection, without the message that ends a session.
func (c *client) abort() { _ = c.Conn.Close() }

// closing is how long a connection may take to take that message.
const closing = time.Second

func (c *client) close() {
	_ = c.Conn.SetDeadline(time.Now().Add(closing))
	c.Frontend.Send(&pgproto3.Terminate{})
	_ = c.Frontend.Flush()
	c.abort()
}

// An answer is what a client sees of a step.
type answer struct {
	parts   []string // rows, their columns divided by |; command tags of statements without rows; errors by SQLSTATE
	unasked []string // notices and notifications
	message string   // of the last error
	backend string   // from the columns that lesson.Backend has: pid@server
}

func (a answer) String() string { return strings.Join(slices.Concat(a.parts, a.unasked), "; ") }

// fail notes an error.
func (a *answer) fail(sqlstate, message string) {
	a.parts = append(a.parts, strings.TrimSpace("error "+sqlstate))
	a.message = message
}

// failed is the answer of a client that got none from a server.
func failed(err error) (a answer) {
	var refused *pgconn.PgError
	var late interface{ Timeout() bool }
	switch {
	case errors.As(err, &refused):
		a.fail(refused.Code, refused.Message)
	case errors.As(err, &late) && late.Timeout():
		a.fail("", fmt.Sprintf("no answer within %v", patience))
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		a.fail("", "the connection was closed")
	default:
		a.fail("", err.Error())
	}
	return a
}

// do takes a step.
func (c *client) do(ctx context.Context, verb, rest string) answer {
	_ = c.Conn.SetDeadline(time.Time{})
	stop := context.AfterFunc(ctx, func() { _ = c.Conn.SetDeadline(time.Now()) })
	defer stop()
	sql, rows, _ := strings.Cut(rest, "\n")
	if !strings.HasSuffix(rows, copyEnd) {
		sql, rows = rest, ""
	}
	for _, m := range messages(verb, sql) {
		c.Frontend.Send(m)
	}
	if err := c.Frontend.Flush(); err != nil {
		return failed(err)
	}
	if verb == lesson.VerbCancel {
		defer c.cancelOften(ctx)()
	}
	return c.read(strings.TrimSuffix(rows, copyEnd))
}

// backend asks which one answers.
func (c *client) backend(ctx context.Context) (string, error) {
	a := c.do(ctx, lesson.VerbQuery, "SELECT "+lesson.Backend)
	if a.message != "" {
		return "", errors.New(a.message)
	}
	return a.backend, nil
}

// copyEnd is the line after the rows of a COPY FROM STDIN.
const copyEnd = `\.`

// messages are those that a verb sends.
func messages(verb, rest string) []pgproto3.FrontendMessage {
	execute := []pgproto3.FrontendMessage{&pgproto3.Describe{ObjectType: 'P'}, &pgproto3.Execute{}}
	parse := func(name, sql string) pgproto3.FrontendMessage { return &pgproto3.Parse{Name: name, Query: sql} }
	bind := func(name string) pgproto3.FrontendMessage { return &pgproto3.Bind{PreparedStatement: name} }
	name, after, _ := strings.Cut(rest, " ")
	name = strings.Trim(name, "'")
	var all []pgproto3.FrontendMessage
	switch verb {
	case lesson.VerbParse:
		all = append(all, parse(name, after))
	case lesson.VerbBindNamed:
		all = append(append(all, bind(name)), execute...)
	case lesson.VerbPipeline:
		for sql := range strings.SplitSeq(rest, ";") {
			all = append(append(all, parse("", sql), bind("")), execute...)
		}
	default:
		return append(all, &pgproto3.Query{String: rest})
	}
	return append(all, &pgproto3.Sync{})
}

// read reads until the server is ready for the next query. A COPY FROM STDIN gets the rows.
func (c *client) read(rows string) (a answer) {
	var names []string
	before, fatal := 0, false // parts before the statement's own; an error that ends the connection
	for {
		message, err := c.Frontend.Receive()
		if err != nil {
			if none := failed(err); !fatal {
				a.parts, a.message = append(a.parts, none.parts...), none.message
			}
			return a
		}
		switch m := message.(type) {
		case *pgproto3.RowDescription:
			names = nil
			for _, f := range m.Fields {
				names = append(names, string(f.Name))
			}
		case *pgproto3.DataRow:
			a.row(names, m.Values)
		case *pgproto3.CopyData:
			a.parts = append(a.parts, strings.TrimSpace(string(m.Data)))
		case *pgproto3.CopyInResponse:
			c.Frontend.Send(&pgproto3.CopyData{Data: []byte(rows)})
			c.Frontend.Send(&pgproto3.CopyDone{})
			_ = c.Frontend.Flush() // the next Receive says what was wrong
		case *pgproto3.CommandComplete:
			if len(a.parts) == before && names == nil {
				a.parts = append(a.parts, string(m.CommandTag))
			}
			before, names = len(a.parts), nil
		case *pgproto3.ErrorResponse:
			a.fail(m.Code, m.Message)
			fatal = m.Severity == "FATAL"
		case *pgproto3.NoticeResponse:
			a.unasked = append(a.unasked, "notice "+m.Message)
		case *pgproto3.NotificationResponse:
			a.unasked = append(a.unasked, "notification "+m.Channel)
		case *pgproto3.ReadyForQuery:
			return a
		}
	}
}

// row adds a row.
func (a *answer) row(names []string, values [][]byte) {
	var pid, server string
	var shown []string
	for i, v := range values {
		name := "" // a row that nobody described is a pooler's fault
		if i < len(names) {
			name = names[i]
		}
		switch name {
		case "pid":
			pid = string(v)
		case "server":
			server = string(v)
		case "at":
		default:
			shown = append(shown, string(v))
		}
	}
	if pid != "" {
		a.backend = pid + "@" + server
	}
	if len(shown) > 0 {
		a.parts = append(a.parts, strings.Join(shown, "|"))
	}
}

// cancelEvery is how long after a cancel request the next one follows: one that comes before the statement has begun
// does nothing.
const cancelEvery = 20 * time.Millisecond

// cancelOften sends cancel requests until it is stopped.
func (c *client) cancelOften(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			_ = c.cancel(ctx) // the next one may come through
			select {
			case <-ctx.Done():
			case <-time.After(cancelEvery):
			}
		}
	}()
	return func() { cancel(); <-done }
}

// cancel sends one cancel request, and waits until the server has closed its connection: it has done then what it can.
func (c *client) cancel(ctx context.Context) error {
	conn, err := c.Config.DialFunc(ctx, c.Conn.RemoteAddr().Network(), c.Conn.RemoteAddr().String())
	if err != nil {
		return err
	}
	defer conn.Close()
	deadline, _ := ctx.Deadline()
	_ = conn.SetDeadline(deadline)
	request, err := (&pgproto3.CancelRequest{ProcessID: c.PID, SecretKey: c.SecretKey}).Encode(nil)
	if err == nil {
		_, err = conn.Write(request)
	}
	if err == nil {
		_, err = io.ReadAll(conn)
	}
	return err
}

// onServer are the process IDs of those of the backends that are on the same server as one.
func onServer(one string, backends []string) (pids []string) {
	_, server, _ := strings.Cut(one, "@")
	for _, b := range backends {
		if pid, at, _ := strings.Cut(b, "@"); at == server && !slices.Contains(pids, pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}
