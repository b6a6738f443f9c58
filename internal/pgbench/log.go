package pgbench

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// A transaction is one that pgbench logged.
type transaction struct {
	client int
	end    time.Time
	micros int64 // how long it took; 0 where it wasn't committed
	ended  string
}

// How a transaction ended, as its line in a log says with --failures-detailed. skipped is of a rate, which a test has
// not.
const (
	committed     = ""
	skipped       = "skipped"
	failed        = "failed"
	serialization = "serialization"
	deadlock      = "deadlock"
)

// scan reads the lines of a log, and calls add with each:
//
//	client_id transaction_no time script_no time_epoch time_us
//
// where time is in microseconds or says how the transaction failed, and the moment of its end is in seconds and
// microseconds.
func scan(from io.Reader, add func(transaction)) error {
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		t, err := parse(lines.Text())
		if err != nil {
			return fmt.Errorf("line %q: %w", lines.Text(), err)
		}
		add(t)
	}
	return lines.Err()
}

// parse reads a line.
func parse(line string) (t transaction, err error) {
	words := strings.Fields(line)
	if len(words) != 6 {
		return t, fmt.Errorf("%d words, not 6", len(words))
	}
	switch words[2] {
	case skipped, failed, serialization, deadlock:
		t.ended, words[2] = words[2], "0"
	}
	var numbers [6]int64
	for i, word := range words {
		if numbers[i], err = strconv.ParseInt(word, 10, 64); err != nil {
			return t, err
		}
	}
	t.client, t.micros = int(numbers[0]), numbers[2]
	t.end = time.Unix(numbers[4], numbers[5]*int64(time.Microsecond))
	return t, nil
}
