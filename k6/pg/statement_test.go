package pg

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/grafana/sobek"

	"pooler-lab/test/testkit"
)

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
			['BEGIN', 'SELECT 2', 'COMMIT', 'BEGIN', 'SELECT 2', 'ROLLBACK', 'SELECT 1/0', 'BEGIN', 'SELECT 1/0', 'COMMIT']
				.forEach((sql) => trying(() => client.exec(sql)));`)
		s.module.finish(time.Now())
		m := s.measured()
		if got := sum(m["pg_transactions"]); got != 26 {
			t.Errorf("%s: %d transactions, not 26", protocol, got)
		}
		want := sum(m["pg_transactions"]) + sum(m["pg_prepare_transactions"]) + sum(m["pg_connections"])
		testkit.Eventually(t, func() string { // the server counts when the backend ends
			if got := commits() - before; got != want {
				return fmt.Sprintf("%s: the server counts %d transactions, the client %d", protocol, got, want)
			}
			return ""
		})
	}
}

// show is a function of JavaScript that says what a value is.
const show = `const show = (v) => v === null ? 'null' : v instanceof ArrayBuffer ? 'bytes ' + new Uint8Array(v)
	: typeof v === 'object' ? 'object ' + JSON.stringify(v, (k, v) => typeof v === 'bigint' ? v + 'n' : v)
	: typeof v + ' ' + (Object.is(v, -0) ? '-0' : v);`

// TestArguments sends a value of each kind that can be sent: it arrives alike in all protocols.
func TestArguments(t *testing.T) {
	tests := map[string]struct{ expression, argument, want string }{
		"null":           {"$1::int", "null", "null"},
		"undefined":      {"$1::int", "undefined", "null"},
		"integer":        {"$1::int", "-7", "number -7"},
		"negated":        {"-$1::int", "-7", "number 7"},
		"to text column": {"(SELECT count(*) FROM pgbench_branches WHERE filler = $1)", "5", "number 0"},
		"true as text":   {"$1 || ''", "true", "string true"},
		"sum":            {"1.5 + $1", "2", "string 3.5"},
		"alone":          {"$1", "7", "string 7"},
		"1e16":           {"$1::int8", "1e16", "bigint 10000000000000000"},
		"2 ** 60":        {"$1::int8", "2 ** 60", "bigint 1152921504606847000"},
		"1e21":           {"$1::numeric", "1e21", "string 1000000000000000000000"},
		"1e21 as text":   {"$1::text", "1e21", "string 1e+21"},
		"smaller":        {"$1::float8", "5e-324", "number 5e-324"},
		"largest":        {"$1::float8", "Number.MAX_VALUE", "number 1.7976931348623157e+308"},
		"minus zero":     {"$1::int8", "-0", "number 0"},
		"bigint":         {"$1::int8", "9007199254740993n", "bigint 9007199254740993"},
		"huge bigint":    {"$1::numeric", "-(10n ** 30n)", "string -1000000000000000000000000000000"},
		"float":          {"$1::float8", "0.1", "number 0.1"},
		"not a number":   {"$1::float8", "NaN", "number NaN"},
		"NaN, numeric":   {"$1::numeric", "NaN", "string NaN"},
		"infinite":       {"$1::float8", "-Infinity", "number -Infinity"},
		"numeric":        {"$1::numeric", "'12345678901234567890.12345'", "string 12345678901234567890.12345"},
		"boolean":        {"$1::bool", "false", "boolean false"},
		"text":           {"$1::text", `"it's \\ $1 -- 'ü'"`, `string it's \ $1 -- 'ü'`},
		"empty":          {"$1::text", "''", "string "},
		"emoji":          {"$1::text", `'\ud83d\ude00 \ufffd'`, "string \U0001f600 \ufffd"},
		"date":           {"$1::timestamptz AT TIME ZONE 'UTC'", "new Date(1.5)", "string 1970-01-01 00:00:00.001"},
		"date as text":   {"$1::text", "new Date(0)", "string 1970-01-01T00:00:00.000Z"},
		"far date":       {"$1::timestamptz AT TIME ZONE 'UTC'", "new Date(1e15)", "string 33658-09-27 01:46:40"},
		"json": {"$1::jsonb", "({ a: [1, 'x', null, , undefined], b: undefined })",
			`object {"a":[1,"x",null,null,null]}`},
		"json as text":     {"$1::text", "({ a: '<&>' })", `string {"a":"<&>"}`},
		"exact":            {"$1::text", "5.774327302391619e-69", "string 5.774327302391619e-69"},
		"smallest decimal": {"$1::text", "0.000001", "string 0.000001"},
		"exponent":         {"$1::text", "1e-7", "string 1e-7"},
		"text in json":     {"$1::jsonb", "['\\ud83d\\ude00\"', '<']", `object ["😀\"","<"]`},
		"bytes":            {"$1::bytea", "new Uint8Array([0, 39, 255])", "bytes 0,39,255"},
		"part of bytes":    {"$1::bytea", "new Uint8Array([1, 2, 3, 4]).subarray(1, 3)", "bytes 2,3"},
		"clamped bytes":    {"$1::bytea", "new Uint8ClampedArray([1, 300])", "bytes 1,255"},
		"array buffer":     {"$1::bytea", "new Uint8Array([1, 2]).buffer", "bytes 1,2"},
		"array of server":  {"array[$1::int, 2]", "1", "string {1,2}"},
	}
	for protocol := range protocols {
		s := connected(t, protocol)
		s.run(show)
		for name, test := range tests {
			s.set("sql", "SELECT "+test.expression+" AS v")
			if got := s.run(`trying(() => show(client.query(sql, ` + test.argument + `)[0].v))`); got != test.want {
				t.Errorf("%s, %s: got %q, not %q", protocol, name, got, test.want)
			}
		}
	}
}

