package generator

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/k6/summary"
	"pooler-lab/test/testkit"
)

// busyFor is pgbench's script of a test that needs no table.
const busyFor = "\\set n random(1, 9)\nSELECT :n;\n"

// testServer is the server of the tests. Without one the test is skipped.
func testServer(t *testing.T) (dsn string) {
	t.Helper()
	if _, err := exec.LookPath("pgbench"); err != nil {
		t.Skip("there is no pgbench")
	}
	dsn = os.Getenv("LAB_TEST_DSN")
	if dsn == "" && os.Getenv("LAB_TEST") != "" {
		dsn = "host=primary dbname=lab user=app password=" + os.Getenv("APP_PASSWORD")
	}
	if dsn == "" {
		t.Skip("LAB_TEST_DSN names no server")
	}
	return dsn
}

// cell is one that pgbench drives, for ten minutes.
func cell(dsn, script string, clients int) Task {
	return Task{Cell: lesson.Cell{Driver: lesson.Pgbench, PgbenchScript: script, Protocol: "simple", Clients: clients,
		Shared: lesson.Shared{Seconds: 600}}, Scale: 1, Seed: 7, DSN: dsn}
}

// run runs a cell, and returns what was measured of it and what pgbench printed.
func (c Task) run(ctx context.Context, t *testing.T) (s *summary.Summary, end End, printed string, err error) {
	t.Helper()
	log, written := filepath.Join(t.TempDir(), "log"), filepath.Join(t.TempDir(), "summary.json")
	end, err = Job{Cells: []Task{c}}.Run(ctx, "", log, written)
	text, logErr := os.ReadFile(log)
	if logErr != nil {
		t.Error(logErr)
	}
	if err != nil {
		return nil, end, string(text), err
	}
	seen, err := summary.Read(written)
	if err != nil {
		t.Fatal(err)
	}
	return seen.Sides[0], end, string(text), nil
}

func TestPgbench(t *testing.T) {
	dsn := testServer(t)
	for name, test := range map[string]struct {
		change func(*Task)
		check  func(t *testing.T, s *summary.Summary)
	}{
		"a window after a warm-up": {func(c *Task) {
			c.Seconds, c.Warmup = 0.5, 0.7
		}, func(t *testing.T, s *summary.Summary) {
			if s.Finish != nil || s.Window.Seconds < 0.499 || s.Window.Seconds > 0.501 || s.Window.Ready != 3 {
				t.Errorf("%+v, %+v", s.Window, s.Finish)
			}
		}},
		"a window that begins with connecting": {func(c *Task) { c.Seconds = 1 }, func(t *testing.T, s *summary.Summary) {
			f := s.Finish
			if f == nil || s.Window.Seconds < 0.999 || s.Window.Seconds > 1.001 || f.Connected != 3 || f.Starved != 0 ||
				f.TPSWithConnect == 0 || f.TPS < f.TPSWithConnect || f.ConnectedSeconds != f.MeanConnectSeconds {
				t.Errorf("%+v, %+v", s.Window, f)
			}
		}},
		"fixed work": {func(c *Task) { c.Transactions = 7 }, func(t *testing.T, s *summary.Summary) {
			if s.Count("pg_transactions", summary.Measured) != 21 || s.Finish == nil || s.Finish.Finished != 3 {
				t.Errorf("%+v, %+v", s.Counters, s.Finish)
			}
		}},
		"a transaction of several statements": {func(c *Task) {
			c.PgbenchScript, c.Transactions = "BEGIN;\n"+busyFor+"END;\n", 7
		}, func(t *testing.T, s *summary.Summary) {
			trend := s.Trends["pg_transaction"][summary.Measured]
			if trend.Count != 21 || trend.Min > trend.Med || trend.Med > trend.P99 || trend.P99 > trend.Max || trend.Avg == 0 {
				t.Errorf("%+v", s.Trends)
			}
		}},
		"parameters of the script": {func(c *Task) {
			c.PgbenchScript, c.Params, c.Transactions = "SELECT 1 / :rows;\n", map[string]any{"rows": 9}, 2
		}, func(t *testing.T, s *summary.Summary) {
			if s.Count("pg_transactions", summary.Measured) != 6 {
				t.Errorf("%+v", s.Counters)
			}
		}},
		"prepared": {func(c *Task) { c.Protocol, c.Transactions = "prepared", 2 },
			func(t *testing.T, s *summary.Summary) {
				if s.Count("pg_prepare_transactions", summary.Whole) != 3 || s.Count("pg_connections", summary.Whole) != 4 {
					t.Errorf("%+v", s.Counters)
				}
			}},
	} {
		t.Run(name, func(t *testing.T) {
			c := cell(dsn, busyFor, 3)
			test.change(&c)
			s, end, printed, err := c.run(t.Context(), t)
			if err != nil {
				t.Fatal(err)
			}
			if end.Exit != 0 || end.Memory == 0 || !end.Ended.After(end.Started) || len(s.Errors) > 0 {
				t.Errorf("it ended as %+v with errors %v", end, s.Errors)
			}
			if !strings.Contains(printed, "number of clients: 3") {
				t.Errorf("it printed %q", printed)
			}
			test.check(t, s)
		})
	}
}

