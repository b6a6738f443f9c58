package output

import (
	"encoding/csv"
	"errors"
	"os"
	"strconv"
	"time"

	"go.k6.io/k6/v2/metrics"

	"pooler-lab/k6/summary"
)

// attemptMetric is what k6/x/pg sends of each attempt that a ledger keeps.
const attemptMetric = "pg_attempt"

// A ledger is a CSV file of all attempts of a test: see summary.LedgerColumns. There is none before the first attempt.
type ledger struct {
	file   *os.File
	rows   *csv.Writer
	failed error // the first
}

// add adds an attempt to the ledger beside the summary.
func (l *ledger) add(summaryFile string, s metrics.Sample) {
	if l.file == nil && l.failed == nil {
		if l.file, l.failed = os.Create(summary.LedgerOf(summaryFile)); l.failed == nil {
			l.rows = csv.NewWriter(l.file)
			l.failed = l.rows.Write(summary.LedgerColumns)
		}
	}
	if l.failed != nil {
		return
	}
	path, _ := s.Tags.Get("path")
	took := time.Duration(s.Value * float64(time.Millisecond))
	moment := func(at time.Time) string { return at.UTC().Format(summary.LedgerTime) }
	l.failed = l.rows.Write([]string{strconv.Itoa(sideOf(s.Tags)), path, s.Metadata["workload"], s.Metadata["client"],
		s.Metadata["number"], moment(s.Time.Add(-took)), moment(s.Time), s.Metadata["outcome"], s.Metadata["server"],
		s.Metadata["transaction"]})
}

// close writes what is left, and returns the first error.
func (l *ledger) close() error {
	if l.file == nil {
		return l.failed
	}
	l.rows.Flush()
	return errors.Join(l.failed, l.rows.Error(), l.file.Close())
}
