// Package pgbench runs pgbench and reads its log of transactions. Two of them can alternate as a pair, in slots of a
// few hundred milliseconds.
package pgbench

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Transaction is one that pgbench logged. One that wasn't committed has no length.
type Transaction struct {
	Client     int
	Start, End time.Time
	Lag        time.Duration // behind its schedule, where pgbench has a rate
}

// Log is what pgbench logged.
type Log struct {
	Transactions []Transaction // in the order of their ends
	Failed       int           // that the server ended with an error
	Skipped      int           // that were too late for their schedule
}

// ReadLogs reads all files of a log whose name begins with prefix: pgbench writes one a thread.
func ReadLogs(prefix string) (*Log, error) {
	files, err := filepath.Glob(prefix + ".*")
	if err != nil {
		return nil, fmt.Errorf("look for pgbench's log: %w", err)
	}
	log := &Log{}
	for _, file := range files {
		if err := log.readFile(file); err != nil {
			return nil, fmt.Errorf("read pgbench's log: %w", err)
		}
	}
	slices.SortStableFunc(log.Transactions, func(a, b Transaction) int { return a.End.Compare(b.End) })
	return log, nil
}

func (l *Log) readFile(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	return l.Read(file)
}

// Read adds the lines of one file.
func (l *Log) Read(from io.Reader) error {
	return scan(from, func(t Transaction, ended string) {
		switch ended {
		case committed:
			l.Transactions = append(l.Transactions, t)
		case skipped:
			l.Skipped++
		default:
			l.Failed++
		}
	})
}

// How a transaction ended, as its line in a log says. With --failures-detailed it says serialization or deadlock in
// place of failed.
const (
	committed     = ""
	skipped       = "skipped"
	failed        = "failed"
	serialization = "serialization"
	deadlock      = "deadlock"
)

// scan reads the lines of a log, and calls add with each:
//
//	client_id transaction_no time script_no time_epoch time_us [schedule_lag]
//
// where time is in microseconds or says how the transaction failed, and the moment of its end is in seconds and
// microseconds.
func scan(from io.Reader, add func(t Transaction, ended string)) error {
	for lines := bufio.NewScanner(from); ; {
		if !lines.Scan() {
			return lines.Err()
		}
		t, ended, err := parse(lines.Text())
		if err != nil {
			return fmt.Errorf("line %q: %w", lines.Text(), err)
		}
		add(t, ended)
	}
}

// parse reads a line.
func parse(text string) (t Transaction, ended string, err error) {
	words := strings.Fields(text)
	if len(words) < 6 || len(words) > 7 {
		return t, "", fmt.Errorf("%d words, not 6 or 7", len(words))
	}
	switch words[2] {
	case skipped, failed, serialization, deadlock:
		ended, words[2] = words[2], "0"
	}
	var numbers [7]int64
	for i, word := range words {
		if numbers[i], err = strconv.ParseInt(word, 10, 64); err != nil {
			return t, "", err
		}
	}
	t = Transaction{Client: int(numbers[0]), End: time.Unix(numbers[4], numbers[5]*int64(time.Microsecond)),
		Lag: micros(numbers[6])}
	t.Start = t.End.Add(-micros(numbers[2]))
	return t, ended, nil
}

func micros(number int64) time.Duration { return time.Duration(number) * time.Microsecond }

// Percentile returns the response time that this share of the transactions doesn't exceed (nearest rank), 0 where
// there are none. A transaction with a rate begins at its schedule, as in pgbench's own report.
func (l *Log) Percentile(share float64) time.Duration {
	times := make([]time.Duration, len(l.Transactions))
	for i, t := range l.Transactions {
		times[i] = t.End.Sub(t.Start)
	}
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	rank := int(math.Ceil(share*float64(len(times)))) - 1
	return times[max(0, min(rank, len(times)-1))]
}
