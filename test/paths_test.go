package test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"pooler-lab/internal/topology"
)

// route is what must be true of a path, without latency (link "") or over a link.
type route struct {
	path, link string
	server     string // the server that answers
	client     string // whom that server sees as its client: a service, or "outside" for the tests themselves
	mode       string // how PgBouncer says that it pools here; "" where no PgBouncer lies in the path
	pgpool     bool
}

var fixedRoutes = []route{
	{path: "direct", server: "primary", client: "outside"},
	{path: "direct", link: "client-primary", server: "primary", client: "toxiproxy"},
	{path: "app-pool", server: "primary", client: "outside"},
	{path: "app-pool", link: "client-primary", server: "primary", client: "toxiproxy"},
	{path: "standby", server: "standby", client: "outside"},
	{path: "standby", link: "client-standby", server: "standby", client: "toxiproxy"},
	{path: "direct-hosts", server: "primary", client: "outside"},
	{path: "haproxy", server: "primary", client: "haproxy"},
	{path: "pgbouncer-transaction", server: "primary", client: "pgbouncer", mode: "transaction"},
	{path: "pgbouncer-transaction", link: "client-pgbouncer", server: "primary", client: "pgbouncer", mode: "transaction"},
	{path: "pgbouncer-transaction-near-app", link: "pgbouncer-primary", server: "primary", client: "toxiproxy",
		mode: "transaction"},
	{path: "pgbouncer-session", server: "primary", client: "pgbouncer", mode: "session"},
	{path: "pgbouncer-session", link: "client-pgbouncer", server: "primary", client: "pgbouncer", mode: "session"},
	{path: "pgbouncer-session-near-app", link: "pgbouncer-primary", server: "primary", client: "toxiproxy",
		mode: "session"},
	{path: "pgbouncer-statement", server: "primary", client: "pgbouncer", mode: "statement"},
	{path: "pgbouncer-statement", link: "client-pgbouncer", server: "primary", client: "pgbouncer", mode: "statement"},
	{path: "pgpool", server: "primary", client: "pgpool", pgpool: true},
	{path: "pgpool", link: "client-pgpool", server: "primary", client: "pgpool", pgpool: true},
	{path: "pgpool-near-app", link: "pgpool-primary", server: "primary", client: "toxiproxy", pgpool: true},
}

// odysseyRoutes are there where Odyssey is.
var odysseyRoutes = []route{
	{path: "odyssey-transaction", server: "primary", client: "odyssey"},
	{path: "odyssey-transaction", link: "client-odyssey", server: "primary", client: "odyssey"},
	{path: "odyssey-session", server: "primary", client: "odyssey"},
	{path: "odyssey-session", link: "client-odyssey", server: "primary", client: "odyssey"},
}

// routes are all that lead to PostgreSQL in this lab.
func routes(t *testing.T) []route {
	t.Helper()
	if off(t, "odyssey") != "" {
		return fixedRoutes
	}
	return slices.Concat(fixedRoutes, odysseyRoutes)
}

// yugabyteRoutes name the server by its service: YugabyteDB's own, or the stand-in that takes its place.
var yugabyteRoutes = []route{
	{path: "yugabyte", server: "yugabyte", client: "outside"},
	{path: "yugabyte", link: "client-yugabyte", server: "yugabyte", client: "toxiproxy"},
	{path: "pgbouncer-yugabyte", server: "yugabyte", client: "pgbouncer", mode: "transaction"},
	{path: "pgbouncer-yugabyte", link: "client-pgbouncer", server: "yugabyte", client: "pgbouncer", mode: "transaction"},
	{path: "pgbouncer-yugabyte-near-app", link: "pgbouncer-yugabyte", server: "yugabyte", client: "toxiproxy",
		mode: "transaction"},
}

