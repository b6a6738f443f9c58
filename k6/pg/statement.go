package pg

import (
	"context"
	"fmt"
	"time"

	"github.com/grafana/sobek"
	"github.com/jackc/pgx/v5/pgconn"
	"go.k6.io/k6/v2/metrics"
)

// reading is what a statement does with its rows: exec drops them unread,
// query keeps a copy until the clock has stopped.
type reading struct {
	keep   bool
	result *pgconn.Result // the last result that had columns
	count  int64          // rows affected or returned, over all results
	tag    pgconn.CommandTag
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
	return err
}

// runner executes sql with args under one protocol and reads its results.
type runner func(ctx context.Context, c *client, sql string, args []sobek.Value, r *reading) error

// runners are the protocols by name.
var runners = map[string]runner{
	"simple":   runSimple,
	"extended": runExtended,
	"prepared": runPrepared,
}

// runSimple sends one Query message, with the arguments written into the text.
// The text may hold several statements.
func runSimple(ctx context.Context, c *client, sql string, args []sobek.Value, r *reading) error {
	if len(args) > 0 {
		if c.conn.ParameterStatus("standard_conforming_strings") == "off" {
			return fmt.Errorf("the simple protocol with arguments needs standard_conforming_strings on")
		}
		parsed, ok := c.templates[sql]
		if !ok {
			if c.templates == nil {
				c.templates = map[string]template{}
			}
			parsed = parseTemplate(sql)
			c.templates[sql] = parsed
		}
		text, err := c.encoder.interpolate(parsed, args)
		if err != nil {
			return err
		}
		sql = text
	}
	results := c.conn.Exec(ctx, sql)
	for results.NextResult() {
		if err := r.take(results.ResultReader()); err != nil {
			break // Close says it too, and reads on to the end
		}
	}
	return results.Close()
}

// runExtended sends parse, bind, describe, execute and sync: one round trip.
func runExtended(ctx context.Context, c *client, sql string, args []sobek.Value, r *reading) error {
	values, err := c.encoder.parameters(args)
	if err != nil {
		return err
	}
	return r.take(c.conn.ExecParams(ctx, sql, values, nil, nil, nil))
}

// runPrepared sends bind, execute and sync of a statement that the connection
// prepares when it meets it first.
func runPrepared(ctx context.Context, c *client, sql string, args []sobek.Value, r *reading) error {
	values, err := c.encoder.parameters(args)
	if err != nil {
		return err
	}
	statement := c.prepared[sql]
	if statement == nil {
		return fmt.Errorf("statement isn't prepared: %s", sql)
	}
	return r.take(c.conn.ExecStatement(ctx, statement, values, nil, nil))
}

// prepare parses and describes sql on the connection, one round trip and, to
// the server, one transaction of its own. It returns how long it took.
func (c *client) prepare(ctx context.Context, sql string) (time.Duration, error) {
	alone := c.conn.TxStatus() == 'I'
	began := time.Now()
	statement, err := c.conn.Prepare(ctx, fmt.Sprintf("k6_%d", len(c.prepared)+1), sql, nil)
	if err != nil {
		return 0, err
	}
	ended := time.Now()
	c.prepared[sql] = statement
	tags := c.tagsAt(c.schedule.phaseAt(ended))
	samples := []metrics.Sample{sample(c.metrics.Prepare, tags, ended, metrics.D(ended.Sub(began)))}
	if alone {
		samples = append(samples, sample(c.metrics.PrepareTransactions, tags, ended, 1))
	}
	c.push(ended, tags, samples...)
	return ended.Sub(began), nil
}

// execute runs one statement, records it and throws what goes wrong.
func (c *client) execute(call sobek.FunctionCall, keep bool) reading {
	c.requireTest("a statement")
	ctx := c.vu.Context()
	if c.conn == nil {
		c.fail(ctx, "statement", errNotConnected)
	}
	sql, args := call.Argument(0).String(), call.Arguments[min(1, len(call.Arguments)):]

	var preparing time.Duration
	if c.options.Protocol == "prepared" && c.prepared[sql] == nil {
		var err error
		if preparing, err = c.prepare(ctx, sql); err != nil {
			c.fail(ctx, "prepare", err)
		}
	}

	r := reading{keep: keep}
	began := time.Now()
	err := c.run(ctx, c, sql, args, &r)
	ended := time.Now()
	if err != nil {
		c.fail(ctx, "statement", err)
	}
	c.record(began, ended, preparing, r.tag)
	return r
}

// record pushes the samples of a statement that succeeded. It committed a
// transaction if it left the connection outside of one, unless by a rollback.
func (c *client) record(began, ended time.Time, preparing time.Duration, tag pgconn.CommandTag) {
	tags := c.tagsAt(c.schedule.phaseAt(ended))
	took := ended.Sub(began)
	samples := make([]metrics.Sample, 1, 3)
	samples[0] = sample(c.metrics.Statement, tags, ended, metrics.D(took))
	if c.conn.TxStatus() == 'I' && tag.String() != "ROLLBACK" {
		samples = append(samples, sample(c.metrics.Transactions, tags, ended, 1))
	}
	if c.connected > 0 {
		samples = append(samples, sample(c.metrics.ConnectFirstStatement, tags, ended, metrics.D(c.connected+preparing+took)))
		c.connected = 0
	}
	c.push(ended, tags, samples...)
}

// exec is client.exec(sql, ...args): the number of rows, without the rows.
func (c *client) exec(call sobek.FunctionCall) sobek.Value {
	return c.vu.Runtime().ToValue(c.execute(call, false).count)
}

// query is client.query(sql, ...args): the rows as objects by column name.
func (c *client) query(call sobek.FunctionCall) sobek.Value {
	return c.rows(c.execute(call, true).result)
}
