package pg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/grafana/sobek"
	"github.com/jackc/pgx/v5/pgconn"
	"go.k6.io/k6/v2/metrics"

	"pooler-lab/internal/shared"
)

// ClientOptions are the options of pg.client.
type ClientOptions struct {
	DSN      string `js:"dsn"`      // as libpq and pgx accept it
	Password string `js:"password"` // goes before PGPASSWORD and the dsn's own
	Path     string `js:"path"`     // tag of the client's samples, unless empty
	Protocol string `js:"protocol"` // simple, extended or prepared (the default)
	// Timeout is how many seconds an answer may take before the client closes its connection; 0: any.
	Timeout float64 `js:"timeout"`
	// QueryTimeout is how many seconds an answer may take before the server is asked to cancel; 0: any. The client then
	// waits for the answer.
	QueryTimeout float64 `js:"queryTimeout"`
	// TCPHandshake is how many milliseconds a link holds back what a new connection sends first, in place of TCP's
	// handshake. They count as dial.
	TCPHandshake float64 `js:"tcpHandshake"`
}

// client is what one VU sends statements with: over a connection of its own,
// or over one that a pool has lent it. Only that VU's goroutine uses it.
type client struct {
	*instance
	options  ClientOptions
	config   *pgconn.Config
	protocol protocol
	session  *session   // nil unless connected
	lost     bool       // a connection was dropped, and none has taken its place
	tagSet   *tagSet    // of statements that have no name
	connects [2]*tagSet // of later connects, and of the test's first one
	known    map[statementKey]*statement
	named    map[string]*tagSet // of statements that have a name
	bound    map[string]method  // by name in JavaScript
	object   *sobek.Object
	queue    *queue // of the pipeline that is being filled
}

// newClient is pg.client(options): a client that isn't connected yet.
func (i *instance) newClient(call sobek.FunctionCall) sobek.Value {
	options := ClientOptions{Protocol: "prepared"}
	i.options("client", call.Argument(0), &options)
	c := i.clientOf("client", options)
	for first, tag := range places {
		c.connects[first] = c.newTagSet("path", options.Path, "protocol", options.Protocol, "connect", tag)
	}
	c.bound["connect"], c.bound["connected"], c.bound["close"] = c.connect, c.isConnected, c.close
	c.object = i.object(c.bound)
	return c.object
}

// clientOf returns a client with options that it has checked.
func (i *instance) clientOf(call string, options ClientOptions) *client {
	protocol, ok := protocols[options.Protocol]
	if !ok {
		i.throw(fmt.Errorf("%s: no protocol %q; it can be simple, extended or prepared", call, options.Protocol))
	}
	config, err := i.Module.config(options.DSN, options.Password)
	if err != nil {
		i.throw(fmt.Errorf("%s: %w", call, err))
	}
	c := &client{instance: i, options: options, config: config, protocol: protocol, named: map[string]*tagSet{},
		known: map[statementKey]*statement{}}
	c.tagSet = c.newTagSet("path", options.Path, "protocol", options.Protocol)
	c.bound = map[string]method{
		"exec": c.exec, "query": c.query, "transaction": c.transaction, "pipeline": c.pipeline,
		"copyIn": c.copyIn, "copyOut": c.copyOut,
	}
	return c
}

// requireSession throws where nothing can be sent.
func (c *client) requireSession(call string) (context.Context, *session) {
	c.requireTest(call)
	ctx := c.context()
	if c.session == nil {
		c.fail(ctx, c.tagSet, "statement", errNotConnected)
	}
	if err := ctx.Err(); err != nil {
		c.fail(ctx, c.tagSet, "statement", err)
	}
	return ctx, c.session
}

// account adds what travelled to the set's sums of the moment, which it returns with the tags, and closes the session's
// account if its connection is gone.
func (c *client) account(s *session, set *tagSet, now time.Time) (*sums, *metrics.TagSet) {
	phase, tags := c.now(set, now)
	sums := &set.sums[phase]
	c.count(sums, s.traffic())
	if !s.open() {
		c.guard.remove(s)
		c.lost = true
	}
	return sums, tags
}

// exchange is something that was sent to the server and answered, well or not.
type exchange struct {
	*session
	ended time.Time
	took  time.Duration
	sums  *sums // that it belongs to
	tags  *metrics.TagSet
}

// exchange times what do sends and reads, and accounts for what travelled.
func (c *client) exchange(ctx context.Context, s *session, set *tagSet, do func() error) (x exchange, err error) {
	s.begin(ctx)
	began := time.Now()
	if c.options.Timeout > 0 {
		_ = s.wire.SetDeadline(began.Add(shared.Seconds(c.options.Timeout))) // a closed connection has none to set
	}
	if c.options.QueryTimeout > 0 {
		defer s.cancelAfter(shared.Seconds(c.options.QueryTimeout))()
	}
	err = do()
	x.ended = time.Now()
	s.end()
	if errors.Is(err, os.ErrDeadlineExceeded) {
		_ = s.wire.Close() // without a goodbye: nothing answers
		s.close()
	}
	x.session, x.took = s, x.ended.Sub(began)
	x.sums, x.tags = c.account(s, set, x.ended)
	return x, err
}

// record records an exchange that succeeded: its rows and its time, with that of the connect if it was the connection's
// first. It committed a transaction if it left the connection outside of one, unless by a rollback.
func (c *client) record(x exchange, metric *metrics.Metric, tags *metrics.TagSet, rows int64, tag pgconn.CommandTag,
	preparing time.Duration,
) {
	x.sums.rows += rows
	if x.idle() && tag.String() != "ROLLBACK" {
		x.sums.transactions++
	}
	c.later(sample(metric, tags, x.ended, metrics.D(x.took)))
	if x.connect > 0 {
		first := x.connect + preparing + x.took
		c.push(sample(c.metrics.ConnectFirstQuery, tags.With("connect", x.place), x.ended, metrics.D(first)))
		x.connect = 0
	}
	c.settleSometimes(x.ended)
}