func (r route) endpoint(t *testing.T) topology.Endpoint {
	t.Helper()
	p, err := paths(t).Find(r.path)
	if err != nil {
		t.Fatal(err)
	}
	e, err := p.Endpoint(r.link)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func (r route) name() string { return strings.TrimSuffix(r.path+" over "+r.link, " over ") }

// identity is what a server says of itself and of the connection. Pgpool-II sends it to the primary always, since
// it calls volatile functions.
const identity = `SELECT CASE WHEN pg_is_in_recovery() THEN 'standby' ELSE 'primary' END AS role,
	host(inet_server_addr()) AS server, host(inet_client_addr()) AS client,
	(SELECT system_identifier FROM pg_control_system()) AS system`

// systemIdentifier is the one of a PostgreSQL container.
func systemIdentifier(t *testing.T, container string) string {
	t.Helper()
	a := superuser(t, container, "postgres", "SELECT system_identifier FROM pg_control_system()")
	return strings.TrimSpace(a.all())
}

func TestEachPathReachesTheServerItClaims(t *testing.T) {
	t.Parallel()
	names, system := services(t), systemIdentifier(t, container("primary"))
	for _, r := range routes(t) {
		t.Run(r.name(), func(t *testing.T) {
			conn := connect(t, "app", r.endpoint(t))
			r.checkPooler(t, conn)
			said := table(t, conn, identity)[0]
			if role := said["role"]; role != r.server {
				t.Errorf("a %s answered, wanted %s", role, r.server)
			}
			if server := names[said["server"]]; server != said["role"] {
				t.Errorf("the server's address %s is %q's, and it says it is the %s", said["server"], server, said["role"])
			}
			checkClient(t, names, said["client"], r.client)
			if said["system"] != system {
				t.Errorf("system identifier %s, the lab's cluster has %s", said["system"], system)
			}
		})
	}
}

// checkPooler asks what only the path's pooler answers, and what no server answers.
func (r route) checkPooler(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	rows, err := tryTable(t, conn, "SHOW pool_version")
	if r.pgpool != (err == nil && strings.HasPrefix(rows[0]["pool_version"], "4.")) {
		t.Errorf("SHOW pool_version: %v, %v; Pgpool-II in the path: %v", rows, err, r.pgpool)
	}
	if r.mode != "" {
		r.checkPool(t, conn)
	}
}

// checkPool compares PgBouncer's word on the pool and the server connection of conn with the path's.
func (r route) checkPool(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	backend, database, admin := one(t, conn, "SELECT pg_backend_pid()"), conn.Config().Database, connect(t, "lab", console)
	for _, pool := range table(t, admin, "SHOW POOLS") {
		if pool["database"] == database && pool["user"] == "app" && pool["pool_mode"] != r.mode {
			t.Errorf("PgBouncer pools %s by %s, wanted %s", database, pool["pool_mode"], r.mode)
		}
	}
	for _, server := range table(t, admin, "SHOW SERVERS") {
		if server["remote_pid"] == backend && server["database"] == database {
			if over := services(t)[server["addr"]] == "toxiproxy"; over != (r.client == "toxiproxy") {
				t.Errorf("PgBouncer's server connection goes to %s:%s, over a link: %v", server["addr"], server["port"], over)
			}
			return
		}
	}
	t.Errorf("PgBouncer has no server connection to backend %s for %s", backend, database)
}

func checkClient(t *testing.T, names map[string]string, seen, wanted string) {
	t.Helper()
	client, known := names[seen]
	if !known {
		client = "outside"
	}
	if client != wanted {
		t.Errorf("the server's client at %s is %s, wanted %s", seen, client, wanted)
	}
}

func TestSocketReachesThePrimary(t *testing.T) {
	t.Parallel()
	got := strings.TrimSpace(script(t, "psql", "socket", "-X", "-A", "-t", "-c",
		"SELECT pg_is_in_recovery(), inet_client_addr() IS NULL, system_identifier FROM pg_control_system()"))
	if want := "f|t|" + systemIdentifier(t, container("primary")); got != want {
		t.Errorf("got %s, wanted %s", got, want)
	}
}

// A path added to configs/paths.yaml wants a line here, or nothing proves where it leads.
func TestEachPathHasARoute(t *testing.T) {
	t.Parallel()
	proven := map[string]bool{"socket": true}
	for _, r := range slices.Concat(fixedRoutes, odysseyRoutes, yugabyteRoutes) {
		proven[r.name()] = true
	}
	for _, p := range paths(t).Paths {
		if p.WithoutLatency == "" && !proven[p.Name] {
			t.Errorf("no test proves where path %s leads", p.Name)
		}
		for _, over := range p.Over {
			if name := p.Name + " over " + over.Links[0]; !proven[name] {
				t.Errorf("no test proves where path %s leads", name)
			}
		}
	}
}

// differs says so where got isn't what is wanted.
func differs(got, want string) string {
	if got == want {
		return ""
	}
	return fmt.Sprintf("got %q, wanted %q", got, want)
}
