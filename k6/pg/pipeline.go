package pg

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grafana/sobek"
	"github.com/jackc/pgx/v5/pgconn"
)

// queue is what a pipeline will send.
type queue struct {
	object *sobek.Object
	items  []queued
}

// queued is one statement of a pipeline.
type queued struct {
	*statement
	args []sobek.Value
	keep bool
}

// pipeline is client.pipeline(fn): fn queues statements with the exec and query
// of the object it is given; all of them go to the server at once and come back
// in one round trip. It returns their counts and rows in their order. Outside
// of a transaction they are one.
func (c *client) pipeline(call sobek.FunctionCall) sobek.Value {
	ctx, s := c.requireSession("pipeline()")
	items := c.fill(call.Argument(0))
	if len(items) == 0 {
		return c.vu.Runtime().NewArray()
	}
	statements := make([]*statement, len(items))
	for at, item := range items {
		if err := item.withoutCopy(); err != nil {
			c.fail(ctx, c.tagSet, "pipeline", err)
		}
		statements[at] = item.statement
	}
	preparing := c.ready(ctx, s, statements...)
	send, err := c.batch(s, items)
	if err != nil {
		c.fail(ctx, c.tagSet, "pipeline", err)
	}
	return c.flush(ctx, s, items, send, preparing)
}

// fill has fn queue its statements.
func (c *client) fill(value sobek.Value) []queued {
	fn, ok := sobek.AssertFunction(value)
	if !ok {
		c.throw(errors.New("pipeline() wants a function that queues statements: (p) => { p.exec(...); p.query(...) }"))
	}
	if c.queue == nil {
		c.queue = &queue{object: c.vu.Runtime().NewObject()}
		for name, keep := range map[string]bool{"exec": false, "query": true} {
			c.define(c.queue.object, name, func(call sobek.FunctionCall) sobek.Value {
				args := slices.Clone(call.Arguments[min(1, len(call.Arguments)):])
				c.queue.items = append(c.queue.items, queued{c.statementOf(call.Argument(0)), args, keep})
				return sobek.Undefined()
			})
		}
	}
	c.queue.items = c.queue.items[:0]
	if _, err := fn(sobek.Undefined(), c.queue.object); err != nil {
		panic(err) // JavaScript's own exception: nothing was sent
	}
	return c.queue.items
}

// batch encodes the statements and returns what sends them in one write.
func (c *client) batch(s *session, items []queued) (func() *pgconn.MultiResultReader, error) {
	var texts []string
	batch := &pgconn.Batch{}
	for at, item := range items {
		m, err := c.encode(s, item.statement, item.args)
		if err != nil {
			return nil, fmt.Errorf("statement %d: %w", at+1, err)
		}
		switch c.protocol {
		case simple:
			texts = append(texts, m.text)
		case extended:
			batch.ExecParams(m.text, m.values, nil, nil, nil)
		case prepared:
			batch.ExecStatement(m.plan, m.values, nil, nil)
		}
	}
	if c.protocol == simple {
		return func() *pgconn.MultiResultReader { return s.conn.Exec(background, strings.Join(texts, "\n;\n")) }, nil
	}
	return func() *pgconn.MultiResultReader { return s.conn.ExecBatch(background, batch) }, nil
}

// flush sends a pipeline, records it and returns its results.
func (c *client) flush(ctx context.Context, s *session, items []queued,
	send func() *pgconn.MultiResultReader, preparing time.Duration,
) sobek.Value {
	readings, more := make([]reading, 0, len(items)), false
	x, err := c.exchange(ctx, s, c.tagSet, func() error {
		results := send()
		for results.NextResult() {
			if more = len(readings) == len(items); more {
				break
			}
			r := reading{keep: items[len(readings)].keep}
			if r.take(results.ResultReader()) != nil {
				break // Close says it too, and reads on to the end
			}
			readings = append(readings, r)
		}
		return results.Close()
	})
	// It isn't sent again: what came before the statement that failed may have been executed.
	if slices.ContainsFunc(readings, func(r reading) bool { return r.reset }) || unprepared(err) {
		s.forget()
	}
	switch {
	case err == nil && more:
		err = fmt.Errorf("%d statements had more results than that: each text must be one statement", len(items))
	case err == nil && len(readings) < len(items):
		err = fmt.Errorf("%d statements had %d results: each text must be one statement", len(items), len(readings))
	}
	if err != nil {
		c.fail(ctx, c.tagSet, "pipeline", err)
	}
	rows := int64(0)
	for _, r := range readings {
		rows += r.count
	}
	c.record(x, c.metrics.Pipeline, x.tags, rows, readings[len(readings)-1].tag, preparing)
	return c.results(readings)
}

// results returns each statement's count, or its rows where they were asked for.
func (c *client) results(readings []reading) sobek.Value {
	values := make([]any, len(readings))
	for at, r := range readings {
		values[at] = r.count
		if r.keep {
			values[at] = c.rows(r.result)
		}
	}
	return c.vu.Runtime().NewArray(values...)
}
