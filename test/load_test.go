package test

import (
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pooler-lab/test/testkit"
)

// started is a script under way.
type started struct {
	process  *exec.Cmd
	out, err transcript
	ended    chan struct{}
}

// A transcript is what a program has printed so far.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *transcript) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *transcript) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// start begins a script of the lab and doesn't wait for it; what is still under way when the test ends is killed.
func start(t testing.TB, name string, args ...string) *started {
	t.Helper()
	return startCommand(t, filepath.Join(root, "scripts", name), args...)
}

func startCommand(t testing.TB, name string, args ...string) *started {
	t.Helper()
	return startWith(t, nil, name, args...)
}

// startWith begins a program that reads from a keyboard; nil is none.
func startWith(t testing.TB, keyboard io.Reader, name string, args ...string) *started {
	t.Helper()
	s := &started{process: exec.Command(name, args...), ended: make(chan struct{})}
	s.process.Dir, s.process.Stdin, s.process.Stdout, s.process.Stderr = root, keyboard, &s.out, &s.err
	if err := s.process.Start(); err != nil {
		t.Fatalf("start %s: %v", name, err)
	}
	go func() {
		defer close(s.ended)
		_ = s.process.Wait() // the exit status is read where it matters
	}()
	t.Cleanup(func() {
		_ = s.process.Process.Kill()
		<-s.ended
	})
	return s
}

// wait returns what the script printed and how it ended. A run of many cells may take several times as long as a test
// waits for a state.
func (s *started) wait(t testing.TB) answer {
	t.Helper()
	select {
	case <-s.ended:
	case <-time.After(5 * testkit.Patience):
		t.Fatalf("%s is still under way:\n%s%s", strings.Join(s.process.Args, " "), s.out.String(), s.err.String())
	}
	return answer{s.out.String(), s.err.String(), s.process.ProcessState.ExitCode()}
}

// hasEnded says whether the script has ended.
func (s *started) hasEnded() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// underWay is what pgbench says each second once all its clients are connected and some transactions are through.
var underWay = regexp.MustCompile(`progress: [0-9.]+ s, [0-9.]*[1-9][0-9.]* tps`)

// startWrites starts pgbench's TPC-B transactions on a route and returns once all its own clients are connected and
// some come through. They go on until stopTools.
func startWrites(t *testing.T, r route, clients int) *started {
	t.Helper()
	s := start(t, "pgbench", append(r.args(), "-n", "-P", "1", "-c", strconv.Itoa(clients), "-T", "3600")...)
	t.Cleanup(func() { stopTools(t, s) })
	testkit.Eventually(t, func() string {
		if !underWay.MatchString(s.err.String()) {
			return "pgbench writes nothing: " + r.name() + "\n" + s.err.String()
		}
		return ""
	})
	return s
}

// writesMore waits until the history has some more rows.
func writesMore(t *testing.T, who string) {
	t.Helper()
	before := balancesOf(t, "primary").rows
	testkit.Eventually(t, func() string {
		if balancesOf(t, "primary").rows < before+20 {
			return "pgbench writes nothing: " + who
		}
		return ""
	})
}

// stopTools ends the connections that pgbench and psql have to the primary until they have noticed: they end, and
// pgbench says what it did.
func stopTools(t *testing.T, loads ...*started) {
	t.Helper()
	testkit.Eventually(t, func() string {
		if !slices.ContainsFunc(loads, func(s *started) bool { return !s.hasEnded() }) {
			return ""
		}
		a := superuser(t, container("primary"), "postgres", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "+
			"WHERE application_name IN ('pgbench', 'psql') AND pid <> pg_backend_pid()")
		return "pgbench or psql goes on " + a.err
	})
}

var processed = regexp.MustCompile(`number of transactions actually processed: (\d+)`)

// committed is how many transactions pgbench saw committed; not ok where it was killed before it could say.
func (a answer) committed(t *testing.T) (n int, ok bool) {
	t.Helper()
	match := processed.FindStringSubmatch(a.out)
	if match == nil {
		return 0, false
	}
	n, err := strconv.Atoi(match[1])
	if err != nil {
		t.Fatal(err)
	}
	return n, true
}

// balances are the sums of pgbench's four tables, and how many rows its history has. Each of its transactions moves
// all four sums by the same amount.
type balances struct{ accounts, tellers, branches, history, rows int }

// balancesOf asks a PostgreSQL node.
func balancesOf(t *testing.T, node string) balances {
	t.Helper()
	const sql = `SELECT (SELECT sum(abalance) FROM pgbench_accounts), (SELECT sum(tbalance) FROM pgbench_tellers),
		(SELECT sum(bbalance) FROM pgbench_branches), (SELECT coalesce(sum(delta), 0) FROM pgbench_history),
		(SELECT count(*) FROM pgbench_history)`
	var b balances
	said := strings.ReplaceAll(superuser(t, container(node), "lab", sql).all(), "|", " ")
	if _, err := fmt.Sscan(said, &b.accounts, &b.tellers, &b.branches, &b.history, &b.rows); err != nil {
		t.Fatalf("read balances %q: %v", said, err)
	}
	return b
}

// checkMoved wants the four sums to have moved together since before. What happened before doesn't matter: lessons
// truncate the history.
func (b balances) checkMoved(t *testing.T, before balances) {
	t.Helper()
	accounts, tellers := b.accounts-before.accounts, b.tellers-before.tellers
	branches, history := b.branches-before.branches, b.history-before.history
	if accounts != tellers || accounts != branches || accounts != history {
		t.Errorf("the sums of pgbench's tables moved apart: accounts %d, tellers %d, branches %d, history %d", accounts,
			tellers, branches, history)
	}
}
