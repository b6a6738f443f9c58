package report

import (
	"slices"
	"strconv"
	"strings"

	"pooler-lab/internal/metric"
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

// row counts the errors of a row's cells and lists their flags, each with the metric that it belongs to where the row
// has several: "connect: latency; TPS: host late".
func (e ending) row(cells []*result.Cell) []string {
	var failed int64
	var flags []string
	for _, c := range cells {
		failed += c.ErrorsMeasured()
		text := joined(c.Flags())
		if text != "" && len(cells) > 1 {
			text = metric.For(c)[0].Short() + ": " + text
		}
		flags = append(flags, text)
	}
	var row []string
	if e.errors {
		row = append(row, strconv.FormatInt(failed, 10))
	}
	flags = slices.DeleteFunc(flags, func(text string) bool { return text == "" })
	return append(row, strings.Join(flags, "; "))
}

// joined writes kinds of flags one after the other.
func joined(kinds []result.FlagKind) string {
	var words []string
	for _, kind := range kinds {
		words = append(words, string(kind))
	}
	return strings.Join(words, " ")
}
