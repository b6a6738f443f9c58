package pg

import (
	"errors"
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/metrics"
)

// errRolledBack is what a transaction comes to where a statement has failed and
// the function went on as if nothing had happened.
var errRolledBack = errors.New("the transaction was rolled back: a statement in it had failed")

// transaction is client.transaction(fn): BEGIN, what fn does with the
// client it is given, and COMMIT, or ROLLBACK where fn throws. It returns what
// fn returns.
func (c *client) transaction(call sobek.FunctionCall) sobek.Value {
	ctx, s := c.requireSession("transaction()")
	fn, ok := sobek.AssertFunction(call.Argument(0))
	if !ok {
		c.throw(errors.New("transaction() wants a function"))
	}
	if !s.idle() {
		c.fail(ctx, c.tagSet, "transaction", errors.New("already in a transaction"))
	}

	began := time.Now()
	c.perform(ctx, s, c.command("BEGIN"), nil, false)
	defer c.rollback(s) // where anything below throws
	value, err := fn(sobek.Undefined(), c.object)
	if _, later := exported(value).(*sobek.Promise); later && err == nil {
		c.throw(errors.New("transaction() wants a function that isn't async: it would commit before the work is done"))
	}
	if err != nil {
		panic(err) // JavaScript's own exception, as it was thrown
	}
	if s.conn.TxStatus() == 'E' { // COMMIT would come back as ROLLBACK, from Pgpool-II not even that
		c.fail(ctx, c.tagSet, "commit", errRolledBack)
	}
	c.perform(ctx, s, c.command("COMMIT"), nil, false)
	ended := time.Now()
	_, tags := c.now(c.tagSet, ended)
	c.push(sample(c.metrics.Transaction, tags, ended, metrics.D(ended.Sub(began))))
	return value
}

// exported returns what a JavaScript value is in Go; nil for none.
func exported(value sobek.Value) any {
	if value == nil {
		return nil
	}
	return value.Export()
}

// command returns a statement of the module's own.
func (c *client) command(sql string) *statement {
	return c.statementOf(c.vu.Runtime().ToValue(sql))
}

// rollback ends a transaction that has failed. Where that can't be done, or the
// test was stopped, the connection is closed, and the server does it.
func (c *client) rollback(s *session) {
	if !s.open() || s.idle() {
		return
	}
	ctx := c.context()
	if ctx.Err() == nil {
		x, err := c.exchange(ctx, s, c.tagSet, func() error {
			_, err := s.conn.Exec(background, "ROLLBACK").ReadAll()
			return err
		})
		x.sums.rollbacks++
		if err == nil {
			return
		}
	}
	s.close()
	c.account(s, c.tagSet, time.Now())
}
