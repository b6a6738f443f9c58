package pgbench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pooler-lab/internal/testkit"
	"pooler-lab/k6/summary"
)

// busyFor is pgbench's script of a test that needs no table.
const busyFor = "\\set n random(1, 9)\nSELECT :n;\n"

// testServer is the server of the tests, and pgbench's environment there. Without one the test is skipped.
func testServer(t *testing.T) (dsn string, env []string) {
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
	return dsn, os.Environ()
}

func TestDriver(t *testing.T) {
	dsn, env := testServer(t)
	for name, test := range map[string]struct {
		change func(*Test)
		check  func(t *testing.T, s *summary.Summary)
	}{
		"a window after a warm-up": {func(o *Test) {
			o.Seconds, o.Warmup = 0.5, 0.7
		}, func(t *testing.T, s *summary.Summary) {
			if s.Finish != nil || s.Window.Seconds < 0.499 || s.Window.Seconds > 0.501 || s.Window.Ready != 3 {
				t.Errorf("%+v, %+v", s.Window, s.Finish)
			}
		}},
		"a window that begins with connecting": {func(o *Test) { o.Seconds = 1 }, func(t *testing.T, s *summary.Summary) {
			f := s.Finish
			if f == nil || s.Window.Seconds < 0.999 || s.Window.Seconds > 1.001 {
				t.Errorf("%+v, %+v", s.Window, f)
			}
		}},
		"fixed work": {func(o *Test) { o.Seconds, o.Transactions = 600, 7 }, func(t *testing.T, s *summary.Summary) {
			if s.Count("pg_transactions", summary.Measured) != 21 || s.Finish == nil || s.Finish.Finished != 3 {
				t.Errorf("%+v, %+v", s.Counters, s.Finish)
			}
		}},
		"a transaction of several statements": {func(o *Test) {
			o.Script, o.Explicit, o.Transactions, o.Seconds = "BEGIN;\n"+busyFor+"END;\n", true, 7, 600
		}, func(t *testing.T, s *summary.Summary) {
			trend := s.Trends["pg_transaction"][summary.Measured]
			if trend.Count != 21 || trend.Min > trend.Med || trend.Med > trend.P99 || trend.P99 > trend.Max || trend.Avg == 0 {
				t.Errorf("%+v", s.Trends)
			}
		}},
		"prepared": {func(o *Test) { o.Protocol, o.Transactions, o.Seconds = "prepared", 2, 600 },
			func(t *testing.T, s *summary.Summary) {
				if s.Count("pg_prepare_transactions", summary.Whole) != 3 || s.Count("pg_connections", summary.Whole) != 4 {
					t.Errorf("%+v", s.Counters)
				}
			}},
	} {
		t.Run(name, func(t *testing.T) {
			o := Test{Script: busyFor, Protocol: "simple", Clients: 3, Threads: 2, Scale: 1, Seed: 7, DSN: dsn, Env: env,
				Log: filepath.Join(t.TempDir(), "log")}
			test.change(&o)
			s, end, err := o.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if end.Exit != 0 || end.Memory == 0 || !end.Ended.After(end.Started) || len(s.Errors) > 0 {
				t.Errorf("it ended as %+v with errors %v", end, s.Errors)
			}
			if text, err := os.ReadFile(o.Log); err != nil || !strings.Contains(string(text), "number of clients: 3") {
				t.Errorf("it printed %q, %v", text, err)
			}
			test.check(t, s)
		})
	}
}

