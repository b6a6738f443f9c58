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
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"pooler-lab/internal/testkit"
	"pooler-lab/internal/topology"
)

// settings of the tests' own lab; scripts/test sets them.
var (
	root    = findRoot()
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

func findRoot() string {
	folder, err := filepath.Abs("..")
	if err != nil {
		panic(err)
	}
	return folder
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

// labSays runs the lab's program in its container once for each line, all of them in one go, and returns what it said
// to each and how it ended. It is what scripts call: whoever asks for many refusals needn't start a script for each.
func labSays(t testing.TB, lines ...string) map[string]answer {
	t.Helper()
	const each = `set -f; for line; do lab $line </dev/null 2>&1; printf '\001%d\001' $?; done`
	said := strings.Split(inside(t, "lab", append([]string{"sh", "-c", each, "sh"}, lines...)...), "\001")
	answers := map[string]answer{}
	for i, line := range lines {
		if len(said) < 2*i+2 {
			t.Fatalf("lab %s: no answer", line)
		}
		status, err := strconv.Atoi(said[2*i+1])
		if err != nil {
			t.Fatalf("lab %s: %v", line, err)
		}
		answers[line] = answer{out: said[2*i], status: status}
	}
	return answers
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

// passwords are those of .env.
var passwords = map[string]string{"lab": "LAB_PASSWORD", "app": "APP_PASSWORD", "app_clear": "APP_CLEAR_PASSWORD",
	"monitor": "MONITOR_PASSWORD"}

// known are passwords that have been asked for: they don't change.
var known sync.Map

// password is a role's, "" where it has none.
func password(t testing.TB, role string) string {
	t.Helper()
	name, has := passwords[role]
	if !has {
		return ""
	}
	word, asked := known.Load(name)
	if !asked {
		word = strings.TrimSpace(script(t, "setting", name))
		known.Store(name, word)
	}
	return word.(string)
}

// tryConnect connects as a role that may have no password. The endpoint's host is a service or an address.
func tryConnect(t testing.TB, role string, e topology.Endpoint) (*pgx.Conn, error) {
	t.Helper()
	if net.ParseIP(e.Host) == nil {
		e.Host = address(t, e.Host)
	}
	config, err := pgx.ParseConfig(e.DSN(role))
	if err != nil {
		t.Fatal(err)
	}
	config.Password = password(t, role)
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
	primary   = topology.Endpoint{Host: "primary", Port: 5432, DBName: "lab"}
	standby   = topology.Endpoint{Host: "standby", Port: 5432, DBName: "lab"}
	console   = topology.Endpoint{Host: "pgbouncer", Port: 6432, DBName: "pgbouncer"} // PgBouncer's own
	toxiproxy = topology.Endpoint{Host: "toxiproxy", DBName: "lab"}                   // and a link's port
)

// inspectAll is what Docker says of the lab's containers, less one that has ended meanwhile.
func inspectAll(t testing.TB, options ...string) string {
	t.Helper()
	ids := strings.Fields(docker(t, "ps", "-q", "--filter", "label=com.docker.compose.project="+project))
	a := command(t, nil, "docker", slices.Concat([]string{"inspect"}, options, ids)...)
	if a.status != 0 && !strings.Contains(a.err, "No such object") {
		t.Fatalf("inspect the lab's containers: %s", a.all())
	}
	return a.out
}

// services tells by its address which service a container of the lab is.
func services(t testing.TB) map[string]string {
	t.Helper()
	format := fmt.Sprintf(`{{index .Config.Labels "com.docker.compose.service"}} `+
		`{{with index .NetworkSettings.Networks %q}}{{.IPAddress}}{{end}}`, network())
	names := map[string]string{}
	for line := range strings.Lines(inspectAll(t, "-f", format)) {
		if service, ip, _ := strings.Cut(strings.TrimSpace(line), " "); ip != "" {
			names[ip] = service
		}
	}
	return names
}

// yugabyteOff is why YugabyteDB's paths can't be used in this lab, "" if they can.
func yugabyteOff(t *testing.T) string {
	t.Helper()
	if docker(t, "ps", "-q", "--filter", "name=^"+container("yugabyte")+"$") != "" {
		return ""
	}
	return "YugabyteDB is off: " + inside(t, "lab", "printenv", "LAB_YUGABYTE_OFF")
}
