package test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"pooler-lab/internal/topology"
	"pooler-lab/test/testkit"
)

// YugabyteDB's own paths, where the service is up.
func TestYugabytePaths(t *testing.T) {
	t.Parallel()
	if off := off(t, "yugabyte"); off != "" {
		t.Skip(off)
	}
	testkit.Eventually(t, func() string {
		_, err := tryConnect(t, "app", yugabyteRoutes[0].endpoint(t))
		if err != nil {
			return err.Error()
		}
		return ""
	})
	names := services(t)
	for _, r := range yugabyteRoutes {
		t.Run(r.name(), func(t *testing.T) {
			conn := connect(t, "app", r.endpoint(t))
			if r.mode != "" {
				r.checkPool(t, conn)
			}
			if version := one(t, conn, "SELECT version()"); !strings.Contains(version, "-YB-") {
				t.Errorf("%s answers, wanted YugabyteDB", version)
			}
			checkClient(t, names, one(t, conn, "SELECT host(inet_client_addr())"), r.client)
			if n := one(t, conn, "SELECT abalance FROM pgbench_accounts WHERE aid = 1"); n == "" {
				t.Error("no data behind it")
			}
		})
	}
}

// The plumbing of YugabyteDB's paths and links, with a stand-in for YugabyteDB: a PostgreSQL on its name and port.
// It shows that a query finds its way there, and nothing about YugabyteDB.
func TestYugabytePathsReachAStandIn(t *testing.T) {
	t.Parallel() // most of its time PgBouncer remembers that a name had no address
	if off(t, "yugabyte") == "" {
		t.Skip("YugabyteDB itself is up: no need for a stand-in")
	}
	standIn := startStandIn(t)
	names, system := services(t), systemIdentifier(t, standIn)
	for _, r := range yugabyteRoutes {
		t.Run(r.name(), func(t *testing.T) {
			e := r.endpoint(t)
			if e.Host == "yugabyte" {
				e.Host = docker(t, "inspect", "-f", "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}", standIn)
			}
			// PgBouncer remembers for a while that a name had no address.
			reaches(t, e, system, func(conn *pgx.Conn, client string) {
				if r.mode != "" {
					r.checkPool(t, conn)
				}
				checkClient(t, names, client, r.client)
			})
		})
	}
	t.Run("at another address", func(t *testing.T) {
		moveStandIn(t, standIn)
		// The connection to the old address may still be tried.
		reaches(t, route{path: "pgbouncer-yugabyte"}.endpoint(t), system, func(*pgx.Conn, string) {})
	})
}

// reaches waits until an endpoint leads to that system, and looks at the connection and whom the server sees.
func reaches(t *testing.T, e topology.Endpoint, system string, look func(conn *pgx.Conn, client string)) {
	t.Helper()
	testkit.Eventually(t, func() string {
		conn, err := tryConnect(t, "app", e)
		if err != nil {
			return err.Error()
		}
		defer conn.Close(t.Context())
		rows, err := tryTable(t, conn, identity)
		if err != nil {
			return err.Error()
		}
		look(conn, rows[0]["client"])
		return differs(rows[0]["system"], system)
	})
}

// notOfTheLab is the label of a container that isn't one of the lab's: it would have the lab's from its image.
const notOfTheLab = "com.docker.compose.project="

// moveStandIn gives the stand-in another address, as a container made anew may get: another one takes its own.
func moveStandIn(t *testing.T, name string) {
	t.Helper()
	where := func() string {
		return docker(t, "inspect", "-f", "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}", name)
	}
	before := where()
	docker(t, "network", "disconnect", network(), name)
	docker(t, "run", "-d", "--rm", "--name", name+"-2", "--label", notOfTheLab, "--network", network(),
		"--entrypoint", "sleep", "pooler-lab-postgres", "300")
	t.Cleanup(func() { command(t, nil, "docker", "rm", "-f", name+"-2") })
	docker(t, "network", "connect", "--alias", "yugabyte", network(), name)
	if after := where(); after == before {
		t.Fatalf("the stand-in kept its address %s: nothing to see here", after)
	}
}

// startStandIn starts a PostgreSQL on YugabyteDB's name and port, with the lab's roles and the primary's secrets:
// PgBouncer logs in with a secret only where the server's is the same one.
func startStandIn(t *testing.T) string {
	t.Helper()
	name := project + "-stand-in"
	args := []string{"run", "-d", "--rm", "--name", name, "--label", notOfTheLab,
		"--network", network(), "--network-alias", "yugabyte", "--user", "postgres", "--cap-drop", "ALL",
		"-v", root + "/configs/postgres:/etc/postgresql/lab:ro",
		"--tmpfs", "/run/secrets-lab:uid=5432", "-e", "PGPORT=5433", "-e", "LAB_MAX_CONNECTIONS=50",
		"-e", "PGPASSFILE=/tmp/pgpass"}
	for _, password := range []string{"LAB", "APP", "APP_CLEAR", "MONITOR", "REPLICATION"} {
		args = append(args, "-e", password+"_PASSWORD=stand-in")
	}
	docker(t, append(args, "pooler-lab-postgres", "primary", "standby")...)
	t.Cleanup(func() { command(t, nil, "docker", "rm", "-f", name) })
	testkit.Eventually(t, func() string {
		return superuser(t, name, "postgres", "SELECT 1").err
	})
	for line := range strings.Lines(inside(t, "lab", "cat", "/run/secrets-lab/userlist.txt")) {
		if quoted := strings.Split(line, `"`); len(quoted) == 5 {
			a := superuser(t, name, "postgres", "ALTER ROLE "+quoted[1]+" PASSWORD '"+quoted[3]+"'")
			if a.status != 0 {
				t.Fatal(a.all())
			}
		}
	}
	return name
}