// A client that pgbench gives up leaves fewer than the cell has: that is an error, and says why.
func TestPgbenchWithClientsThatFail(t *testing.T) {
	dsn := testServer(t)
	for name, test := range map[string]struct{ script, dsn, want string }{
		"a statement fails":  {"SELECT 1/0;\n", dsn, "division by zero"},
		"nobody can connect": {busyFor, "host=127.0.0.1 port=1 dbname=x", "connection to server"},
	} {
		c := cell(test.dsn, test.script, 2)
		c.Warmup = 1
		if _, _, _, err := c.run(t.Context(), t); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Serialization failures and deadlocks are counted by their SQLSTATE, and the clients go on.
func TestPgbenchCountsFailures(t *testing.T) {
	c := cell(testServer(t), "BEGIN;\nDO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END $$;\nEND;\n", 1)
	c.Transactions = 5
	s, _, _, err := c.run(t.Context(), t)
	if err != nil {
		t.Fatal(err)
	}
	if e := s.Errors; len(e) != 1 || e[0].Phase != "measure" || e[0].Code != "40001" || e[0].Count != 5 {
		t.Errorf("the failures are %+v", e)
	}
	if n := s.Count("pg_transactions", summary.Whole); n != 0 {
		t.Errorf("%d transactions were committed", n)
	}
}

// pgbenchStandIn is a program in place of pgbench: it says that its clients are busy, writes its process id and its
// child's to the file pids, logs a transaction every few milliseconds, and ends at an alarm as pgbench does. With path
// as PATH it is found.
func pgbenchStandIn(t *testing.T) (path, pids string) {
	t.Helper()
	folder := t.TempDir()
	pids = filepath.Join(folder, "pids")
	text := `#!/usr/bin/env bash
for argument; do case $argument in --log-prefix=*) log=${argument#*=}.$$ ;; esac; done
trap 'exit 0' ALRM
sleep 600 >/dev/null 2>&1 & echo "$$ $!" >` + pids + `
echo 'starting vacuum...end.' >&2
echo 'progress: 1.0 s, 9 tps' >&2
exec {never}<> <(:)
while read -r -t 0.005 -u "$never" || :; do
	now=$EPOCHREALTIME
	echo "0 1 1000 0 ${now%.*} $((10#${now#*.}))" >>"$log"
done
`
	if err := os.WriteFile(filepath.Join(folder, "pgbench"), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return folder + ":" + os.Getenv("PATH"), pids
}

// started returns the process ids of the program that has started, and of its child.
func started(t *testing.T, pids string) []int {
	t.Helper()
	text, err := os.ReadFile(pids)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var program, child int
	if n, _ := fmt.Sscanf(string(text), "%d %d\n", &program, &child); n != 2 {
		return nil
	}
	return []int{program, child}
}

// runsTest makes this test's program, started anew, run a pgbench until it is killed.
const runsTest = "TEST_RUNS_A_PGBENCH"

func TestMain(m *testing.M) {
	if os.Getenv(runsTest) != "" {
		c := cell("", busyFor, 1)
		c.Warmup = 600
		_, err := Job{Cells: []Task{c}}.Run(context.Background(), "", os.DevNull, os.DevNull)
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// pgbench ends with a lab that is killed.
func TestPgbenchOfALabThatIsKilled(t *testing.T) {
	path, pids := pgbenchStandIn(t)
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), runsTest+"=1", "PATH="+path)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	testkit.Until(t, "pgbench has started", func() bool { return len(started(t, pids)) == 2 })
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait() // it was killed
	testkit.Gone(t, started(t, pids)[0])
	_ = syscall.Kill(started(t, pids)[1], syscall.SIGKILL) // its own children don't, and pgbench has none
}

// Whatever ends a cell, no pgbench is left: one that is interrupted, one whose time is over, and fixed work that takes
// too long.
func TestPgbenchThatIsEnded(t *testing.T) {
	for name, test := range map[string]struct {
		change    func(*Task)
		interrupt bool   // once it has started
		want      string // part of the error
	}{
		"it is interrupted": {func(c *Task) { c.Warmup = 600 }, true, "context canceled"},
		"its work isn't done": {func(c *Task) { c.Transactions, c.Seconds = 9, 0.5 }, false,
			"its transactions weren't done in time: pgbench didn't end within 500ms"},
		"its window is closed": {func(c *Task) { c.Seconds, c.Warmup = 1, 0.2 }, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			path, pids := pgbenchStandIn(t)
			t.Setenv("PATH", path)
			c := cell("", busyFor, 1)
			test.change(&c)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if test.interrupt {
				go func() {
					defer cancel()
					testkit.Until(t, "pgbench has started", func() bool { return len(started(t, pids)) == 2 })
				}()
			}
			_, _, _, err := c.run(ctx, t)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("the error is %v", err)
			}
			for _, pid := range started(t, pids) {
				testkit.Gone(t, pid)
			}
		})
	}
}

// Each host of a list has an address, in the list's order: libpq wants as many addresses as hosts.
func TestPgbenchLooksUpEachHost(t *testing.T) {
	for host, want := range map[string]string{
		"127.0.0.2":                "PGHOSTADDR=127.0.0.2",
		"127.0.0.2,127.0.0.1":      "PGHOSTADDR=127.0.0.2,127.0.0.1",
		"127.0.0.3 sslmode=prefer": "PGHOSTADDR=127.0.0.3",
		"/run/postgresql":          "",
	} {
		var got string
		for _, setting := range (Task{DSN: "sslmode=disable host=" + host}).pgbenchEnvironment(t.Context()) {
			if strings.HasPrefix(setting, "PGHOSTADDR=") {
				got = setting
			}
		}
		if got != want {
			t.Errorf("%s: %q, wanted %q", host, got, want)
		}
	}
}
