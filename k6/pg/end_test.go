package pg

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"testing"

	"pooler-lab/test/testkit"
)

// alone returns dsn with an application name of its own, and a function that
// counts the connections of that name on the server, those that run a statement
// apart.
func alone(t *testing.T, dsn string) (string, func() (all, active string)) {
	t.Helper()
	name := fmt.Sprintf("k6_test_%d", rand.Int())
	probe := connected(t, "simple")
	return dsn + " application_name=" + name, func() (string, string) {
		probe.set("name", name)
		probe.run(`row = client.query("SELECT count(*) AS total, count(*) FILTER (WHERE state = 'active') AS active " +
			"FROM pg_stat_activity WHERE application_name = $1", name)[0]`)
		return probe.run(`row.total`), probe.run(`row.active`)
	}
}

// TestCancel stops a test while a statement runs.
func TestCancel(t *testing.T) {
	onEachPath(t, func(t *testing.T, dsn, protocol string) {
		dsn, count := alone(t, dsn)
		s := connectedTo(t, dsn, protocol)
		thrown := make(chan string)
		go func() {
			// A write, which Pgpool-II sends to the primary: the standby's sessions aren't counted.
			code, err := s.try(`try { client.exec('INSERT INTO pgbench_history (filler) SELECT left(pg_sleep(600)::text, 0)') }
				catch (e) { e.code }`)
			thrown <- fmt.Sprintf("%v, %v", code, err)
		}()
		testkit.Until(t, "the statement runs", func() bool { _, active := count(); return active == "1" })
		s.CancelContext()
		if got := <-thrown; got != "cancelled, <nil>" {
			t.Errorf("a stopped test's statement threw %q", got)
		}
		testkit.Until(t, "the statement ends on the server", func() bool { _, active := count(); return active == "0" })
	})
}

// TestNoLeaks connects and closes 1,000 times, half of the times by connecting
// again: to a stand-in, and to PgBouncer with its real login.
func TestNoLeaks(t *testing.T) {
	t.Run("stand-in", func(t *testing.T) { checkLeaks(t, standIn(t)) })
	t.Run("pgbouncer", func(t *testing.T) {
		admin := connectedTo(t, serverDSN(t, "LAB_TEST_PGBOUNCER_ADMIN_DSN"), "simple")
		checkLeaks(t, serverDSN(t, "LAB_TEST_PGBOUNCER_DSN")+" application_name=k6_leaks")
		testkit.Until(t, "PgBouncer has no client left", func() bool {
			return admin.run(`client.query('SHOW CLIENTS').filter((c) => c.application_name === 'k6_leaks').length`) == "0"
		})
	})
}

func checkLeaks(t *testing.T, dsn string) {
	t.Helper()
	s := newScript(t, New()).started()
	go func() {
		for range s.samples {
		}
	}()
	s.set("dsn", dsn)
	s.run(`const client = pg.client({ dsn });
		const connects = (n) => {
			for (let i = 0; i < n; i++) { client.connect(); if (i % 2) client.close() }
			client.close()
		};
		connects(100)`)
	goroutines, files := runtime.NumGoroutine(), openFiles()
	s.run(`connects(1000)`)
	const few = 50 // of what the end of a connection takes a moment to give back
	testkit.Until(t, "goroutines have ended", func() bool { return runtime.NumGoroutine() <= goroutines+few })
	testkit.Until(t, "files are closed", func() bool { return openFiles() <= files+few })
	if len(s.module.guard.sessions) > 0 || len(s.module.users) > 1 || len(s.module.users[0].tagSets) > 3 {
		t.Errorf("the module keeps %d sessions", len(s.module.guard.sessions))
	}
}

// openFiles counts this process's descriptors; 0 where that can't be seen.
func openFiles() int {
	files, _ := os.ReadDir("/proc/self/fd")
	return len(files)
}

// standIn lets everybody in, answers nothing, and returns its dsn.
func standIn(t *testing.T) string {
	t.Helper()
	port := testkit.StandIn(t, func(conn net.Conn) {
		testkit.Serve(conn, func(string) ([]string, bool) { return nil, false })
	})
	return fmt.Sprintf("host=127.0.0.1 port=%d", port)
}
