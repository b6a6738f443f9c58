package test

import (
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"

	"pooler-lab/internal/testkit"
)

// poolSize is PgBouncer's default_pool_size in configs/pgbouncer.
const poolSize = 20

// A client is one of a pool's: it runs a statement when it is told to, and says which backend it was served by.
type client struct{ conn *pgx.Conn }

// crowd connects clients as app through a route.
func crowd(t *testing.T, r route, n int) []client {
	t.Helper()
	e := r.endpoint(t)
	e.Host = address(t, e.Host)
	all := make([]client, n)
	for i := range all {
		all[i].conn = connect(t, "app", e)
	}
	return all
}

// begin starts a transaction and returns its backend: its own until it ends.
func (c client) begin(t *testing.T) string {
	t.Helper()
	return one(t, c.conn, "BEGIN; SELECT pg_backend_pid()")
}

// checkPoolOf wants a pool of that size: so many clients have a transaction at a time, each on a backend of its own,
// and one more waits until one of those is free.
func checkPoolOf(t *testing.T, r route, size int) {
	t.Helper()
	clients := crowd(t, r, size+1)
	backends := map[string]bool{}
	for _, c := range clients[:size] {
		backends[c.begin(t)] = true
	}
	if len(backends) != size {
		t.Errorf("%d transactions at a time are served by %d backends", size, len(backends))
	}
	got := make(chan string, 1)
	go func() {
		rows, err := tryTable(t, clients[size].conn, "SELECT pg_backend_pid() AS pid")
		if err != nil {
			got <- err.Error()
			return
		}
		got <- rows[0]["pid"]
	}()
	admin, database := connect(t, "lab", console), clients[0].conn.Config().Database
	testkit.Eventually(t, func() string {
		for _, pool := range table(t, admin, "SHOW POOLS") {
			if pool["database"] == database && pool["user"] == "app" {
				return differs(pool["cl_waiting"], "1")
			}
		}
		return "PgBouncer has no such pool"
	})
	free := one(t, clients[0].conn, "SELECT pg_backend_pid()")
	table(t, clients[0].conn, "COMMIT")
	if served := <-got; served != free {
		t.Errorf("the client that waited was served by %s, wanted the backend %s that was free", served, free)
	}
}

func TestTransactionPoolingHoldsBackendsToThePoolSize(t *testing.T) {
	for _, r := range []route{{path: "pgbouncer-transaction"},
		{path: "pgbouncer-transaction-near-app", link: "pgbouncer-primary"}} {
		t.Run(r.path, func(t *testing.T) { checkPoolOf(t, r, poolSize) })
	}
}

func TestSessionPoolingPinsOneBackendPerClient(t *testing.T) {
	for _, r := range []route{{path: "pgbouncer-session"},
		{path: "pgbouncer-session-near-app", link: "pgbouncer-primary"}} {
		t.Run(r.path, func(t *testing.T) {
			owner := map[string]int{}
			clients := crowd(t, r, 3)
			for range 2 {
				for i, c := range clients {
					backend := one(t, c.conn, "SELECT pg_backend_pid()")
					if first, known := owner[backend]; known && first != i {
						t.Errorf("clients %d and %d were both served by backend %s", first, i, backend)
					}
					owner[backend] = i
				}
			}
			if len(owner) != len(clients) {
				t.Errorf("%d clients were served by the backends %v", len(clients), owner)
			}
		})
	}
}

// A session's state stays with it in session mode; in transaction mode another client's statements may meet it, and
// that is what lessons show.
func TestSessionStateStaysInSessionMode(t *testing.T) {
	e := route{path: "pgbouncer-session"}.endpoint(t)
	first, second := connect(t, "app", e), connect(t, "app", e)
	table(t, first, "CREATE TEMPORARY TABLE mine AS SELECT 7 AS n")
	table(t, second, "SET work_mem = '3MB'")
	if n := one(t, first, "SELECT n FROM mine"); n != "7" {
		t.Errorf("the session's own table holds %s, wanted 7", n)
	}
	if memory := one(t, first, "SHOW work_mem"); memory == "3MB" {
		t.Error("another session's SET is seen")
	}
}

// The pool size turns while PgBouncer runs, for those who were there before as well.
func TestPoolSizeTurnsWhilePgBouncerRuns(t *testing.T) {
	admin := connect(t, "lab", console)
	if size := config(t, admin, "default_pool_size"); size != strconv.Itoa(poolSize) {
		t.Fatalf("default_pool_size is %s, configs/pgbouncer says %d", size, poolSize)
	}
	t.Cleanup(func() { script(t, "reset", "--keep-data") })
	table(t, admin, "SET default_pool_size = 3")
	table(t, admin, "RECONNECT")
	checkPoolOf(t, route{path: "pgbouncer-transaction"}, 3)
}

// config is a setting as PgBouncer has it just now.
func config(t *testing.T, admin *pgx.Conn, key string) string {
	t.Helper()
	for _, row := range table(t, admin, "SHOW CONFIG") {
		if row["key"] == key {
			return row["value"]
		}
	}
	t.Fatalf("PgBouncer has no setting %s", key)
	return ""
}
