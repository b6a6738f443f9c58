package pg

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pooler-lab/internal/testkit"
)

// findK6 returns the k6 command: the one of LAB_TEST_K6, or else a new build.
func findK6(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds and runs k6")
	}
	if built := os.Getenv("LAB_TEST_K6"); built != "" {
		return built
	}
	binary := filepath.Join(t.TempDir(), "k6")
	out, err := exec.Command("go", "build", "-o", binary, "pooler-lab/cmd/k6").CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("neither LAB_TEST_K6 names a k6 with the module, nor is there a Go to build one")
	}
	if err != nil {
		t.Fatalf("build k6: %v\n%s", err, out)
	}
	return binary
}

// k6 returns a command that runs k6 from the repository's root.
func k6(binary string, environment []string, args ...string) *exec.Cmd {
	command := exec.Command(binary, args...)
	command.Dir = "../.."
	command.Env = append(os.Environ(), append(environment, "K6_NO_USAGE_REPORT=true",
		"K6_AUTO_EXTENSION_RESOLUTION=false")...)
	return command
}

// runScript writes a script, runs it and returns what it printed and how it ended.
func runScript(t *testing.T, code string) (string, int) {
	t.Helper()
	binary := findK6(t)
	file := filepath.Join(t.TempDir(), "script.js")
	if err := os.WriteFile(file, []byte("import pg from 'k6/x/pg';\nimport { check } from 'k6';\n"+code),
		0o600); err != nil {
		t.Fatal(err)
	}
	command := k6(binary, []string{"DSN=" + testDSN(t)}, "run", "--quiet", file)
	out, err := command.CombinedOutput()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), command.ProcessState.ExitCode()
}

func TestThresholds(t *testing.T) {
	script := `
		const client = pg.client({ dsn: __ENV.DSN, path: 'direct' });
		export const options = { iterations: 20, thresholds: {
			pg_statement: ['min>0'], 'pg_statement{statement:one}': ['max>0'], pg_errors: ['count<1'],
			pg_round_trips: ['count>=20'], pg_connect: ['med>0'], pg_transactions: ['count==20'],
			checks: ['rate==1'], LIMIT } };
		export default function () {
			if (!client.connected()) client.connect();
			check(client.query({ name: 'one', sql: 'SELECT 1 AS n' }), { 'one row': (rows) => rows[0].n === 1 });
		}`
	for limit, want := range map[string]int{
		"pg_rows: ['count==20']":      0,
		"pg_statement: ['max<0.001']": 99,
	} {
		if out, exit := runScript(t, strings.Replace(script, "LIMIT", limit, 1)); exit != want {
			t.Errorf("with %s k6 ended with %d, not %d:\n%s", limit, exit, want, out)
		}
	}
}

// TestInterrupt stops k6 as Ctrl-C does, while its VUs sleep on the server.
func TestInterrupt(t *testing.T) {
	binary := findK6(t)
	dsn, count := alone(t, testDSN(t))
	file := filepath.Join(t.TempDir(), "script.js")
	err := os.WriteFile(file, []byte(`import pg from 'k6/x/pg';
		const client = pg.client({ dsn: __ENV.DSN });
		const pool = pg.pool({ dsn: __ENV.DSN, size: 2 });
		export const options = { scenarios: {
			alone: { executor: 'constant-vus', vus: 3, duration: '600s', exec: 'alone' },
			pooled: { executor: 'constant-vus', vus: 3, duration: '600s', exec: 'pooled' } } };
		export function alone() { client.connect(); client.exec('SELECT pg_sleep(600)') }
		export function pooled() { pool.exec('SELECT pg_sleep(600)') }`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	command := k6(binary, []string{"DSN=" + dsn}, "run", "--quiet", file)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	testkit.Until(t, "5 statements run", func() bool { _, active := count(); return active == "5" })
	if err := command.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	testkit.Until(t, "no statement runs", func() bool { _, active := count(); return active == "0" })
	_ = command.Wait()
	if exit := command.ProcessState.ExitCode(); exit != 105 {
		t.Errorf("k6 ended with %d", exit)
	}
	testkit.Until(t, "no backend is left", func() bool { all, _ := count(); return all == "0" })
}
