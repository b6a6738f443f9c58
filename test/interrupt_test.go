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
	"pooler-lab/internal/testkit"
)

// What is finished is kept, and what was changed is put back, when a run is interrupted in a cell that lasts: without a
// terminal and at one. What a run leaves behind that is killed is scripts/reset's. Nothing else runs meanwhile.
func TestInterruptedRuns(t *testing.T) {
	saveCells(t)
	setLatency(t, "7ms", "client-pgpool")
	t.Run("without a terminal", func(t *testing.T) {
		run := startLong(t, nil)
		for _, args := range [][]string{{"run", "00-tour"}, {"reset"}} {
			said := refused(t, nil, args[0], args[1:]...)
			if !strings.Contains(said, "98-cells is under way") || strings.Count(strings.TrimSpace(said), "\n") > 1 {
				t.Errorf("scripts/%s said:\n%s", args[0], said)
			}
		}
		run.interrupt(t)
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
		run := startLong(t, keyboard)
		if _, err := typed.WriteString("\x03"); err != nil {
			t.Fatal(err)
		}
		checkInterrupted(t, run)
	})
	t.Run("killed", func(t *testing.T) {
		run := startLong(t, nil)
		killInLab(t, "lab run ")
		run.wait(t)
		killInLab(t, "k6 run ")
		script(t, "reset", "--keep-data")
		checkRestored(t)
	})
}

// startLong begins a run of a short cell and one that lasts, and returns in the midst of that one. It reads from the
// keyboard of a terminal, where there is one.
func startLong(t *testing.T, keyboard io.Reader) *started {
	t.Helper()
	seed := uint64(1) // one by which the short cell comes first
	for lesson.Blocks([]lesson.Cell{{Wanted: 1}, {Wanted: 1}}, seed)[0][0] != 0 {
		seed++
	}
	options := []string{"--seed", strconv.FormatUint(seed, 10)}
	var run *started
	if keyboard == nil {
		run = startCells(t, "fill,long", options...)
	} else {
		run = startWith(t, keyboard, "script", "-qec", "scripts/run 98-cells --experiments fill,long "+
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

// killInLab kills the programs in the lab's container whose command lines begin so, each as its own user: the container
// holds no capability to signal others' processes.
func killInLab(t *testing.T, command string) {
	t.Helper()
	find := `for p in /proc/[0-9]*; do
		case $(tr '\0' ' ' <$p/cmdline 2>/dev/null) in '` + command + `'*) echo ${p#/proc/}:$(stat -c %u $p) ;; esac
	done; true`
	for _, process := range strings.Fields(inside(t, "lab", "sh", "-c", find)) {
		pid, user, _ := strings.Cut(process, ":")
		docker(t, "exec", "-u", user, container("lab"), "sh", "-c", "kill -9 "+pid)
	}
}

// What can't be run is refused in one line that names it, before anything runs.
func TestRunRefusesBadInput(t *testing.T) {
	t.Parallel()
	checkRefused(t, map[string]string{
		"run":                                       "00-tour",
		"run 09-nope":                               `no lesson "09-nope"`,
		"run ../00-tour":                            "no lesson",
		"run 00-tour more":                          "arg",
		"run 00-tour --paths nope":                  `unknown path "nope"`,
		"run 00-tour --experiments nope":            `unknown experiment "nope"`,
		"run 00-tour --workloads nope":              `unknown workload "nope"`,
		"run 00-tour --protocols fast":              `"fast"`,
		"run 00-tour --latencies 5x":                `"5x"`,
		"run 00-tour --latencies -5":                "latencies: -5 is too small",
		"run 00-tour --latencies 100000000":         "60000",
		"run 00-tour --paths socket --latencies 10": "no cells are left",
		"run 00-tour --seconds 0":                   "seconds: 0 is too small",
		"run 00-tour --seconds nan":                 "seconds",
		"run 00-tour --seconds 1e9":                 "3600",
		"run 00-tour --seconds soon":                `"soon"`,
		"run 00-tour --warmup -1":                   "warm",
		"run 00-tour --repeats 0":                   "repeats: 0 is too small",
		"run 00-tour --clients 0":                   "clients: 0 is too small",
		"run 00-tour --clients 1,x":                 `"x" stands there, it must be a whole number`,
		"run 00-tour --rate 0":                      "rate",
		"run 00-tour --rate -1":                     "rate: -1 is too small",
		"run 00-tour --seed -1":                     `"-1"`,
		"run 00-tour --nonsense":                    "--nonsense",
		"run 00-tour --experiment connect":          "did you mean --experiments?",
		"run 00-tour --experiments conect":          "did you mean connect?",
		"run 00-tour --groups connect":              "--groups is called --experiments now",
		"run 00-tour --pods 2":                      "--pods is called --instances now",
		"run 00-tour --pod-pools 2":                 "--pod-pools is called --instance-pools now",
	})
}
