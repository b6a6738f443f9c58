package test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"pooler-lab/internal/testkit"
)

// poolSize is PgBouncer's default_pool_size in configs/pgbouncer.
const poolSize = 20

// crowd connects clients as app through a route.
func crowd(t *testing.T, r route, n int) []*pgx.Conn {
	t.Helper()
	e := r.endpoint(t)
	e.Host = address(t, e.Host)
	all := make([]*pgx.Conn, n)
	for i := range all {
		all[i] = connect(t, "app", e)
	}
	return all
}

const backendOf = "SELECT pg_backend_pid()"

// So many clients as the pool has connections have a transaction at a time, each on a backend of its own, and one more
// waits until one of those is free.
func TestTransactionPoolingHoldsBackendsToThePoolSize(t *testing.T) {
	for _, r := range []route{{path: "pgbouncer-transaction"},
		{path: "pgbouncer-transaction-near-app", link: "pgbouncer-primary"}} {
		t.Run(r.path, func(t *testing.T) {
			clients := crowd(t, r, poolSize+1)
			backends := map[string]bool{}
			for _, c := range clients[:poolSize] {
				backends[one(t, c, "BEGIN; "+backendOf)] = true
			}
			if len(backends) != poolSize {
				t.Errorf("%d transactions at a time are served by %d backends", poolSize, len(backends))
			}
			got := make(chan string, 1)
			go func() {
				rows, err := tryTable(t, clients[poolSize], backendOf+" AS pid")
				if err != nil {
					got <- err.Error()
					return
				}
				got <- rows[0]["pid"]
			}()
			admin, database := connect(t, "lab", console), clients[0].Config().Database
			testkit.Eventually(t, func() string {
				for _, pool := range table(t, admin, "SHOW POOLS") {
					if pool["database"] == database && pool["user"] == "app" {
						return differs(pool["cl_waiting"], "1")
					}
				}
				return "PgBouncer has no such pool"
			})
			free := one(t, clients[0], backendOf)
			table(t, clients[0], "COMMIT")
			if served := <-got; served != free {
				t.Errorf("the client that waited was served by %s, wanted the backend %s that was free", served, free)
			}
		})
	}
}

// A session stays on its backend, and its state with it.
func TestSessionPoolingPinsOneBackendPerClient(t *testing.T) {
	for _, r := range []route{{path: "pgbouncer-session"},
		{path: "pgbouncer-session-near-app", link: "pgbouncer-primary"}} {
		t.Run(r.path, func(t *testing.T) {
			owner := map[string]int{}
			clients := crowd(t, r, 3)
			for range 2 {
				for i, c := range clients {
					backend := one(t, c, backendOf)
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