// A client that pgbench gives up leaves fewer than the test has: that is an error, and says why.
func TestDriverWithClientsThatFail(t *testing.T) {
	dsn, env := testServer(t)
	for name, test := range map[string]struct{ script, dsn, want string }{
		"a statement fails":  {"SELECT 1/0;\n", dsn, "division by zero"},
		"nobody can connect": {busyFor, "host=127.0.0.1 port=1 dbname=x", "connection to server"},
	} {
		o := Test{Script: test.script, Protocol: "simple", Clients: 2, Threads: 1, Scale: 1, Seconds: 600, Warmup: 1,
			DSN: test.dsn, Env: env}
		if _, _, err := o.Run(t.Context()); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Serialization failures and deadlocks are counted by their SQLSTATE, and the clients go on.
func TestDriverCountsFailures(t *testing.T) {
	dsn, env := testServer(t)
	script := "BEGIN;\nDO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END $$;\nEND;\n"
	o := Test{Script: script, Explicit: true, Protocol: "simple", Clients: 1, Threads: 1, Scale: 1, Seconds: 600,
		Transactions: 5, DSN: dsn, Env: env}
	s, _, err := o.Run(t.Context())
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

// standIn is a program in place of pgbench: it says that its clients are busy, writes its process id and its child's to
// a file, logs a transaction every few milliseconds, and ends at an alarm as pgbench does.
func standIn(t *testing.T) (program, pids string) {
	t.Helper()
	folder := t.TempDir()
	program, pids = filepath.Join(folder, "stand-in-for-pgbench"), filepath.Join(folder, "pids")
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
	if err := os.WriteFile(program, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return program, pids
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

// runsTest makes this test's program, started anew, run that stand-in until it is killed.
const runsTest = "TEST_RUNS_A_STAND_IN"

func TestMain(m *testing.M) {
	if program := os.Getenv(runsTest); program != "" {
		o := Test{Program: program, Env: os.Environ(), Clients: 1, Threads: 1, Seconds: 600, Warmup: 600}
		_, _, err := o.Run(context.Background())
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// pgbench ends with a lab that is killed.
func TestDriverThatIsKilled(t *testing.T) {
	program, pids := standIn(t)
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), runsTest+"="+program)
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

// Whatever ends a test, no pgbench is left: one that is interrupted, one whose time is over, and fixed work that takes
// too long.
func TestDriverThatIsEnded(t *testing.T) {
	for name, test := range map[string]struct {
		change    func(*Test)
		interrupt bool   // once it has started
		want      string // part of the error
	}{
		"it is interrupted": {func(*Test) {}, true, "context canceled"},
		"its work isn't done": {func(o *Test) { o.Transactions, o.Seconds = 9, 0.5 }, false,
			"its transactions weren't done in time: pgbench didn't end within 500ms"},
		"its window is closed": {func(o *Test) { o.Seconds, o.Warmup = 1, 0.2 }, false, ""},
	} {
		program, pids := standIn(t)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := Test{Program: program, Env: os.Environ(), Script: busyFor, Clients: 1, Threads: 1, Seconds: 600, Warmup: 600}
			test.change(&o)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if test.interrupt {
				go func() {
					defer cancel()
					testkit.Until(t, "pgbench has started", func() bool { return len(started(t, pids)) == 2 })
				}()
			}
			_, _, err := o.Run(ctx)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("the error is %v", err)
			}
			for _, pid := range started(t, pids) {
				testkit.Gone(t, pid)
			}
		})
	}
}

// Connecting is part of a window that begins with it.
func TestFinish(t *testing.T) {
	from := time.Unix(1700000000, 0)
	seen := newTally(from, from.Add(2*time.Second))
	seen.done = map[int]int64{0: 3, 1: 5}
	p := &process{}
	p.report.WriteString("initial connection time = 500.000 ms\n")
	f := *Test{Clients: 3}.finish(p, seen, 12)
	want := summary.Finish{ConnectedSeconds: 0.5, Connected: 3, Finished: 2, Starved: 1, Seconds: 2, TPSWithConnect: 6,
		TPS: 8, MeanConnectSeconds: 0.5}
	if f != want {
		t.Errorf("it is %+v, not %+v", f, want)
	}
	late := Test{Clients: 3}.finish(&process{}, seen, 0)
	if late.Connected != 0 || late.TPSWithConnect != 0 {
		t.Errorf("where nobody was connected in time it is %+v", late)
	}
}
