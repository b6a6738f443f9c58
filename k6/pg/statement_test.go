package pg

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/grafana/sobek"

	"pooler-lab/internal/testkit"
)

func TestTransactions(t *testing.T) {
	for protocol := range protocols {
		s := connected(t, protocol)
		for _, test := range []struct {
			name, code string
			committed  int
		}{
			{"statement", `client.exec('SELECT 1')`, 1},
			{"transaction", `['BEGIN', 'SELECT 1', 'COMMIT'].forEach((sql) => client.exec(sql))`, 1},
			{"rollback", `['BEGIN', 'SELECT 1', 'ROLLBACK'].forEach((sql) => client.exec(sql))`, 0},
			{"error", `try { client.exec('SELECT 1/0') } catch (e) {}`, 0},
			{"failed transaction", `client.exec('BEGIN'); try { client.exec('SELECT 1/0') } catch (e) {} client.exec('COMMIT')`,
				0},
		} {
			s.measured()
			s.run(test.code)
			if got := sum(s.measured()["pg_transactions"]); got != test.committed {
				t.Errorf("%s, %s: %d transactions, not %d", protocol, test.name, got, test.committed)
			}
		}
	}
}

// TestTransactionsOfServer compares with the server's own count, to which each
// connection and each prepare outside a transaction adds one. It has a database
// to itself: idle connections of a pooler report up to ten seconds late what
// others did over them.
func TestTransactionsOfServer(t *testing.T) {
	const database = "lab_counted"
	dsn := serverDSN(t, "LAB_TEST_MONITOR_DSN")
	monitor := connectedTo(t, dsn, "simple")
	drop := func() { monitor.run(`client.exec('DROP DATABASE IF EXISTS ` + database + ` WITH (FORCE)')`) }
	drop()
	monitor.run(`client.exec('CREATE DATABASE ` + database + `')`)
	t.Cleanup(drop)

	commits := func() int {
		count, err := strconv.Atoi(monitor.run(
			`client.query("SELECT coalesce(xact_commit, 0) AS n FROM pg_stat_database WHERE datname = '` + database +
				`'")[0].n`))
		if err != nil {
			t.Fatal(err)
		}
		return count
	}
	for protocol := range protocols {
		before := commits()
		s := connectedTo(t, dsn+" dbname="+database, protocol)
		s.run(`for (let i = 0; i < 25; i++) client.exec('SELECT $1::int', i);
			['BEGIN', 'SELECT 2', 'COMMIT'].forEach((sql) => client.exec(sql));`)
		s.module.finish(time.Now())
		m := s.measured()
		want := sum(m["pg_transactions"]) + sum(m["pg_prepare_transactions"]) + sum(m["pg_connections"])
		testkit.Eventually(t, func() string { // the server counts when the backend ends
			if got := commits() - before; got != want {
				return fmt.Sprintf("%s: the server counts %d transactions, the client %d", protocol, got, want)
			}
			return ""
		})
	}
}

func TestExecCounts(t *testing.T) {
	for protocol := range protocols {
		s := connected(t, protocol)
		for code, want := range map[string]string{
			`client.exec('SELECT generate_series(1, $1::int)', 5)`:   "5",
			`client.exec('CREATE TEMPORARY TABLE counted (id int)')`: "0",
		} {
			if got := s.run(code); got != want {
				t.Errorf("%s: %s returned %s, not %s", protocol, code, got, want)
			}
		}
		if got := s.run(`client.exec('INSERT INTO counted SELECT generate_series(1, 7)')`); got != "7" {
			t.Errorf("%s: an insert of 7 rows returned %s", protocol, got)
		}
	}
}

