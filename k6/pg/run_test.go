package pg

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"pooler-lab/test/testkit"
)

// findK6 returns the k6 that LAB_TEST_K6 names, or skips the test.
func findK6(t *testing.T) string {
	t.Helper()
	binary := os.Getenv("LAB_TEST_K6")
	if binary == "" {
		t.Skip("LAB_TEST_K6 names no k6 with the module")
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

// TestInterrupt stops k6 as Ctrl-C does, while its VUs sleep on the server.
func TestInterrupt(t *testing.T) {
	dsn, count := alone(t, testDSN(t))
	file := filepath.Join(t.TempDir(), "script.js")
	code := `import pg from 'k6/x/pg';
		const client = pg.client({ dsn: __ENV.DSN });
		const pool = pg.pool({ dsn: __ENV.DSN, size: 2 });
		export const options = { scenarios: {
			alone: { executor: 'constant-vus', vus: 3, duration: '600s', exec: 'alone' },
			pooled: { executor: 'constant-vus', vus: 3, duration: '600s', exec: 'pooled' } } };
		export function alone() { client.connect(); client.exec('SELECT pg_sleep(600)') }
		export function pooled() { pool.exec('SELECT pg_sleep(600)') }`
	if err := os.WriteFile(file, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	command := k6(findK6(t), "DSN="+dsn, "run", "--quiet", file)
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
