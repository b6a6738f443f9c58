package pgbench

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// standIn is a program in place of pgbench: it says that its clients are busy, writes its process id and its child's to
// a file, logs a transaction every few milliseconds, and ends at an alarm as pgbench does. extra is more of its code.
func standIn(t *testing.T, extra string) (load Load, pids string) {
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

// wantGone wants none of the processes to be left, neither running nor stopped.
func wantGone(t *testing.T, pids string) {
	t.Helper()
	file, err := os.Open(pids)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	count := 0
	for lines := bufio.NewScanner(file); lines.Scan(); count++ {
		for _, word := range strings.Fields(lines.Text()) {
			pid, err := strconv.Atoi(word)
			if err != nil {
				t.Fatal(err)
			}
			for giveUp := time.Now().Add(3 * time.Second); alive(pid); time.Sleep(10 * time.Millisecond) {
				if time.Now().After(giveUp) {
					t.Errorf("process %d is left", pid)
					_ = syscall.Kill(pid, syscall.SIGKILL)
					break
				}
			}
		}
	}
	if count == 0 {
		t.Error("no program was started")
	}
}

// alive says whether a process is there and isn't only waited for.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	words := strings.Fields(string(stat[strings.LastIndex(string(stat), ")")+1:]))
	return words[0] != "Z" && words[0] != "X"
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
		if length := slot.End.Sub(slot.Start); length < SlotLength || length > 5*SlotLength {
			t.Errorf("slot %d lasted %v", i, length)
		}
		if i > 0 && slot.Start.Before(result.Slots[i-1].End) {
			t.Errorf("slot %d began before the one before it had ended", i)
		}
		if slot.Counted == 0 || slot.Counted > slot.All {
			t.Errorf("slot %d has %v transactions, %v counted", i, slot.All, slot.Counted)
		}
	}
	for _, ratio := range result.Ratios {
		if math.Abs(math.Log(ratio)) > 1 {
			t.Errorf("two equal sides have the ratio %v", ratio)
		}
	}
	for side, log := range result.Logs {
		checkStoodStill(t, Side(side), result.Slots, log.Transactions)
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
		after      time.Duration // until it is interrupted; 0 for never
	}{
		"it can't connect":           {"echo 'FATAL: too many' >&2; kill $!; exit 1", "too many", 0},
		"interrupted while it waits": {"sleep 60", "context canceled", 300 * time.Millisecond},
		"interrupted in a slot":      {"", "context canceled", 900 * time.Millisecond},
		"it ends by itself":          {"(sleep 0.5; echo 'server closed' >&2; kill -KILL 0) &", "server closed", 0},
	} {
		load, pids := standIn(t, test.code)
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if test.after > 0 {
				time.AfterFunc(test.after, cancel)
			}
			began := time.Now()
			_, err := Pair{Sides: [2]Load{load, load}, Groups: 5}.Run(ctx)
			if err == nil || !strings.Contains(err.Error(), test.says) || time.Since(began) > 10*time.Second {
				t.Errorf("the error is %v after %v", err, time.Since(began))
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
	load, pids := standIn(t, "kill $!")
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), runsPair+"="+load.Program)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	for giveUp := time.Now().Add(5 * time.Second); time.Now().Before(giveUp); time.Sleep(20 * time.Millisecond) {
		if text, err := os.ReadFile(pids); err == nil && strings.Count(string(text), "\n") == 2 {
			break
		}
	}
	time.Sleep(2 * SlotLength)
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait() // it was killed
	wantGone(t, pids)
}
