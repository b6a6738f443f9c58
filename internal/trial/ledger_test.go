package trial

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"pooler-lab/internal/result"
	"pooler-lab/k6/summary"
)

var opened = time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)

// attempt is one from so many to so many tenths of a second after the window's opening.
func attempt(client, number int, from, to float64, outcome string) summary.Attempt {
	at := func(tenths float64) time.Time { return opened.Add(time.Duration(tenths * float64(step))) }
	return summary.Attempt{Path: "direct", Workload: "write", Client: client, Number: number, Begin: at(from), End: at(to),
		Outcome: outcome, Server: "primary"}
}

// A second in which client 1 has no success for 0.6 s, and client 2 none at all, to the end. One of its writes is there
// all the same; one that was acknowledged is gone.
func TestSummarize(t *testing.T) {
	attempts := []summary.Attempt{
		attempt(1, 1, -3, -2, "ok"),    // before the window
		attempt(1, 2, -0.5, 1.5, "ok"), // from before it
		attempt(1, 3, 2.2, 4.5, "timeout"),
		attempt(1, 4, 4.6, 7.5, "ok"),
		attempt(2, 1, 0.1, 0.2, "refused"),
		attempt(2, 2, 5.1, 12, "57P01"), // after it
	}
	attempts[3].Warning, attempts[4].Warning = "not replicated", "refused, too"
	found := map[string]bool{"1.1": true, "1.2": true, "2.1": true}
	l := summarize(attempts, summary.Window{Start: opened, End: opened.Add(time.Second)},
		func(mark string) bool { return found[mark] })
	want := &result.Ledger{Attempts: 4, Lost: 1, Unreported: 1, Warned: 1, StepSeconds: 0.1,
		Outages:   []result.Outage{{Client: 1, From: 0.15, To: 0.75}, {Client: 2, From: 0, To: 1, ToEnd: true}},
		Succeeded: []int{0, 1, 0, 0, 0, 0, 0, 1, 0, 0},
		Failed:    []int{1, 0, 0, 0, 1, 0, 0, 0, 0, 0},
		Open:      []int{1, 1, 0, 1, 1, 1, 2, 2, 1, 1}}
	if !reflect.DeepEqual(l, want) {
		t.Errorf("it comes to %+v\nwanted %+v", l, want)
	}
}

// An attempt that is dropped is noticed, whichever it is, and so is a client that made none.
func TestCheckMissesNoAttempt(t *testing.T) {
	whole := []summary.Attempt{attempt(1, 1, 0, 1, "ok"), attempt(2, 1, 0, 1, "ok"), attempt(1, 2, 1, 2, "ok")}
	if err := check(whole, 2, 3); err != nil {
		t.Errorf("of a whole one it says %v", err)
	}
	for i := range whole {
		lacking := append(append([]summary.Attempt{}, whole[:i]...), whole[i+1:]...)
		if check(lacking, 2, 3) == nil {
			t.Errorf("without the attempt %d it says nothing", i+1)
		}
	}
	if check(whole, 3, 3) == nil {
		t.Error("of one that lacks a client it says nothing")
	}
}

// A ledger reads as it was written, and again once rows have been looked for.
func TestCSV(t *testing.T) {
	attempts := []summary.Attempt{attempt(1, 1, 0, 1, "ok"), attempt(1, 2, 1, 2, "08006")}
	attempts[1].Cell, attempts[1].Workload, attempts[1].Server, attempts[1].Warning = 3, "read", "", "late"
	file := filepath.Join(t.TempDir(), "own.csv")
	text := toCSV(attempts, func(string) bool { return true })
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if again, err := summary.ReadLedger(file); err != nil || !reflect.DeepEqual(again, attempts) {
		t.Errorf("%v\n%+v\nwanted %+v", err, again, attempts)
	}
	if lines := strings.Split(string(text), "\n"); !strings.HasSuffix(lines[1], ",yes") ||
		!strings.HasSuffix(lines[2], ",08006,,,late,") {
		t.Errorf("the rows are %q", lines)
	}
	for _, wrong := range []string{"1,direct\n", strings.Replace(string(text), "2026-11-27T", "yesterday ", 1)} {
		if err := os.WriteFile(file, []byte("cell,path\n"+wrong), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := summary.ReadLedger(file); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("of %q it says %v", wrong, err)
		}
	}
}
