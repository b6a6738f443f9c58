package pg

import (
	"context"
	"fmt"
	"time"

	"github.com/grafana/sobek"
	"github.com/jackc/pgx/v5/pgconn"
	"go.k6.io/k6/v2/metrics"
)

// clientOptions are the options of pg.client.
type clientOptions struct {
	DSN      string `js:"dsn"`      // as libpq and pgx accept it
	Password string `js:"password"` // goes before PGPASSWORD and the dsn's own
	Path     string `js:"path"`     // tag of the client's samples, unless empty
	Protocol string `js:"protocol"` // simple, extended or prepared (the default)
}

// client is one VU's connection. It is used by that VU's goroutine alone, and
// after the test by the one that closes it.
type client struct {
	*instance
	options   clientOptions
	config    *pgconn.Config
	run       runner
	conn      *pgconn.PgConn                          // nil unless connected
	prepared  map[string]*pgconn.StatementDescription // by SQL text, per connection
	templates map[string]template                     // by SQL text, for the simple protocol
	connected time.Duration                           // what the connect took, until its first statement
	tags      phaseTags
	encoder   encoder
}

// newClient is pg.client(options): a client that isn't connected yet.
func (i *instance) newClient(call sobek.FunctionCall) sobek.Value {
	c := &client{instance: i, options: clientOptions{Protocol: "prepared"}}
	i.options("client", call.Argument(0), &c.options, "dsn", "password", "path", "protocol")
	run, ok := runners[c.options.Protocol]
	if !ok {
		i.throw(fmt.Errorf("client: no protocol %q; it can be simple, extended or prepared", c.options.Protocol))
	}
	config, err := i.Module.config(c.options.DSN, c.options.Password)
	if err != nil {
		i.throw(fmt.Errorf("client: %w", err))
	}
	c.run, c.config = run, config

	object := i.vu.Runtime().NewObject()
	for name, method := range map[string]func(sobek.FunctionCall) sobek.Value{
		"connect": c.connect, "connected": c.isConnected, "exec": c.exec, "query": c.query, "close": c.close,
	} {
		i.define(object, name, method)
	}
	return object
}

// tagsAt returns the client's tags in the given phase.
func (c *client) tagsAt(phase phase) *metrics.TagSet {
	return c.tags.at(c.vu.State().Tags.GetCurrentValues().Tags, phase, c.options.Path, c.options.Protocol)
}

// connect is client.connect(). It closes a connection that is still open.
func (c *client) connect(sobek.FunctionCall) sobek.Value {
	c.requireTest("connect()")
	ctx := c.vu.Context()
	c.schedule.begin(ctx)
	c.terminate()

	var at stamps
	began := time.Now()
	conn, err := pgconn.ConnectConfig(context.WithValue(ctx, stampsKey{}, &at), c.config)
	ready := time.Now()
	if err != nil {
		c.addresses.forget(c.config.Host)
		c.fail(ctx, "connect", err)
	}
	c.conn, c.connected = conn, ready.Sub(began)
	c.prepared = map[string]*pgconn.StatementDescription{}
	c.live.add(c)

	tags := c.tagsAt(c.schedule.phaseAt(ready))
	samples := []metrics.Sample{
		sample(c.metrics.Connections, tags, ready, 1),
		sample(c.metrics.Connect, tags, ready, metrics.D(c.connected)),
		sample(c.metrics.ConnectDial, tags, ready, metrics.D(at.dialled.Sub(began))),
		sample(c.metrics.ConnectAuth, tags, ready, metrics.D(ready.Sub(at.secured))),
	}
	if c.config.TLSConfig != nil {
		samples = append(samples, sample(c.metrics.ConnectTLS, tags, ready, metrics.D(at.secured.Sub(at.dialled))))
	}
	c.push(ready, tags, samples...)
	return sobek.Undefined()
}

// isConnected is client.connected(): false before connect(), after close() and
// after the connection was dropped.
func (c *client) isConnected(sobek.FunctionCall) sobek.Value {
	return c.vu.Runtime().ToValue(c.conn != nil && !c.conn.IsClosed())
}

// close is client.close(). Closing twice is no error.
func (c *client) close(sobek.FunctionCall) sobek.Value {
	c.terminate()
	return sobek.Undefined()
}

// terminate says goodbye to the server and forgets the connection.
func (c *client) terminate() {
	if c.conn == nil {
		return
	}
	c.live.remove(c)
	// What goes wrong here goes wrong for a connection that nobody wants.
	_ = c.conn.Close(context.Background())
	c.conn = nil
}
