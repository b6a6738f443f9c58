package test

import (
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"pooler-lab/internal/topology"
	"pooler-lab/test/testkit"
)

// doors are the ways in over the network: servers, poolers, and links to them.
func doors(t *testing.T) map[string]topology.Endpoint {
	t.Helper()
	all, names := map[string]topology.Endpoint{}, services(t)
	for _, r := range routes(t) {
		e, known := located(r.endpoint(t), names)
		if !known {
			t.Fatalf("%s has no address", r.name())
		}
		all[r.name()] = e
	}
	return all
}

func TestWhoComesInOverTheNetwork(t *testing.T) {
	t.Parallel()
	for name, door := range doors(t) {
		t.Run(name, func(t *testing.T) {
			if who := one(t, connect(t, "app_clear", door), "SELECT current_user"); who != "app_clear" {
				t.Errorf("the server says %s, wanted app_clear", who)
			}
			wantNoLogin(t, "postgres", door, "")
		})
	}
	door := console
	door.DBName = "postgres"
	t.Run("PgBouncer, database postgres", func(t *testing.T) { wantNoLogin(t, "postgres", door, "") })
}

func TestRoleWithoutPasswordComesInOnlyWhileTheLabLetsIt(t *testing.T) {
	admin := connect(t, "lab", topology.Endpoint{Host: "primary", Port: 5432, DBName: "postgres"})
	table(t, admin, "ALTER ROLE app_trust LOGIN")
	t.Cleanup(func() { script(t, "reset", "--keep-data") })
	for name, door := range doors(t) {
		t.Run("while/"+name, func(t *testing.T) {
			testkit.Eventually(t, func() string { // PgBouncer and the standby need a moment
				conn, err := tryConnect(t, "app_trust", door)
				if err != nil {
					return err.Error()
				}
				defer conn.Close(t.Context())
				return differs(one(t, conn, "SELECT current_user"), "app_trust")
			})
		})
	}
	script(t, "reset", "--keep-data")
	for name, door := range doors(t) {
		t.Run("after/"+name, func(t *testing.T) { wantNoLogin(t, "app_trust", door, notPermitted(name)) })
	}
	// Poolers keep server connections: one left would let the role in again.
	for _, server := range []string{"primary", "standby"} {
		monitor := connect(t, "monitor", topology.Endpoint{Host: server, Port: 5432, DBName: "postgres"})
		if left := one(t, monitor, "SELECT count(*) FROM pg_stat_activity WHERE usename = 'app_trust'"); left != "0" {
			t.Errorf("after reset %s connections of app_trust are open on the %s", left, server)
		}
	}
}

// notPermitted is the server's word on a role without LOGIN; Pgpool-II keeps it to itself.
func notPermitted(door string) string {
	if strings.HasPrefix(door, "pgpool") {
		return ""
	}
	return "not permitted to log in"
}

// wantNoLogin wants an endpoint to refuse a role, by the server's or pooler's own word, at the login or, where a
// pooler lets anyone in before it asks the server, at the first statement.
func wantNoLogin(t *testing.T, role string, e topology.Endpoint, word string) {
	t.Helper()
	conn, err := tryConnect(t, role, e)
	if err == nil {
		defer conn.Close(t.Context())
		_, err = tryTable(t, conn, "SELECT 1")
	}
	var said *pgconn.PgError
	switch {
	case err == nil:
		t.Errorf("%s comes in at %s", role, e)
	case !errors.As(err, &said):
		t.Errorf("%s at %s: %v, wanted a refusal in PostgreSQL's protocol", role, e, err)
	case !strings.Contains(said.Message, word):
		t.Errorf("%s at %s: refused with %q, wanted %q", role, e, said.Message, word)
	}
}

// What the roles of measured connections may write to: pgbench's tables, the one that is loaded, and nothing else in
// any schema. Role app makes tables for scripts in a schema of its own, and may become app_clear by SET ROLE, which a
// lesson studies: it has no more to it than app itself.
func TestRolesTouchOnlyTheLabsTables(t *testing.T) {
	t.Parallel()
	const writable = `SELECT coalesce(string_agg(DISTINCT relname::text, ' ' ORDER BY relname::text), '') FROM pg_class
		WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT relname = 'pg_settings' AND relnamespace <> 'app'::regnamespace
		AND has_table_privilege($role$, oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')`
	const powers = `SELECT rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls
		OR EXISTS (SELECT FROM pg_auth_members m WHERE member = pg_roles.oid
			AND NOT (member = 'app'::regrole AND m.roleid = 'app_clear'::regrole AND NOT inherit_option))
		OR EXISTS (SELECT FROM pg_namespace WHERE has_schema_privilege($role$, oid, 'CREATE') AND nspname <> $role$)
		OR has_database_privilege($role$, 'lab', 'CREATE') OR has_database_privilege($role$, 'postgres', 'CONNECT')
		FROM pg_roles WHERE rolname = $role$`
	admin := connect(t, "lab", primary)
	for _, role := range []string{"app", "app_clear", "app_trust"} {
		t.Run(role, func(t *testing.T) {
			of := func(sql string) string { return strings.ReplaceAll(sql, "$role$", "'"+role+"'") }
			const want = "lab_load pgbench_accounts pgbench_branches pgbench_history pgbench_tellers"
			if got := one(t, admin, of(writable)); got != want {
				t.Errorf("%s may write to %s\nwanted %s", role, got, want)
			}
			if one(t, admin, of(powers)) != "f" {
				t.Errorf("%s has a power, a membership, a schema or a database beyond the lab's tables", role)
			}
		})
	}
}

// Whatever a role may do without a power, a membership or a table's privilege.
func TestAppIsRefusedWhatIsNotItsOwn(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"drop a table":      "DROP TABLE pgbench_history",
		"read passwords":    "SELECT rolpassword FROM pg_authid",
		"read a file":       "SELECT pg_read_file('/etc/passwd')",
		"set the server":    "ALTER SYSTEM SET work_mem = '1MB'",
		"reload the server": "SELECT pg_reload_conf()",
	}
	conn := connect(t, "app", primary)
	for what, sql := range cases {
		t.Run(what, func(t *testing.T) {
			var said *pgconn.PgError
			if _, err := tryTable(t, conn, sql); !errors.As(err, &said) || said.Code != "42501" {
				t.Errorf("%s: %v, wanted SQLSTATE 42501", sql, err)
			}
		})
	}
}
