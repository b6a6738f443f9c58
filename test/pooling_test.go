package test

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// poolSize is PgBouncer's default_pool_size in configs/pgbouncer.
const poolSize = 20

// crowd opens n connections as app through a route; each runs the statement, prepared, some times at once with all
// others. It returns the backends that each client was served by.
func crowd(t *testing.T, r route, n, times int, sql string) []map[int32]bool {
	t.Helper()
	e := r.endpoint(t)
	e.Host = address(t, e.Host)
	clients := make([]*pgx.Conn, n)
	for i := range clients {
		clients[i] = connect(t, "app", e)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	served, errs := make([]map[int32]bool, n), make(chan error, n)
	var all sync.WaitGroup
	for i, conn := range clients {
		served[i] = map[int32]bool{}
		all.Go(func() {
			for range times {
				var backend int32
				if err := conn.QueryRow(ctx, sql).Scan(&backend); err != nil {
					errs <- err
					return
				}
				served[i][backend] = true
			}
		})
	}
	all.Wait()
	close(errs)
	for err := range errs {
		t.Errorf("%d clients at once, a pool of %d: %v", n, poolSize, err)
	}
	return served
}

func TestTransactionPoolingHoldsBackendsToThePoolSize(t *testing.T) {
	for _, r := range []route{{path: "pgbouncer-transaction"},
		{path: "pgbouncer-transaction-near-app", link: "pgbouncer-primary"}} {
		t.Run(r.path, func(t *testing.T) {
			const clients = poolSize + 15
			backends, shared := map[int32]int{}, 0
			for _, mine := range crowd(t, r, clients, 12, "SELECT pg_backend_pid() FROM pg_sleep(0.01)") {
				if len(mine) > 1 {
					shared++
				}
				for backend := range mine {
					backends[backend]++
				}
			}
			if len(backends) > poolSize || len(backends) < poolSize/2 {
				t.Errorf("%d clients at once were served by %d backends, wanted the pool size %d, or few less", clients,
					len(backends), poolSize)
			}
			if shared < clients/2 {
				t.Errorf("%d of %d clients had more than one backend, wanted most", shared, clients)
			}
		})
	}
}

func TestSessionPoolingPinsOneBackendPerClient(t *testing.T) {
	for _, r := range []route{{path: "pgbouncer-session"},
		{path: "pgbouncer-session-near-app", link: "pgbouncer-primary"}} {
		t.Run(r.path, func(t *testing.T) {
			const clients = poolSize / 2
			owner := map[int32]int{}
			for client, mine := range crowd(t, r, clients, 6, "SELECT pg_backend_pid() FROM pg_sleep(0.005)") {
				if len(mine) != 1 {
					t.Errorf("client %d was served by %d backends, wanted one", client, len(mine))
				}
				for backend := range mine {
					if other, taken := owner[backend]; taken {
						t.Errorf("clients %d and %d were both served by backend %d", other, client, backend)
					}
					owner[backend] = client
				}
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
	backends := map[int32]bool{}
	for _, mine := range crowd(t, route{path: "pgbouncer-transaction"}, 10, 6,
		"SELECT pg_backend_pid() FROM pg_sleep(0.01)") {
		for backend := range mine {
			backends[backend] = true
		}
	}
	if len(backends) > 3 {
		t.Errorf("10 clients were served by %d backends, wanted the pool size that was set, 3", len(backends))
	}
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
