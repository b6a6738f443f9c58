package test

import (
	"crypto/tls"
	"testing"

	"pooler-lab/internal/topology"
)

// TLS is there for who asks, on each way that offers it, and for nobody else. Behind PgBouncer there is none, whatever
// its client does.
func TestTLSWhereItIsAskedFor(t *testing.T) {
	// Whoever runs k6 may read the certificate that clients of TLS trust.
	authority := inside(t, "lab", "cat", "/run/secrets-lab/tls/ca.crt")
	verify := "verify-full sslrootcert=" + writeFile(t, t.TempDir(), "ca.crt", authority)
	for door, encrypts := range map[string]bool{
		"host=primary dbname=lab":                     true,
		"host=toxiproxy port=15001 dbname=lab":        true,
		"host=standby dbname=lab":                     true,
		"host=pgbouncer port=6432 dbname=lab":         false,
		"host=pgbouncer port=6432 dbname=lab_session": false,
	} {
		for _, mode := range []string{"disable", "require", verify} {
			t.Run(door+" "+mode[:7], func(t *testing.T) {
				conn, err := connectBy(t, "app", door+" sslmode="+mode)
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close(t.Context())
				asked := mode != "disable"
				if _, has := conn.PgConn().Conn().(*tls.Conn); has != asked {
					t.Errorf("the client has TLS: %v", has)
				}
				said := one(t, conn, "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
				if (said == "t") != (asked && encrypts) {
					t.Errorf("the server says that TLS is %s", said)
				}
			})
		}
	}
}

// PgBouncer tells apart who came with TLS, and has none to its servers; nothing of the lab's own has any.
func TestNothingElseHasTLS(t *testing.T) {
	with, err := connectBy(t, "app", "host=pgbouncer port=6432 dbname=lab sslmode=require")
	if err != nil {
		t.Fatal(err)
	}
	defer with.Close(t.Context())
	one(t, connect(t, "app", topology.Endpoint{Host: "pgbouncer", Port: 6432, DBName: "lab"}), "SELECT 1")
	// Fails where the connection that it runs on has TLS.
	file := writeFile(t, folderWithSpaces(t), "no tls.sql",
		"SELECT 1 / (NOT ssl)::int FROM pg_stat_ssl WHERE pid = pg_backend_pid();\n")
	for _, p := range []string{"direct", "standby", "pgbouncer-transaction", "pgpool"} {
		script(t, "psql", p, "-X", "-v", "ON_ERROR_STOP=1", "-f", file)
		script(t, "pgbench", p, "-n", "-t", "1", "-f", file)
	}
	admin, encrypted := connect(t, "lab", console), 0
	for _, client := range table(t, admin, "SHOW CLIENTS") {
		if client["tls"] != "" {
			encrypted++
		}
	}
	if encrypted != 1 {
		t.Errorf("%d clients of PgBouncer have TLS, wanted the one that asked", encrypted)
	}
	for _, server := range table(t, admin, "SHOW SERVERS") {
		if server["tls"] != "" {
			t.Errorf("PgBouncer uses TLS towards %s:%s", server["addr"], server["port"])
		}
	}
	for _, node := range []string{"primary", "standby"} {
		who := asSuperuser(t, node,
			"SELECT usename, application_name FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE ssl")
		if who != "" {
			t.Errorf("the %s has connections with TLS: %s", node, who)
		}
	}
}

// The key is for servers and poolers; who runs k6 may read the authority's certificate.
func TestTLSKeyIsForServersOnly(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{"server.key": "600 5432", "server.crt": "644 5432", "ca.crt": "644 5432"} {
		if got := inside(t, "primary", "stat", "-c", "%a %u", "/run/secrets-lab/tls/"+file); got != want {
			t.Errorf("%s: mode and owner %s, wanted %s", file, got, want)
		}
	}
	if got := inside(t, "primary", "ls", "/run/secrets-lab/tls"); got != "ca.crt\nserver.crt\nserver.key" {
		t.Errorf("beside the key lies more: %q", got)
	}
	if a := command(t, nil, "docker", "exec", container("lab"), "cat", "/run/secrets-lab/tls/server.key"); a.status == 0 {
		t.Error("the lab's container can read the key")
	}
}
