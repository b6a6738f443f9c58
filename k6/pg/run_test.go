package pg

import (
	"encoding/json"
	"errors"
	"maps"
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

// k6 returns a command that runs k6 from the repository's root, with an environment variable: NAME=value.
func k6(binary, variable string, args ...string) *exec.Cmd {
	command := exec.Command(binary, args...)
	command.Dir = "../.."
	command.Env = append(os.Environ(), variable, "K6_NO_USAGE_REPORT=true", "K6_AUTO_EXTENSION_RESOLUTION=false")
	return command
}

// labCommand returns a k6 that is to run a script of the lab as the lab does: for the work that a variable says.
func labCommand(t *testing.T, variable string, work any, summary, script string) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(work)
	if err != nil {
		t.Fatal(err)
	}
	return k6(findK6(t), variable+"="+string(text), "run", "--quiet", "--summary-mode", "disabled", "--no-thresholds",
		"--out", "lab="+summary, script)
}

// cellOf returns a cell of two clients that do a script's own workload, unless changed says otherwise.
func cellOf(path, dsn string, changed map[string]any) map[string]any {
	cell := map[string]any{"path": path, "dsn": dsn, "clients": 2, "params": map[string]any{}, "protocol": "prepared",
		"scale": 1, "seed": 1, "workload": "own"}
	maps.Copy(cell, changed)
	return cell
}

// scriptCommand writes a script and returns a k6 that is to run it, with the dsn.
func scriptCommand(t *testing.T, dsn, code string) *exec.Cmd {
	t.Helper()
	file := filepath.Join(t.TempDir(), "script.js")
	text := "import pg from 'k6/x/pg';\nimport { check } from 'k6';\n" + code
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return k6(findK6(t), "DSN="+dsn, "run", "--quiet", file)
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
		command := scriptCommand(t, testDSN(t), strings.Replace(script, "LIMIT", limit, 1))
		out, _ := command.CombinedOutput()
		if exit := command.ProcessState.ExitCode(); exit != want {
			t.Errorf("with %s k6 ended with %d, not %d:\n%s", limit, exit, want, out)
		}
	}
}

// TestInterrupt stops k6 as Ctrl-C does, while its VUs sleep on the server.
func TestInterrupt(t *testing.T) {
	dsn, count := alone(t, testDSN(t))
	command := scriptCommand(t, dsn, `
		const client = pg.client({ dsn: __ENV.DSN });
		const pool = pg.pool({ dsn: __ENV.DSN, size: 2 });
		export const options = { scenarios: {
			alone: { executor: 'constant-vus', vus: 3, duration: '600s', exec: 'alone' },
			pooled: { executor: 'constant-vus', vus: 3, duration: '600s', exec: 'pooled' } } };
		export function alone() { client.connect(); client.exec('SELECT pg_sleep(600)') }
		export function pooled() { pool.exec('SELECT pg_sleep(600)') }`)
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
