package test

import (
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
	"pooler-lab/test/testkit"
)

// What is finished is kept, and what was changed is put back, when a run is interrupted in a cell that lasts: without a
// terminal and at one. What a run leaves behind that is killed is scripts/reset's. Nothing else runs meanwhile.
func TestInterruptedRuns(t *testing.T) {
	saveCells(t)
	setLatency(t, "7ms", "client-pgpool")
	t.Run("without a terminal", func(t *testing.T) {
		run := startLong(t, "fill,long", nil)
		for _, args := range [][]string{{"run", "00-tour"}, {"reset"}} {
			said := refused(t, nil, args[0], args[1:]...)
			if !strings.Contains(said, "98-cells is under way") || strings.Count(strings.TrimSpace(said), "\n") > 1 {
				t.Errorf("scripts/%s said:\n%s", args[0], said)
			}
		}
		if err := run.process.Process.Signal(os.Interrupt); err != nil { // Ctrl-C
			t.Fatal(err)
		}
		checkInterrupted(t, run)
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
		run := startLong(t, "long", keyboard)
		if _, err := typed.WriteString("\x03"); err != nil {
			t.Fatal(err)
		}
		checkInterrupted(t, run)
	})
	t.Run("killed", func(t *testing.T) {
		run := startLong(t, "long", nil)
		killInLab(t, "lab run ")
		run.wait(t)
		killInLab(t, "k6 run ")
		script(t, "reset", "--keep-data")
		checkRestored(t)
	})
}

// startLong begins a run of experiments, the last of which lasts, and returns in the midst of that one. It reads
// from the keyboard of a terminal, where there is one.
func startLong(t *testing.T, experiments string, keyboard io.Reader) *started {
	t.Helper()
	seed := uint64(1) // one by which the short cell comes first
	for lesson.Blocks([]lesson.Cell{{Wanted: 1}, {Wanted: 1}}, seed)[0][0][0] != 0 {
		seed++
	}
	options := []string{"--seed", strconv.FormatUint(seed, 10)}
	var run *started
	if keyboard == nil {
		run = startCells(t, experiments, options...)
	} else {
		run = startWith(t, keyboard, "script", "-qec", "scripts/run 98-cells --experiments "+experiments+" "+
			strings.Join(options, " "), "/dev/null")
	}
	testkit.Eventually(t, func() string {
		if run.hasEnded() {
			t.Fatalf("the run ended by itself:\n%s%s", run.out.String(), run.err.String())
		}
		if asSuperuser(t, "primary", loaded+" AND usename = 'app_trust'") == "0" {
			return "k6 has no session of the cell that lasts"
		}
		return ""
	})
	return run
}

// checkInterrupted wants the run to end well, with its latencies and settings put back.
func checkInterrupted(t *testing.T, run *started) {
	t.Helper()
	r := run.finished(t, 130)
	if r.Status != result.Interrupted || r.Ended == nil || r.Unfinished != 1 || r.NotRestored != "" {
		t.Errorf("the run is %s, ended %v, %d repeats unfinished, latencies: %q", r.Status, r.Ended, r.Unfinished,
			r.NotRestored)
	}
	for _, c := range r.Cells {
		wanted := map[string]result.Status{"fill": result.OK, "long": result.Interrupted}[c.Experiment]
		if len(c.Repeats) == 0 || c.Repeats[len(c.Repeats)-1].Status != wanted {
			t.Errorf("%s is not %s: %s", c.ID, wanted, reasons(c))
		}
	}
	for name, l := range links(t) {
		if set := l.LatencyMS; (name == "client-pgpool") != (set == 7) || (name != "client-pgpool" && set != 0) {
			t.Errorf("%s has %v ms, wanted what was set before the run", name, set)
		}
	}
	noGeneratorIsLeft(t)
	checkRestored(t)
}

// killInLab kills the programs in the lab's container whose command lines begin so, as their own users: the container
// holds no capability to signal others' processes.
func killInLab(t *testing.T, command string) {
	t.Helper()
	find := `for p in /proc/[0-9]*; do
		case $(tr '\0' ' ' <$p/cmdline 2>/dev/null) in '` + command + `'*) echo ${p#/proc/} $(stat -c %u $p) ;; esac
	done; true`
	for line := range strings.Lines(inside(t, "lab", "sh", "-c", find)) {
		pid, user, _ := strings.Cut(strings.TrimSpace(line), " ")
		docker(t, "exec", "-u", user, container("lab"), "sh", "-c", "kill -9 "+pid)
	}
}
