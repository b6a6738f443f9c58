package test

import (
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// started is a script under way.
type started struct {
	process  *exec.Cmd
	out, err bytes.Buffer
	ended    chan struct{}
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

// wait returns what the script printed and how it ended; it must end before the deadline.
func (s *started) wait(t testing.TB, deadline time.Duration) answer {
	t.Helper()
	select {
	case <-s.ended:
		return answer{s.out.String(), s.err.String(), s.process.ProcessState.ExitCode()}
	case <-time.After(deadline):
		t.Fatalf("%s is still under way after %v", strings.Join(s.process.Args, " "), deadline)
		return answer{}
	}
}

// startWrites starts pgbench's TPC-B transactions on a route and returns once they come through.
func startWrites(t *testing.T, r route, clients, seconds int) *started {
	t.Helper()
	before := balancesOf(t, "primary").rows
	s := start(t, "pgbench", append(r.args(), "-n", "-c", strconv.Itoa(clients), "-T", strconv.Itoa(seconds))...)
	eventually(t, 10*time.Second, func() string {
		if balancesOf(t, "primary").rows < before+20 {
			return "pgbench writes nothing:\n" + r.name()
		}
		return ""
	})
	return s
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

// balancesOf asks a PostgreSQL node inside its container, over its own socket.
func balancesOf(t *testing.T, node string) balances {
	t.Helper()
	const sql = `SELECT (SELECT sum(abalance) FROM pgbench_accounts), (SELECT sum(tbalance) FROM pgbench_tellers),
		(SELECT sum(bbalance) FROM pgbench_branches), (SELECT coalesce(sum(delta), 0) FROM pgbench_history),
		(SELECT count(*) FROM pgbench_history)`
	var b balances
	said := inside(t, node, "psql", "-X", "-A", "-t", "-F", " ", "-U", "postgres", "-d", "lab", "-c", sql)
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
