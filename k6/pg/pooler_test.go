package pg

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// setPrepared sets PgBouncer's max_prepared_statements until the test ends.
func setPrepared(t *testing.T, value string) {
	t.Helper()
	admin := connectedTo(t, serverDSN(t, "LAB_TEST_PGBOUNCER_ADMIN_DSN"), "simple")
	before := admin.run(`client.query('SHOW CONFIG').find((line) => line.key === 'max_prepared_statements').value`)
	admin.run(`client.exec('SET max_prepared_statements = ` + value + `')`)
	t.Cleanup(func() { admin.run(`client.exec('SET max_prepared_statements = ` + before + `')`) })
}

// moving is two clients of a pooler, of which the first one's statements travel
// from one server connection to another: the second one holds, in a
// transaction, what the first one had.
func moving(t *testing.T, protocol string) *script {
	t.Helper()
	s := connectedTo(t, serverDSN(t, "LAB_TEST_PGBOUNCER_DSN"), protocol)
	// A text that no server connection has seen before.
	s.set("sql", fmt.Sprintf("SELECT $1::int + 1 AS n -- %d", rand.Int()))
	s.run(`const holder = pg.client({ dsn, protocol: 'simple' }); holder.connect();
		const read = (n) => client.query(sql, n)[0].n;
		const hold = (work) => { holder.exec('BEGIN'); try { return work() } finally { holder.exec('COMMIT') } };`)
	t.Cleanup(func() { _, _ = s.try(`holder.close()`) })
	return s
}

func TestPgBouncerMovesStatements(t *testing.T) {
	for _, test := range []struct{ limit, protocol, want string }{
		{"0", "simple", "2 3"},
		{"0", "extended", "2 3"},
		{"200", "simple", "2 3"},
		{"200", "extended", "2 3"},
		{"200", "prepared", "2 3"},
	} {
		setPrepared(t, test.limit)
		if got := moving(t, test.protocol).run(`read(1) + ' ' + hold(() => read(2))`); got != test.want {
			t.Errorf("max_prepared_statements %s, %s: got %q", test.limit, test.protocol, got)
		}
	}
}

func TestPgBouncerWithoutPrepared(t *testing.T) {
	setPrepared(t, "0")
	s := moving(t, "prepared")
	got := s.run(`read(1); try { hold(() => read(2)) } catch (e) { e.code + ' ' + e.message }`)
	if !strings.HasPrefix(got, "26000 ") || !strings.Contains(got, "max_prepared_statements above 0") {
		t.Errorf("a prepared statement on another server connection threw %q", got)
	}
	// Another client meets the server connection on which the statement is known.
	s.run(`const other = pg.client({ dsn, protocol: 'prepared' }); other.connect();`)
	got = s.run(`try { other.query(sql, 5)[0].n } catch (e) { e.code + ' ' + e.message }`)
	if got != "6" && !(strings.HasPrefix(got, "42P05 ") && strings.Contains(got, "max_prepared_statements above 0")) {
		t.Errorf("a statement that another client has prepared came to %q", got)
	}
	s.run(`other.close()`)
}

// TestEveryProtocol does what an application does, on each route.
func TestEveryProtocol(t *testing.T) {
	onEachRoute(t, func(t *testing.T, dsn, protocol string) {
		s := connectedTo(t, dsn, protocol)
		got := s.run(`let total = 0;
			for (let i = 0; i < 20; i++) {
				total += client.query('SELECT $1::int AS n', i)[0].n;
				total += client.exec({ name: 'series', sql: 'SELECT generate_series(1, $1::int)' }, 3);
			}
			client.transaction((tx) => { tx.exec('SET LOCAL work_mem = 65536'); total += tx.query('SELECT 1 AS n')[0].n });
			try { client.exec('SELECT 1 / $1::int', 0) } catch (e) { total += e.code === '22012' ? 1 : 0 }
			client.close(); client.connect();
			total += client.query('SELECT $1::int AS n', 5)[0].n`)
		if got != "257" {
			t.Errorf("the total is %s, not 257", got)
		}
		if errors := sum(s.measured()["pg_errors"]); errors != 1 {
			t.Errorf("%d errors, not the one that was wanted", errors)
		}
	})
}