// connect is client.connect(). It closes a connection that is still open.
func (c *client) connect(sobek.FunctionCall) sobek.Value {
	c.requireTest("connect()")
	ctx := c.context()
	c.terminate()

	first := c.Module.firstConnect(c.side, c.config)
	set := c.connects[first]
	t := newTiming(c.options.TCPHandshake)
	config := t.Watch(c.config)
	config.OnNotice = c.noteWarning
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		c.addresses.forget(c.config)
		c.fail(ctx, set, "connect", err)
	}
	c.session = newSession(conn, t)
	c.session.place = places[first]
	c.guard.add(c.session)

	phase, tags := c.now(set, t.Ready())
	c.count(&set.sums[phase], c.session.traffic())
	c.push(c.metrics.ofConnect(t, tags, c.lost)...)
	c.lost = false
	return sobek.Undefined()
}

// noteWarning keeps a server's warning for the ledger.
func (i *instance) noteWarning(_ *pgconn.PgConn, notice *pgconn.Notice) {
	if notice.SeverityUnlocalized == "WARNING" {
		i.warning.Store(&notice.Message)
	}
}

// ofConnect returns the samples of a connect, which may be one again, in place of one that was dropped.
func (m *clientMetrics) ofConnect(t *timing, tags *metrics.TagSet, again bool) metrics.Samples {
	timed := func(metric *metrics.Metric, took time.Duration) metrics.Sample {
		return sample(metric, tags, t.Ready(), metrics.D(took))
	}
	samples := metrics.Samples{
		sample(m.Connections, tags, t.Ready(), 1),
		timed(m.Connect, t.Connect()),
		timed(m.ConnectDial, t.Dial()),
		timed(m.ConnectAuth, t.Auth()),
		timed(m.ConnectWithoutHash, t.Connect()-t.Hashed()),
	}
	if hashed := t.Hashed(); hashed > 0 {
		samples = append(samples, timed(m.ConnectHash, hashed))
	}
	if took, encrypted := t.TLS(); encrypted {
		samples = append(samples, timed(m.ConnectTLS, took))
	}
	if again {
		samples = append(samples, sample(m.Reconnects, tags, t.Ready(), 1))
	}
	return samples
}

// ofTraffic returns the samples of what travelled.
func (m *clientMetrics) ofTraffic(t traffic, tags *metrics.TagSet, at time.Time) metrics.Samples {
	return metrics.Samples{
		sample(m.BytesSent, tags, at, float64(t.sent)),
		sample(m.BytesReceived, tags, at, float64(t.received)),
		sample(m.RoundTrips, tags, at, float64(t.trips)),
	}
}

// places are the values of the tag connect, by what firstConnect returns.
var places = [2]string{"later", "first"}

// beginning is what a connect may be the first of.
type beginning struct {
	side   int
	config *pgconn.Config
}

// firstConnect returns 1 for the first connect of the test with that
// configuration on that side, 0 for every later one.
func (m *Module) firstConnect(side int, config *pgconn.Config) int {
	if _, later := m.begun.LoadOrStore(beginning{side, config}, true); later {
		return 0
	}
	return 1
}

// isConnected is client.connected(): false before connect(), after close() and
// after the connection was dropped.
func (c *client) isConnected(sobek.FunctionCall) sobek.Value {
	return c.vu.Runtime().ToValue(c.session != nil && c.session.open())
}

// close is client.close(). Closing twice is no error.
func (c *client) close(sobek.FunctionCall) sobek.Value {
	c.terminate()
	return sobek.Undefined()
}

// terminate says goodbye to the server and forgets the connection.
func (c *client) terminate() {
	s := c.session
	if s == nil {
		return
	}
	c.session = nil
	c.guard.remove(s)
	s.close()
	set := c.connects[0]
	phase, _ := c.now(set, time.Now())
	c.count(&set.sums[phase], s.traffic())
}

// statement is an SQL text as one client sends it.
type statement struct {
	sql      string
	tagSet   *tagSet
	template *template // for the simple protocol; made when first needed
	copies   string    // the direction of the COPY in it; "" for none
	beside   bool      // it has other statements beside its COPY
}

type statementKey struct {
	name, sql string
}

// statementOf reads the argument that says what to do: an SQL text, or an
// object with the text as sql and the tag statement as name.
func (c *client) statementOf(value sobek.Value) *statement {
	var key statementKey
	if object, ok := value.(*sobek.Object); ok {
		if value = nil; object.Get("name") != nil {
			key.name, value = object.Get("name").String(), object.Get("sql")
		}
	}
	text, ok := value.(sobek.String)
	if !ok {
		c.throw(errors.New("a statement is an SQL text, or an object { name, sql }"))
	}
	key.sql = text.String()
	if known := c.known[key]; known != nil {
		return known
	}
	if _, err := textOf(text); err != nil {
		c.throw(fmt.Errorf("a statement: %w", err))
	}
	st := &statement{sql: key.sql, tagSet: c.tagSet}
	st.copies, st.beside = copyOf(key.sql)
	if key.name != "" {
		st.tagSet = c.tagSetOf(key.name)
	}
	if len(c.known) >= mostStatements {
		clear(c.known)
	}
	c.known[key] = st
	return st
}

// tagSetOf returns the tag set of statements of that name.
func (c *client) tagSetOf(name string) *tagSet {
	if c.named[name] == nil {
		c.named[name] = c.newTagSet("path", c.options.Path, "protocol", c.options.Protocol, "statement", name)
	}
	return c.named[name]
}
