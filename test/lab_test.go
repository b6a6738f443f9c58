// Package test proves the lab end to end, against its real containers: scripts/test brings them up in a Compose
// project of their own and runs these tests beside them.
package test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"pooler-lab/internal/topology"
	"pooler-lab/test/testkit"
)

// settings of the tests' own lab; scripts/test sets them.
var (
	root, _ = filepath.Abs("..")
	project = os.Getenv("COMPOSE_PROJECT_NAME")
	results = os.Getenv("LAB_RESULTS")
)

// oneTry is how long a single connect, query or look at a page may take within testkit.Patience.
func oneTry() time.Duration { return testkit.Patience / 5 }

func TestMain(m *testing.M) {
	if os.Getenv("LAB_TEST") == "" {
		fmt.Println("--- SKIP: the end-to-end tests want a lab of their own: run scripts/test")
		return
	}
	os.Exit(m.Run())
}

// answer is what a command printed and how it ended.
type answer struct {
	out, err string
	status   int
}

// all is everything the command printed, as a person would read it.
func (a answer) all() string { return a.out + a.err }

// command runs a program of the host with extra environment ("NAME=value") and a deadline; a failure to run it at
// all ends the test, a non-zero exit doesn't.
func command(t testing.TB, env []string, name string, args ...string) answer {
	t.Helper()
	// What a test cleans up with runs when its own context has ended.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), testkit.Patience)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	var out, errs bytes.Buffer
	c.Dir, c.Env, c.Stdout, c.Stderr = root, append(os.Environ(), env...), &out, &errs
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("run %s %s: %v", name, strings.Join(args, " "), err)
	}
	return answer{out.String(), errs.String(), c.ProcessState.ExitCode()}
}

// script runs a script of the lab and wants it to succeed; it returns what it printed to standard output.
func script(t testing.TB, name string, args ...string) string {
	t.Helper()
	a := command(t, nil, filepath.Join(root, "scripts", name), args...)
	if a.status != 0 {
		t.Fatalf("scripts/%s %s: exit status %d\n%s", name, strings.Join(args, " "), a.status, a.all())
	}
	return a.out
}

// refused runs a script of the lab that must fail, and returns all it printed.
func refused(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	a := command(t, env, filepath.Join(root, "scripts", name), args...)
	if a.status == 0 {
		t.Fatalf("scripts/%s %s: succeeded, wanted a refusal\n%s", name, strings.Join(args, " "), a.all())
	}
	return a.all()
}

// container is a service's container.
func container(service string) string { return project + "-" + service + "-1" }

// docker runs Docker's client and wants it to succeed; it returns standard output, trimmed.
func docker(t testing.TB, args ...string) string {
	t.Helper()
	a := command(t, nil, "docker", args...)
	if a.status != 0 {
		t.Fatalf("docker %s: exit status %d\n%s", strings.Join(args, " "), a.status, a.all())
	}
	return strings.TrimSpace(a.out)
}

// inside runs a command in a service's container and returns its standard output, trimmed.
func inside(t testing.TB, service string, args ...string) string {
	t.Helper()
	return docker(t, append([]string{"exec", container(service)}, args...)...)
}

// lab runs the lab's program in its container, as scripts do, with the words of a line.
func lab(t testing.TB, line string) answer {
	t.Helper()
	return command(t, nil, "docker", append([]string{"exec", container("lab"), "lab"}, strings.Fields(line)...)...)
}

// superuser runs SQL in a database of a PostgreSQL container, inside it: the superuser has no other way in.
func superuser(t testing.TB, container, database string, statements ...string) answer {
	t.Helper()
	args := []string{"exec", container, "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-d",
		database}
	for _, sql := range statements {
		args = append(args, "-c", sql)
	}
	return command(t, nil, "docker", args...)
}

// asSuperuser runs SQL on a node, wants it to succeed, and returns what it printed.
func asSuperuser(t testing.TB, node string, statements ...string) string {
	t.Helper()
	a := superuser(t, container(node), "postgres", statements...)
	if a.status != 0 {
		t.Fatalf("%q on the %s: %s", statements, node, a.all())
	}
	return strings.TrimSpace(a.out)
}

// address is a service's address in the lab's network.
func address(t testing.TB, service string) string {
	t.Helper()
	return docker(t, "inspect", "-f", fmt.Sprintf("{{(index .NetworkSettings.Networks %q).IPAddress}}",
		network()), container(service))
}

