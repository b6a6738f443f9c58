package generator

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.k6.io/k6/v2/metrics"

	"pooler-lab/k6/summary"
)

// Phases of a pgbench: before its window and after it.
const (
	before summary.Phase = "warmup"
	after  summary.Phase = "after"
)

// A tally is what the log of a pgbench comes to, summed up line by line.
type tally struct {
	from, to        time.Time          // the window
	whole, measured *metrics.TrendSink // response times of committed transactions, in ms
	failed          map[failure]int64
	done            map[int]int64 // committed transactions of each client until the window's end
	last            time.Time     // end of the last of them
	began           map[int]bool  // clients that committed any, after the window too
	tenths          [10]int64     // transactions that ended in each tenth of the window
}

// A failure is what transactions ended with that weren't committed, and in which phase.
type failure struct {
	ended string
	phase summary.Phase
}

// codes are the SQLSTATEs of failures, as pgbench names them in a log with --failures-detailed.
var codes = map[string]string{"serialization": "40001", "deadlock": "40P01"}

func newTally() *tally {
	return &tally{whole: metrics.NewTrendSink(), measured: metrics.NewTrendSink(), failed: map[failure]int64{},
		done: map[int]int64{}, began: map[int]bool{}}
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
			err = t.scan(file)
			file.Close()
		}
		if err != nil {
			return fmt.Errorf("read pgbench's log: %w", err)
		}
	}
	return nil
}

// scan adds the lines of a log:
//
//	client_id transaction_no time script_no time_epoch time_us
//
// where time is in microseconds or says how the transaction failed, and the moment of its end is in seconds and
// microseconds.
func (t *tally) scan(from io.Reader) error {
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		one, err := parseTransaction(lines.Text())
		switch {
		case err != nil:
			return err
		case one.failure != "":
			t.failed[failure{one.failure, t.phase(one.ended)}]++
		default:
			t.commit(one.client, one.ended, one.took)
		}
	}
	return lines.Err()
}

// A transaction is a line of the log.
type transaction struct {
	client  int
	ended   time.Time
	took    time.Duration
	failure string // what it ended with in place of a commit, as in codes
}

// parseTransaction reads a line of a log.
func parseTransaction(line string) (t transaction, err error) {
	words := strings.Fields(line)
	if len(words) != 6 {
		return t, fmt.Errorf("line %q: %d words, not 6", line, len(words))
	}
	if codes[words[2]] != "" {
		t.failure, words[2] = words[2], "0"
	}
	var numbers [6]int64
	for i, word := range words {
		if numbers[i], err = strconv.ParseInt(word, 10, 64); err != nil {
			return t, fmt.Errorf("line %q: %w", line, err)
		}
	}
	t.client, t.took = int(numbers[0]), time.Duration(numbers[2])*time.Microsecond
	t.ended = time.Unix(numbers[4], numbers[5]*int64(time.Microsecond))
	return t, nil
}

// commit counts a transaction that a client committed.
func (t *tally) commit(client int, ended time.Time, took time.Duration) {
	response, phase := metrics.Sample{Value: metrics.D(took)}, t.phase(ended)
	t.whole.Add(response)
	t.began[client] = true
	if phase == summary.Measured {
		t.measured.Add(response)
		t.tenths[10*ended.Sub(t.from)/t.to.Sub(t.from)]++
	}
	if phase == after {
		return
	}
	t.done[client]++
	if ended.After(t.last) {
		t.last = ended
	}
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

// errors are the failures, as a summary has them.
func (t *tally) errors() []summary.Error {
	all := []summary.Error{}
	inOrder := func(a, b failure) int {
		return strings.Compare(codes[a.ended]+string(a.phase), codes[b.ended]+string(b.phase))
	}
	for _, f := range slices.SortedFunc(maps.Keys(t.failed), inOrder) {
		all = append(all, summary.Error{Code: codes[f.ended], Phase: string(f.phase), Count: t.failed[f],
			Message: "pgbench logged a transaction that failed: " + f.ended})
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
