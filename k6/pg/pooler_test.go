package pg

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"pooler-lab/test/testkit"
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
	for _, test := range []struct{ limit, protocol string }{
		{"0", "simple"},
		{"0", "extended"},
		{"200", "prepared"},
	} {
		setPrepared(t, test.limit)
		got := moving(t, test.protocol).run(`const both = () => client.pipeline((p) => { p.query(sql, 3); p.query(sql, 4) });
			[read(1), hold(() => read(2)), ...hold(both).map((rows) => rows[0].n)].join(' ')`)
		if got != "2 3 4 5" {
			t.Errorf("max_prepared_statements %s, %s: got %q", test.limit, test.protocol, got)
		}
	}
}

// TestPgBouncerWithoutPrepared wants a lost statement to be sent again, once, and to count as an error all the same.
func TestPgBouncerWithoutPrepared(t *testing.T) {
	setPrepared(t, "0")
	s := moving(t, "prepared")
	s.gives(`read(1); hold(() => read(2))`, "3")
	errors := s.module.errors.list(0)
	if len(errors) != 1 || errors[0].Code != "26000" ||
		!strings.Contains(errors[0].Message, "max_prepared_statements above 0") {
		t.Errorf("it counted as %+v", errors)
	}
	// Another client meets the server connection on which the statement is known.
	s.run(`const other = pg.client({ dsn, protocol: 'prepared' }); other.connect();`)
	got := s.run(`try { other.query(sql, 5)[0].n } catch (e) { e.code + ' ' + e.message }`)
	if got != "6" && !(strings.HasPrefix(got, "42P05 ") && strings.Contains(got, "max_prepared_statements above 0")) {
		t.Errorf("a statement that another client has prepared came to %q", got)
	}
	s.run(`other.close()`)
}

// failedPipelines runs, in a number of sessions through Pgpool-II, a pipeline
// that writes, reads with an error and writes again. It returns how many of them
// left something written.
func failedPipelines(t *testing.T, protocol, call string) int {
	t.Helper()
	direct, kept := connected(t, "simple"), 0
	direct.set("mark", fmt.Sprintf("k6_%d", rand.Uint32()))
	for range 16 {
		s := connectedTo(t, serverDSN(t, "LAB_TEST_PGPOOL_DSN"), protocol)
		s.set("mark", direct.run(`mark`))
		deadline := time.AfterFunc(testkit.Patience, s.CancelContext)
		got := s.run(`const write = 'INSERT INTO pgbench_history (filler) VALUES ($1)';
			const fill = (p) => { p.exec(write, mark); p.query('SELECT 1 / $1::int', 0); p.exec(write, mark) };
			try { ` + call + ` } catch (e) { e.code }`)
		if !deadline.Stop() || got != "22012" {
			t.Errorf("%s, %s: got %q in time, not 22012", protocol, call, got)
		}
		if direct.run(`client.exec('DELETE FROM pgbench_history WHERE filler = $1', mark)`) != "0" {
			kept++
		}
		s.run(`client.close()`)
	}
	return kept
}

// TestPgpoolPipelines wants a pipeline in a transaction to be all or nothing.
// Outside of one it isn't where Pgpool-II reads from the standby, which is about
// every other session: the README warns of it, and would be wrong if it ended.
func TestPgpoolPipelines(t *testing.T) {
	for _, protocol := range []string{"extended", "prepared"} {
		if kept := failedPipelines(t, protocol, `client.transaction((tx) => tx.pipeline(fill))`); kept > 0 {
			t.Errorf("%s: %d of 16 pipelines that failed in a transaction left what they had written", protocol, kept)
		}
		if kept := failedPipelines(t, protocol, `client.pipeline(fill)`); kept == 0 || kept == 16 {
			t.Errorf("%s: %d of 16 pipelines that failed outside of a transaction left what they had written", protocol, kept)
		}
	}
	for _, call := range []string{`client.transaction((tx) => tx.pipeline(fill))`, `client.pipeline(fill)`} {
		if kept := failedPipelines(t, "simple", call); kept > 0 {
			t.Errorf("simple, %s: %d of 16 pipelines that failed left what they had written", call, kept)
		}
	}
}