// TestArgumentsThatCantBeSent wants an error that names the argument, and nothing sent.
func TestArgumentsThatCantBeSent(t *testing.T) {
	for protocol := range protocols {
		s := connected(t, protocol)
		s.run(`const circle = {}; circle.circle = circle;`)
		s.measured()
		for argument, want := range map[string]string{
			"new Date(NaN)":                          "invalid Date",
			"new Set([1])":                           "Set can't be sent: send Array.from",
			"new Map([[1, 2]])":                      "Map can't be sent: send Object.fromEntries",
			"new WeakMap()":                          "WeakMap can't be sent",
			"() => 1":                                "Function can't be sent",
			"class A {}":                             "Function can't be sent",
			"Symbol('s')":                            "a symbol can't be sent",
			"/a/":                                    "RegExp can't be sent",
			"new Error('mine')":                      "Error can't be sent",
			"Promise.resolve(1)":                     "Promise can't be sent: await it",
			"(async () => 1)()":                      "Promise can't be sent: await it",
			"new Int8Array(2)":                       "Int8Array can't be sent: send its bytes",
			"new Float64Array(2)":                    "Float64Array can't be sent: send its bytes",
			"new BigInt64Array(2)":                   "BigInt64Array can't be sent: send its bytes",
			"new DataView(new Uint8Array(2).buffer)": "DataView can't be sent: send its bytes",
			"[1][Symbol.iterator]()":                 "Array Iterator can't be sent",
			"circle":                                 "circular",
			"({ toJSON() { throw new Error('mine') } })": "Error: mine",
			`'a\u0000b'`: "U+0000",
		} {
			s.throws(`client.query('SELECT $1::text, $2::text', 1, `+argument+`)`, "client ", "argument $2: ", want)
		}
		if rows := sum(s.measured()["pg_rows"]); rows != 0 {
			t.Errorf("%s: %d rows", protocol, rows)
		}
		for _, sql := range []string{`'SELECT 1 -- \u0000 2'`, `5`, `undefined`, `new Set()`,
			`{ sql: 'SELECT 1' }`} {
			s.throws(`client.query(`+sql+`)`, "a statement")
		}
		for _, arguments := range []string{`1`, `1, 2, 3`} {
			got := s.run(`trying(() => client.query('SELECT $1::int, $2::int', ` + arguments + `))`)
			if protocol == "simple" && !strings.Contains(got, "argument $") || !strings.Contains(got, " ") {
				t.Errorf("%s: %s arguments came to %q", protocol, arguments, got)
			}
		}
	}
}

// TestValuesOfServer reads what JavaScript could misread.
func TestValuesOfServer(t *testing.T) {
	s := connected(t, "simple")
	s.gives(`JSON.stringify([client.query('SELECT 1 WHERE false'), client.query('SET work_mem = 65536')])`, "[[],[]]")
	s.run(show)
	for expression, want := range map[string]string{
		`9007199254740993`:                                         "bigint 9007199254740993",
		`-9223372036854775808`:                                     "bigint -9223372036854775808",
		`'-9223372036854775808'::int8`:                             "bigint -9223372036854775808",
		`'{"a": "9007199254740993"}'::jsonb`:                       `object {"a":"9007199254740993"}`,
		`'[0.1234567890123456, 1e-20, true, null, {}, []]'::jsonb`: `object [0.1234567890123456,1e-20,true,null,{},[]]`,
		`'Infinity'::float8`:                                       "number Infinity",
		`'-0'::float8`:                                             "number -0",
		`4294967295::oid`:                                          "number 4294967295",
	} {
		s.set("sql", "SELECT "+expression+" AS v")
		if got := s.run(`trying(() => show(client.query(sql)[0].v))`); got != want {
			t.Errorf("%s: got %q, not %q", expression, got, want)
		}
	}
}

func TestTemplate(t *testing.T) {
	s := newScript(t, New())
	for sql, want := range map[string]string{
		`SELECT $1, $2`:                  `SELECT  '10',  'b''c'`,
		`SELECT $2||$2`:                  `SELECT  'b''c'|| 'b''c'`,
		`SELECT '$1', "$1", $1`:          `SELECT '$1', "$1",  '10'`,
		`SELECT 'it''s $1', $1`:          `SELECT 'it''s $1',  '10'`,
		`SELECT E'\'$1', $1`:             `SELECT E'\'$1',  '10'`,
		"SELECT 1 -- $1\n, $1":           "SELECT 1 -- $1\n,  '10'",
		`SELECT /* $1 /* $1 */ $1 */ $1`: `SELECT /* $1 /* $1 */ $1 */  '10'`,
		`SELECT $$ $1 $$, $1`:            `SELECT $$ $1 $$,  '10'`,
		`SELECT $a$ $1 $b$ $a$, $1`:      `SELECT $a$ $1 $b$ $a$,  '10'`,
		`SELECT a$1, $1`:                 `SELECT a$1,  '10'`,
		`SELECT 1`:                       `SELECT 1`,
	} {
		rt := s.VU.Runtime()
		cut, args := parseTemplate(sql), []sobek.Value{rt.ToValue(10), rt.ToValue("b'c")}
		most := 0
		for _, number := range cut.parameters {
			most = max(most, number)
		}
		got, err := cut.interpolate(args[:most])
		if err != nil || got != want {
			t.Errorf("%s became %s, not %s (%v)", sql, got, want, err)
		}
	}
}
