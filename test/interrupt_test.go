package test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pooler-lab/internal/result"
)

// narrowed is a run of six short cells, in an order that its seed gives.
var narrowed = []string{"--experiments", "select", "--paths", "direct,standby,pgbouncer-transaction", "--latencies",
	"none,2", "--seconds", "1.5", "--seed", "7"}

// Ctrl-C ends the cell that is running, keeps those that are finished and puts the latencies back, at a terminal
// and without one. Both runs have the same seed.
func TestInterruptKeepsWhatIsFinished(t *testing.T) {
	setLatency(t, "7ms", "client-pgpool")
	var orders [][]string
	t.Run("without a terminal", func(t *testing.T) {
		run := startLesson(t, narrowed...)
		waitForCells(t, run, 2)
		if err := run.process.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		orders = append(orders, checkInterrupted(t, run))
	})
	t.Run("at a terminal", func(t *testing.T) {
		if _, err := exec.LookPath("script"); err != nil {
			t.Skip("the program 'script', which makes the terminal, is missing")
		}
		keyboard, typed, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer keyboard.Close()
		defer typed.Close()
		run := startWith(t, keyboard, "script", "-qec", "scripts/run 00-tour "+strings.Join(narrowed, " "), "/dev/null")
		waitForCells(t, run, 2)
		if _, err := typed.WriteString("\x03"); err != nil {
			t.Fatal(err)
		}
		orders = append(orders, checkInterrupted(t, run))
	})
	if len(orders) == 2 {
		n := min(len(orders[0]), len(orders[1]))
		if n < 2 || !slices.Equal(orders[0][:n], orders[1][:n]) {
			t.Errorf("the same seed gave the orders %v and %v", orders[0], orders[1])
		}
	}
}

// waitForCells waits until the run that is under way has begun its nth cell, and for k6 in it.
func waitForCells(t *testing.T, run *started, n int) {
	t.Helper()
	eventually(t, 30*time.Second, func() string {
		select {
		case <-run.ended:
			t.Fatalf("the run ended by itself:\n%s%s", run.out.String(), run.err.String())
		default:
		}
		done := 0
		if r := newest(t); r != nil && r.Status == result.Running {
			for _, c := range r.Cells {
				done += len(undisturbed(c))
			}
		}
		if done < n-1 {
			return "too few cells are finished"
		}
		return ""
	})
	waitForK6(t)
	time.Sleep(300 * time.Millisecond)
}

// newest is the run begun last, nil where there is none yet.
func newest(t *testing.T) *result.Run {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(results, "*", result.File))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		return nil
	}
	r, err := result.Read(slices.Max(files))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// checkInterrupted wants the run to end at once and well, and returns the order of its cells.
func checkInterrupted(t *testing.T, run *started) []string {
	t.Helper()
	began := time.Now()
	r := run.finished(t, 130)
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v to end", took)
	}
	if r.Status != result.Interrupted || r.Ended == nil || r.Unfinished < 4 || r.NotRestored != "" {
		t.Errorf("the run is %s, ended %v, %d repeats unfinished, latencies: %q", r.Status, r.Ended, r.Unfinished,
			r.NotRestored)
	}
	ok, cut := 0, 0
	for _, c := range r.Cells {
		for _, repeat := range undisturbed(c) {
			switch repeat.Status {
			case result.OK:
				ok++
			case result.Interrupted:
				cut++
			default:
				t.Errorf("%s is %s: %s", c.ID, repeat.Status, repeat.Reason)
			}
		}
	}
	if ok == 0 || cut > 1 {
		t.Errorf("%d finished repeats were kept, %d are interrupted", ok, cut)
	}
	for name, l := range links(t) {
		if asked := l.LatencyMS; (name == "client-pgpool") != (asked == 7) || (name != "client-pgpool" && asked != 0) {
			t.Errorf("%s has %v ms, wanted what was set before the run", name, asked)
		}
	}
	if strings.Contains(commandLines(t, "lab"), "k6 run ") {
		t.Error("k6 is still running")
	}
	return order(r)
}

// A second run, or a reset, is refused while one is under way, and says why.
func TestSecondRunIsRefused(t *testing.T) {
	run := startLesson(t, "--experiments", "select", "--paths", "direct", "--latencies", "none", "--seconds", "4")
	waitForLoad(t, 0)
	for _, args := range [][]string{{"run", "00-tour"}, {"reset"}} {
		said := refused(t, nil, args[0], args[1:]...)
		if !strings.Contains(said, "00-tour is under way") || strings.Count(strings.TrimSpace(said), "\n") > 1 {
			t.Errorf("scripts/%s said:\n%s", args[0], said)
		}
	}
	if c := onlyCell(t, run.finished(t, 0)); c.Status != result.OK {
		t.Errorf("the first run's cell is %s: %v", c.Status, c.Repeats)
	}
}