func TestValues(t *testing.T) {
	tests := map[string]struct{ expression, argument, want string }{
		"null":            {"$1::int", "null", "null"},
		"undefined":       {"$1::int", "undefined", "null"},
		"integer":         {"$1::int", "-7", "number -7"},
		"negated":         {"-$1::int", "-7", "number 7"},
		"safe bigint":     {"$1::int8", "9007199254740991", "number 9007199254740991"},
		"bigint":          {"$1::int8", "9007199254740993n", "bigint 9007199254740993"},
		"float":           {"$1::float8", "0.1", "number 0.1"},
		"not a number":    {"$1::float8", "NaN", "number NaN"},
		"infinite":        {"$1::float8", "-Infinity", "number -Infinity"},
		"numeric":         {"$1::numeric", "'12345678901234567890.12345'", "string 12345678901234567890.12345"},
		"boolean":         {"$1::bool", "false", "boolean false"},
		"text":            {"$1::text", `"it's \\ $1 -- 'ü'"`, `string it's \ $1 -- 'ü'`},
		"empty":           {"$1::text", "''", "string "},
		"date":            {"$1::timestamptz AT TIME ZONE 'UTC'", "new Date(1.5)", "string 1970-01-01 00:00:00.001"},
		"json":            {"$1::jsonb", "({ a: [1, 'x', null] })", `object {"a":[1,"x",null]}`},
		"bytes":           {"$1::bytea", "new Uint8Array([0, 39, 255])", "bytes 0,39,255"},
		"array buffer":    {"$1::bytea", "new Uint8Array([1, 2]).buffer", "bytes 1,2"},
		"array of server": {"array[$1::int, 2]", "1", "string {1,2}"},
	}
	show := `(v) => v === null ? 'null' : v instanceof ArrayBuffer ? 'bytes ' + new Uint8Array(v)
		: typeof v === 'object' ? 'object ' + JSON.stringify(v) : typeof v + ' ' + v`
	for protocol := range protocols {
		s := connected(t, protocol)
		s.run(`const show = ` + show)
		for name, test := range tests {
			s.set("sql", "SELECT "+test.expression+" AS v")
			if got := s.run(`show(client.query(sql, ` + test.argument + `)[0].v)`); got != test.want {
				t.Errorf("%s, %s: got %q, not %q", protocol, name, got, test.want)
			}
		}
	}
}

func TestNoRows(t *testing.T) {
	for protocol := range protocols {
		s := connected(t, protocol)
		got := s.run(`JSON.stringify([client.query('SELECT 1 WHERE false'), client.query('SET work_mem = 65536')])`)
		if got != "[[],[]]" {
			t.Errorf("%s: no rows are %s", protocol, got)
		}
	}
}

func TestTemplate(t *testing.T) {
	s := newScript(t, New())
	for sql, want := range map[string]string{
		`SELECT $1, $2`:                  `SELECT (10),  'b''c'`,
		`SELECT $2||$2`:                  `SELECT  'b''c'|| 'b''c'`,
		`SELECT '$1', "$1", $1`:          `SELECT '$1', "$1", (10)`,
		`SELECT 'it''s $1', $1`:          `SELECT 'it''s $1', (10)`,
		`SELECT E'\'$1', $1`:             `SELECT E'\'$1', (10)`,
		"SELECT 1 -- $1\n, $1":           "SELECT 1 -- $1\n, (10)",
		`SELECT /* $1 /* $1 */ $1 */ $1`: `SELECT /* $1 /* $1 */ $1 */ (10)`,
		`SELECT $$ $1 $$, $1`:            `SELECT $$ $1 $$, (10)`,
		`SELECT $a$ $1 $b$ $a$, $1`:      `SELECT $a$ $1 $b$ $a$, (10)`,
		`SELECT a$1, $1`:                 `SELECT a$1, (10)`,
		`SELECT 1`:                       `SELECT 1`,
	} {
		var e encoder
		rt := s.VU.Runtime()
		got, err := e.interpolate(parseTemplate(sql), []sobek.Value{rt.ToValue(10), rt.ToValue("b'c")})
		if err != nil || got != want {
			t.Errorf("%s became %s, not %s (%v)", sql, got, want, err)
		}
	}
}
