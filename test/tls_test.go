package test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"pooler-lab/internal/topology"
)

// authority is, in the lab's container, the certificate that clients of TLS trust.
const authority = "/run/secrets-lab/tls/ca.crt"

// tlsScript connects once through each door in each mode and prints what the connect took, phase by phase, and
// whether the server behind the door says that this connection has TLS.
const tlsScript = `import pg from 'k6/x/pg';
import { Gauge } from 'k6/metrics';
const encrypted = new Gauge('encrypted');
const doors = {
  direct: 'host=primary', link: 'host=toxiproxy port=15001', standby: 'host=standby',
  transaction: 'host=pgbouncer port=6432', session: 'host=pgbouncer port=6432 dbname=lab_session',
};
const clients = {};
for (const [door, dsn] of Object.entries(doors)) {
  for (const mode of ['disable', 'require', 'verify-full sslrootcert=` + authority + `']) {
    const path = door + ' ' + mode.split(' ')[0];
    clients[path] = pg.client({ dsn: 'dbname=lab user=app ' + dsn + ' sslmode=' + mode, path, protocol: 'simple' });
  }
}
const figures = ['pg_connect', 'pg_connect_dial', 'pg_connect_tls', 'pg_connect_auth', 'pg_connect_hash',
  'pg_connect_without_hash', 'encrypted'];
const kept = Object.keys(clients).flatMap((path) => figures.map((name) => [name + '{path:' + path + '}', []]));
export const options = { iterations: 1, thresholds: Object.fromEntries(kept) };
export default function () {
  for (const [path, client] of Object.entries(clients)) {
    client.connect();
    const [{ ssl }] = client.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
    encrypted.add(ssl ? 1 : 0, { path });
    client.close();
  }
}
export function handleSummary({ metrics }) {
  const of = (path) => figures.map((name) => [name, metrics[name + '{path:' + path + '}'].values]);
  const values = Object.keys(clients).map((path) => [path,
    Object.fromEntries(of(path).map(([name, { avg, value }]) => [name, value === undefined ? avg : value]))]);
  return { stdout: JSON.stringify(Object.fromEntries(values)) };
}
`

// TLS is there for who asks, on each way that offers it, and for nobody else.
func TestTLSWhereItIsAskedFor(t *testing.T) {
	file := writeFile(t, folderWithSpaces(t), "tls.js", tlsScript)
	var connects map[string]map[string]float64
	out := script(t, "k6", "run", "--quiet", file)
	if err := json.Unmarshal([]byte(out), &connects); err != nil || len(connects) != 15 {
		t.Fatalf("%d connects, %v:\n%s", len(connects), err, out)
	}
	for name, ms := range connects {
		t.Run(name, func(t *testing.T) {
			door, mode, _ := strings.Cut(name, " ")
			asked := mode != "disable"
			if (ms["pg_connect_tls"] > 0) != asked {
				t.Errorf("the handshake took %v ms", ms["pg_connect_tls"])
			}
			// Behind PgBouncer there is none, whatever its client does.
			want := asked && door != "transaction" && door != "session"
			if (ms["encrypted"] == 1) != want {
				t.Errorf("the server says %v, wanted TLS: %v", ms["encrypted"], want)
			}
			phases := ms["pg_connect_dial"] + ms["pg_connect_tls"] + ms["pg_connect_auth"]
			if math.Abs(phases/ms["pg_connect"]-1) > 0.01 {
				t.Errorf("the phases add up to %v ms, the connect took %v", phases, ms["pg_connect"])
			}
			hash, rest := ms["pg_connect_hash"], ms["pg_connect_without_hash"]
			if hash < 0.1 || hash >= ms["pg_connect_auth"] || math.Abs((hash+rest)/ms["pg_connect"]-1) > 0.01 {
				t.Errorf("of a connect of %v ms the client hashed for %v, and %v are the rest", ms["pg_connect"], hash, rest)
			}
		})
	}
}

// tlsConnect connects as app with libpq keywords that say what TLS is wanted.
func tlsConnect(t *testing.T, keywords string) (*pgx.Conn, error) {
	t.Helper()
	config, err := pgx.ParseConfig("user=app " + keywords)
	if err != nil {
		t.Fatal(err)
	}
	config.Password = password(t, "app")
	ctx, cancel := context.WithTimeout(t.Context(), oneTry())
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, config)
	if err == nil {
		t.Cleanup(func() { conn.Close(context.Background()) })
	}
	return conn, err
}

// Pgpool-II says that it has no TLS (configs/pgpool says why), and who shows the certificate under a name that isn't
// in it is not believed.
func TestTLSIsRefused(t *testing.T) {
	t.Parallel()
	trusted := filepath.Join(t.TempDir(), "ca.crt")
	if err := os.WriteFile(trusted, []byte(inside(t, "lab", "cat", authority)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ keywords, says string }{
		"Pgpool-II": {"host=" + address(t, "pgpool") + " port=9999 dbname=lab sslmode=require",
			"server refused TLS connection"},
		"another name": {fmt.Sprintf("host=%s dbname=lab sslmode=verify-full sslrootcert=%s", address(t, "primary"),
			trusted), "x509: "},
		"no authority to trust": {"host=" + address(t, "primary") + " dbname=lab sslmode=verify-full", "x509: "},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := tlsConnect(t, c.keywords); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, wanted %q", err, c.says)
			}
		})
	}
}

// PgBouncer tells apart who came with TLS, and has none to its servers; nothing of the lab's own has any.
func TestNothingElseHasTLS(t *testing.T) {
	if _, err := tlsConnect(t, "host="+address(t, "pgbouncer")+" port=6432 dbname=lab sslmode=require"); err != nil {
		t.Fatal(err)
	}
	one(t, connect(t, "app", topology.Endpoint{Host: "pgbouncer", Port: 6432, DBName: "lab"}), "SELECT 1")
	// Fails where the connection that it runs on has TLS.
	file := writeFile(t, folderWithSpaces(t), "no tls.sql",
		"SELECT 1 / (NOT ssl)::int FROM pg_stat_ssl WHERE pid = pg_backend_pid();\n")
	for _, p := range []string{"direct", "standby", "pgbouncer-transaction", "pgpool"} {
		script(t, "psql", p, "-X", "-v", "ON_ERROR_STOP=1", "-f", file)
		script(t, "pgbench", p, "-n", "-t", "1", "-f", file)
	}
	admin, with := connect(t, "lab", console), 0
	for _, client := range table(t, admin, "SHOW CLIENTS") {
		if client["tls"] != "" {
			with++
		}
	}
	if with != 1 {
		t.Errorf("%d clients of PgBouncer have TLS, wanted the one that asked", with)
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