// k6 and the servers count the same on each kind of path, and what a run writes belongs to whoever owns the folder.
func TestCountsAgreeAndFilesBelongToTheOwner(t *testing.T) {
	const owner = 12345
	own(t, owner)
	t.Cleanup(func() { own(t, 0) })
	run := startLesson(t, "--experiments", "select,throughput", "--paths",
		"direct,socket,standby,pgbouncer-transaction,pgbouncer-session,pgpool",
		"--latencies", "none", "--seconds", "0.7", "--warmup", "0.5")
	r := run.finished(t, 0)
	if len(r.Cells) != 12 {
		t.Errorf("%d cells, wanted 12", len(r.Cells))
	}
	for _, c := range r.Cells {
		if c.Status != result.OK {
			t.Errorf("%s is %s: %s", c.ID, c.Status, c.Reason)
			continue
		}
		checkCounts(t, undisturbed(c)[0])
	}
	eachFile(t, filepath.Join(results, r.ID), func(file string, info fs.FileInfo) {
		if stat, ok := info.Sys().(*syscall.Stat_t); !ok || stat.Uid != owner || stat.Gid != owner {
			t.Errorf("%s belongs to %+v, wanted %d", file, info.Sys(), owner)
		}
	})
}

// own gives the folder of results, and all that is in it, to a user.
func own(t *testing.T, id int) {
	t.Helper()
	eachFile(t, results, func(file string, _ fs.FileInfo) {
		if err := os.Lchown(file, id, id); err != nil {
			t.Skipf("this account may not give files away: %v", err)
		}
	})
}

func eachFile(t *testing.T, folder string, see func(file string, info fs.FileInfo)) {
	t.Helper()
	err := filepath.Walk(folder, func(file string, info fs.FileInfo, err error) error {
		if err != nil {
			return err
		}
		see(file, info)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What can't be run is refused in one line that names it, before anything runs.
func TestRunRefusesBadInput(t *testing.T) {
	for _, c := range []struct{ args, wanted string }{
		{"", "00-tour"},
		{"09-nope", `no lesson "09-nope"`},
		{"../00-tour", "no lesson"},
		{"00-tour more", "arg"},
		{"00-tour --paths nope", `unknown path "nope"`},
		{"00-tour --experiments nope", `unknown experiment "nope"`},
		{"00-tour --workloads nope", `unknown workload "nope"`},
		{"00-tour --protocols fast", `"fast"`},
		{"00-tour --latencies 5x", `"5x"`},
		{"00-tour --latencies -5", "latencies: -5 is too small"},
		{"00-tour --latencies 100000000", "60000"},
		{"00-tour --paths socket --latencies 10", "no cells are left"},
		{"00-tour --seconds 0", "seconds: 0 is too small"},
		{"00-tour --seconds nan", "seconds"},
		{"00-tour --seconds 1e9", "3600"},
		{"00-tour --seconds soon", `"soon"`},
		{"00-tour --warmup -1", "warm"},
		{"00-tour --seconds 0.5 --warmup 0.1", "second"},
		{"00-tour --repeats 0", "repeats: 0 is too small"},
		{"00-tour --clients 0", "clients: 0 is too small"},
		{"00-tour --clients 1,x", `"x" stands there, it must be a whole number`},
		{"00-tour --rate 0", "rate"},
		{"00-tour --rate -1", "rate: -1 is too small"},
		{"00-tour --seed -1", `"-1"`},
		{"00-tour --nonsense", "--nonsense"},
		{"00-tour --experiment connect", "did you mean --experiments?"},
		{"00-tour --experiments conect", "did you mean connect?"},
		{"00-tour --groups connect", "--groups is called --experiments now"},
		{"00-tour --pods 2", "--pods is called --instances now"},
		{"00-tour --pod-pools 2", "--pod-pools is called --instance-pools now"},
	} {
		t.Run(c.args, func(t *testing.T) {
			said := refused(t, nil, "run", strings.Fields(c.args)...)
			if !strings.Contains(said, c.wanted) || strings.Contains(said, "block 1/") {
				t.Errorf("wanted one sentence with %q, got:\n%s", c.wanted, said)
			}
		})
	}
}
