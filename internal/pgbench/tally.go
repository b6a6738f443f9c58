package pgbench

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"pooler-lab/k6/summary"
)

// Phases of a test: before its window and after it.
const (
	before summary.Phase = "warmup"
	after  summary.Phase = "after"
)

// A tally is what the log of a test comes to, summed up line by line: a log may be larger than memory.
type tally struct {
	from, to time.Time               // the window
	times    map[summary.Phase]times // of committed transactions, by the phase in which they ended
	failed   map[failure]int64
	done     map[int]int64 // committed transactions of each client until the window's end
	last     time.Time     // end of the last of them
	began    map[int]bool  // clients that committed any, after the window too
}

// A failure is what transactions ended with that weren't committed, and in which phase.
type failure struct {
	ended string
	phase summary.Phase
}

// codes are the SQLSTATEs of failures.
var codes = map[string]string{serialization: "40001", deadlock: "40P01", failed: "failed"}

func newTally(from, to time.Time) *tally {
	return &tally{from: from, to: to, failed: map[failure]int64{}, done: map[int]int64{}, began: map[int]bool{},
		times: map[summary.Phase]times{before: {}, summary.Measured: {}, after: {}}}
}

// phase is that of the transactions that end then.
func (t *tally) phase(end time.Time) summary.Phase {
	switch {
	case end.Before(t.from):
		return before
	case end.Before(t.to):
		return summary.Measured
	}
	return after
}

// read adds all files of a log whose name begins with prefix: pgbench writes one a thread.
func (t *tally) read(prefix string) error {
	files, err := filepath.Glob(prefix + ".*")
	if err != nil {
		return fmt.Errorf("look for pgbench's log: %w", err)
	}
	for _, name := range files {
		file, err := os.Open(name)
		if err == nil {
			err = scan(file, t.add)
			file.Close()
		}
		if err != nil {
			return fmt.Errorf("read pgbench's log: %w", err)
		}
	}
	return nil
}

// add counts one transaction.
func (t *tally) add(one transaction) {
	phase := t.phase(one.end)
	switch {
	case one.ended == committed:
		t.times[phase][one.micros]++
		t.began[one.client] = true
		if phase == after {
			return
		}
		t.done[one.client]++
		if one.end.After(t.last) {
			t.last = one.end
		}
	case one.ended != skipped:
		t.failed[failure{one.ended, phase}]++
	}
}

// whole are the times of all committed transactions.
func (t *tally) whole() times {
	all := times{}
	for _, some := range t.times {
		for value, count := range some {
			all[value] += count
		}
	}
	return all
}

// errors are the failures, as a summary has them.
func (t *tally) errors() []summary.Error {
	var all []summary.Error
	for _, ended := range []string{serialization, deadlock, failed} {
		for _, phase := range []summary.Phase{before, summary.Measured, after} {
			if n := t.failed[failure{ended, phase}]; n > 0 {
				all = append(all, summary.Error{Code: codes[ended], Phase: string(phase), Count: n,
					Message: "pgbench logged a transaction that failed: " + ended})
			}
		}
	}
	return all
}

// finished are the clients that did so many transactions at least.
func (t *tally) finished(transactions int) (clients int) {
	for _, n := range t.done {
		if n >= int64(max(1, transactions)) {
			clients++
		}
	}
	return clients
}
