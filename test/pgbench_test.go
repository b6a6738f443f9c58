package test

import (
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

// pgbench drives cells of each kind over paths of each kind, and counts what the servers count.
func TestPgbenchDrivesCells(t *testing.T) {
	for _, protocol := range []string{"simple", "extended", "prepared"} {
		run := start(t, "run", "03-pooling", "--experiments", "select-one,one", "--driver", "pgbench", "--repeats", "1",
			"--paths", "direct,pgbouncer-transaction,pgpool", "--protocols", protocol).finished(t, 0)
		if len(run.Cells) != 6 {
			t.Errorf("%s: %d cells", protocol, len(run.Cells))
		}
		for i := range run.Cells {
			c := &run.Cells[i]
			last := c.Last()
			if last == nil {
				t.Errorf("%s: %s", c.ID, c.Reason)
				continue
			}
			if c.Driver != lesson.Pgbench || last.Measured.Transactions == 0 || len(last.Counts) == 0 ||
				last.Flagged(result.FlagCounts) || last.Flagged(result.FlagErrors) {
				t.Errorf("%s: %+v, %+v, %v", c.ID, last.Measured, last.Counts, last.Flags)
			}
		}
	}
	noGeneratorIsLeft(t)
}
