package pgbench

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pooler-lab/internal/testkit"
)

// standIn is a program in place of pgbench: it says that its clients are busy, writes its process id and its child's to
// a file, logs a transaction every few milliseconds, and ends at an alarm as pgbench does. extra is more of its code.
func standIn(t testing.TB, extra string) (load Load, pids string) {
	t.Helper()
	folder := t.TempDir()
	program, pids := filepath.Join(folder, "stand-in-for-pgbench"), filepath.Join(folder, "pids")
	text := `#!/usr/bin/env bash
for argument; do case $argument in --log-prefix=*) log=${argument#*=}.$$ ;; esac; done
trap 'exit 0' ALRM
sleep 600 >/dev/null 2>&1 & echo "$$ $!" >>` + pids + `
echo 'starting vacuum...end.' >&2
` + extra + `
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
	return Load{Program: program, Env: os.Environ()}, pids
}

// started returns the process ids of the programs that have started, each before its child's.
func started(t *testing.T, pids string) (all []int) {
	t.Helper()
	text, err := os.ReadFile(pids)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var program, child int
		if n, _ := fmt.Sscanf(line, "%d %d\n", &program, &child); n == 2 {
			all = append(all, program, child)
		}
	}
	return all
}

// wantGone wants none of the processes to be left, neither running nor stopped.
func wantGone(t *testing.T, pids string) {
	t.Helper()
	for _, pid := range started(t, pids) {
		testkit.Until(t, fmt.Sprintf("process %d has ended", pid), func() bool { return !alive(pid) })
	}
}

// state is a process's in /proc: R, S, T for one that was stopped; X for one that isn't there.
func state(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "X"
	}
	return strings.Fields(string(stat[strings.LastIndex(string(stat), ")")+1:]))[0]
}

// alive says whether a process is there and isn't only waited for.
func alive(pid int) bool { return state(pid) != "Z" && state(pid) != "X" }

// stopped says whether the second program is there and was stopped, as it is once both alternate.
func stopped(t *testing.T, pids string) bool {
	t.Helper()
	all := started(t, pids)
	return len(all) == 4 && state(all[2]) == "T"
}

func TestPair(t *testing.T) {
	load, pids := standIn(t, "")
	result, err := Pair{Sides: [2]Load{load, load}, Groups: 2, Seed: 1}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wantGone(t, pids)
	if len(result.Slots) != 8 || len(result.Ratios) != 2 {
		t.Fatalf("%d slots, %d ratios", len(result.Slots), len(result.Ratios))
	}
	for i, slot := range result.Slots {
		if length := slot.End.Sub(slot.Start); length < SlotLength {
			t.Errorf("slot %d lasted %v", i, length)
		}
		if i > 0 && slot.Start.Before(result.Slots[i-1].End) {
			t.Errorf("slot %d began before the one before it had ended", i)
		}
		if slot.Counted > slot.All {
			t.Errorf("slot %d has %v transactions, %v counted", i, slot.All, slot.Counted)
		}
	}
	for side, log := range result.Logs {
		checkStoodStill(t, Side(side), result.Slots, log.Transactions)
	}
}

// BenchmarkEqualSides: two sides that do the same have ratios near 1.
func BenchmarkEqualSides(b *testing.B) {
	load, _ := standIn(b, "")
	result, err := Pair{Sides: [2]Load{load, load}, Groups: 8, Seed: 1}.Run(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	sum := 0.0
	for _, ratio := range result.Ratios {
		sum += math.Log(ratio)
	}
	mean := math.Exp(sum / float64(len(result.Ratios)))
	b.ReportMetric(mean, "ratio")
	if math.Abs(math.Log(mean)) > 0.1 {
		b.Errorf("two equal sides have the ratio %.3f; 0.9 to 1.1 was wanted", mean)
	}
}

// checkStoodStill wants a side to have done nothing in the middle of the other one's slots.
func checkStoodStill(t *testing.T, side Side, slots []Slot, transactions []Transaction) {
	t.Helper()
	for _, slot := range slots {
		for _, done := range transactions {
			if slot.Side != side && done.End.After(slot.Start.Add(Lead)) && done.End.Before(slot.End) {
				t.Errorf("%v ended a transaction %v after the other side's slot began", side, done.End.Sub(slot.Start))
			}
		}
	}
}

// However a pair ends, nothing of it is left.
func TestPairThatFails(t *testing.T) {
	for name, test := range map[string]struct {
		code, says string
		interrupt  func(t *testing.T, pids string) bool // when it is interrupted; nil for never
	}{
		"it can't connect": {"echo 'FATAL: too many' >&2; kill $!; exit 1", "too many", nil},
		"interrupted while it waits": {"sleep 600", "context canceled",
			func(t *testing.T, pids string) bool { return len(started(t, pids)) == 2 }},
		"interrupted in a slot": {"", "context canceled", stopped},
		"it ends by itself":     {"(sleep 0.5; echo 'server closed' >&2; kill -KILL 0) &", "server closed", nil},
	} {
		load, pids := standIn(t, test.code)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if test.interrupt != nil {
				go func() {
					defer cancel()
					testkit.Until(t, "it is where it is to be interrupted", func() bool { return test.interrupt(t, pids) })
				}()
			}
			_, err := Pair{Sides: [2]Load{load, load}, Groups: 500}.Run(ctx)
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("the error is %v", err)
			}
			wantGone(t, pids)
		})
	}
	if _, err := (Pair{Sides: [2]Load{{Program: "no-such-program"}}, Groups: 1}).Run(t.Context()); err == nil ||
		!strings.HasPrefix(err.Error(), "start pgbench: ") {
		t.Errorf("the error is %v", err)
	}
}

// runsPair makes this test's program, started anew, run a pair of that stand-in until it is killed.
const runsPair = "TEST_RUNS_A_PAIR_OF"

func TestMain(m *testing.M) {
	if program := os.Getenv(runsPair); program != "" {
		load := Load{Program: program, Env: os.Environ()}
		_, err := Pair{Sides: [2]Load{load, load}, Groups: 100}.Run(context.Background())
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// The programs themselves end with a lab that is killed, even the one that stands still.
func TestPairOfProgramThatIsKilled(t *testing.T) {
	load, pids := standIn(t, "kill $!; wait $!")
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), runsPair+"="+load.Program)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	testkit.Until(t, "the two alternate", func() bool { return stopped(t, pids) })
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait() // it was killed
	wantGone(t, pids)
}
