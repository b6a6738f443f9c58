package report

import (
	"strconv"
	"strings"

	"pooler-lab/internal/result"
)

// An ending is the last columns of a run's tables: each is there where a cell of the run has something for it.
type ending struct{ errors, flags bool }

func endingOf(run *result.Run) (e ending) {
	for i := range run.Cells {
		c := &run.Cells[i]
		e.errors = e.errors || c.ErrorsMeasured() > 0
		e.flags = e.flags || len(c.Flags()) > 0
	}
	return e
}

// headings are those of the columns; the last one is free text, and there even where it is empty.
func (e ending) headings() [][]string {
	var columns [][]string
	if e.errors {
		columns = append(columns, []string{"errors"})
	}
	if e.flags {
		return append(columns, []string{"flags"})
	}
	return append(columns, []string{""})
}

// row counts the errors of a row's cell and lists its flags.
func (e ending) row(c *result.Cell) []string {
	var row []string
	if e.errors {
		row = append(row, strconv.FormatInt(c.ErrorsMeasured(), 10))
	}
	return append(row, joined(c.Flags()))
}

// joined writes kinds of flags one after the other.
func joined(kinds []result.FlagKind) string {
	var words []string
	for _, kind := range kinds {
		words = append(words, string(kind))
	}
	return strings.Join(words, " ")
}
