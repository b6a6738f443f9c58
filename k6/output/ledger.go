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
	client, badClient := strconv.Atoi(s.Metadata["client"])
	number, badNumber := strconv.Atoi(s.Metadata["number"])
	if l.failed = errors.Join(badClient, badNumber); l.failed != nil {
		return
	}
	l.failed = l.rows.Write(summary.Attempt{Cell: sideOf(s.Tags), Path: path, Workload: s.Metadata["workload"],
		Client: client, Number: number, Begin: s.Time.Add(-took), End: s.Time, Outcome: s.Metadata["outcome"],
		Server: s.Metadata["server"], Transaction: s.Metadata["transaction"], Warning: s.Metadata["warning"]}.Row())
}

// close writes what is left, and returns the first error.
func (l *ledger) close() error {
	if l.file == nil {
		return l.failed
	}
	l.rows.Flush()
	return errors.Join(l.failed, l.rows.Error(), l.file.Close())
}
