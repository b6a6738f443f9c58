package session

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// A Row is one row of an answer, by column; a null is missing.
type Row map[string]string

// toRow reads a row in text format.
func toRow(fields []pgconn.FieldDescription, values [][]byte) Row {
	r := Row{}
	for i, value := range values {
		if value != nil {
			r[fields[i].Name] = string(value)
		}
	}
	return r
}

// Find returns the first row that has value in column, nil where none has.
func Find(rows []Row, column, value string) Row {
	for _, r := range rows {
		if r[column] == value {
			return r
		}
	}
	return nil
}

// Numbers reads whole numbers and keeps the first error.
type Numbers struct{ Err error }

// Of is the number in a row's column, 0 where there is none.
func (n *Numbers) Of(r Row, column string) int64 {
	text, has := r[column]
	if !has {
		return 0
	}
	v, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil && n.Err == nil {
		n.Err = fmt.Errorf("read %s: %q is no whole number", column, text)
	}
	return v
}

// Quoted is value as a string literal of SQL.
func Quoted(value string) string { return "'" + strings.ReplaceAll(value, "'", "''") + "'" }