// paths are the lab's, from its own files.
func paths(t testing.TB) *topology.Set {
	t.Helper()
	set, err := topology.Load(root)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// connect opens a connection as a role through an endpoint of the lab; it is closed when the test ends.
func connect(t testing.TB, role string, e topology.Endpoint) *pgx.Conn {
	t.Helper()
	conn, err := tryConnect(t, role, e)
	if err != nil {
		t.Fatalf("connect to %s as %s: %v", e, role, err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

// password is a role's, which scripts/test gives; "" where it has none.
func password(role string) string { return os.Getenv(strings.ToUpper(role) + "_PASSWORD") }

// tryConnect connects as a role that may have no password. The endpoint's host is a service or an address.
func tryConnect(t testing.TB, role string, e topology.Endpoint) (*pgx.Conn, error) {
	t.Helper()
	return connectBy(t, role, e.DSN(role))
}

// connectBy connects as a role with libpq's keywords. A service is looked up as Docker names it: certificates have
// services' names.
func connectBy(t testing.TB, role, keywords string) (*pgx.Conn, error) {
	t.Helper()
	config, err := pgx.ParseConfig("user=" + role + " " + keywords)
	if err != nil {
		t.Fatal(err)
	}
	config.Password = password(role)
	config.LookupFunc = func(_ context.Context, host string) ([]string, error) {
		if net.ParseIP(host) == nil {
			host = address(t, host)
		}
		return []string{host}, nil
	}
	ctx, cancel := context.WithTimeout(t.Context(), oneTry())
	defer cancel()
	return pgx.ConnectConfig(ctx, config)
}

// table asks a query in the simple protocol, the only one of PgBouncer's console; values are found by column, and a
// null is "".
func table(t testing.TB, conn *pgx.Conn, sql string) []map[string]string {
	t.Helper()
	rows, err := tryTable(t, conn, sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return rows
}

func tryTable(t testing.TB, conn *pgx.Conn, sql string) ([]map[string]string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), oneTry())
	defer cancel()
	results, err := conn.PgConn().Exec(ctx, sql).ReadAll()
	if err != nil || len(results) == 0 {
		return nil, err
	}
	last := results[len(results)-1]
	var rows []map[string]string
	for _, values := range last.Rows {
		row := map[string]string{}
		for i, value := range values {
			row[last.FieldDescriptions[i].Name] = string(value)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// one asks a query whose answer is a single value, as text.
func one(t testing.TB, conn *pgx.Conn, sql string) string {
	t.Helper()
	rows := table(t, conn, sql)
	if len(rows) != 1 || len(rows[0]) != 1 {
		t.Fatalf("%s: got %v, wanted one value", sql, rows)
	}
	for _, value := range rows[0] {
		return value
	}
	return ""
}

// Endpoints that are no path.
var (
	primary = topology.Endpoint{Host: "primary", Port: 5432, DBName: "lab"}
	standby = topology.Endpoint{Host: "standby", Port: 5432, DBName: "lab"}
	console = topology.Endpoint{Host: "pgbouncer", Port: 6432, DBName: "pgbouncer"} // PgBouncer's own
)

// composed are the services that have a container in the lab, whatever its state.
func composed(t testing.TB) []string {
	t.Helper()
	return strings.Fields(docker(t, "ps", "-a", "--filter", "label=com.docker.compose.project="+project,
		"--filter", "label=com.docker.compose.oneoff=False", "--format", `{{.Label "com.docker.compose.service"}}`))
}

// services tells by its address in the lab's network which service a container is.
func services(t testing.TB) map[string]string {
	t.Helper()
	args := []string{"inspect", "-f", fmt.Sprintf(`{{index .Config.Labels "com.docker.compose.service"}} `+
		`{{with index .NetworkSettings.Networks %q}}{{.IPAddress}}{{end}}`, network())}
	for _, service := range composed(t) {
		args = append(args, container(service))
	}
	names := map[string]string{}
	for line := range strings.Lines(docker(t, args...)) {
		if service, ip, _ := strings.Cut(strings.TrimSpace(line), " "); ip != "" {
			names[ip] = service
		}
	}
	return names
}

// located is the endpoint with addresses in place of its hosts, not ok where one has none. The names are services', by
// address.
func located(e topology.Endpoint, names map[string]string) (at topology.Endpoint, ok bool) {
	hosts := e.Hosts()
	for i, host := range hosts {
		for ip, service := range names {
			if service == host {
				hosts[i] = ip
			}
		}
		if hosts[i] == host {
			return e, false
		}
	}
	e.Host = strings.Join(hosts, ",")
	return e, true
}

// off is why a service of a profile isn't part of this lab, "" if it is.
func off(t *testing.T, service string) string {
	t.Helper()
	if docker(t, "ps", "-q", "--filter", "name=^"+container(service)+"$") != "" {
		return ""
	}
	return service + " is off: " + inside(t, "lab", "sh", "-c", "echo $LAB_"+strings.ToUpper(service)+"_OFF")
}
