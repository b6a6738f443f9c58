package summary

import (
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// LedgerColumns are those of the ledger, a CSV file that k6's output lab writes. Each row is an attempt of a client.
//
//	cell         number of the cell among those that run at once, from 0; path and workload are the cell's
//	client       number of the client, number that of the attempt among the client's own, both from 1
//	begin, end   in UTC
//	outcome      "ok", or an error's SQLSTATE or code
//	server       which node said that it answered
//	transaction  in which it wrote (pg_current_xact_id)
//	warning      that the server sent with its answer
var LedgerColumns = []string{"cell", "path", "workload", "client", "number", "begin", "end", "outcome", "server",
	"transaction", "warning"}

// ledgerTime is how a ledger writes moments, in UTC.
const ledgerTime = "2006-01-02T15:04:05.000000Z"

// LedgerOf is the file of the ledger that belongs to a summary.
func LedgerOf(file string) string { return strings.TrimSuffix(file, ".json") + ".csv" }

// An Attempt is a row of a ledger.
type Attempt struct {
	Cell            int
	Path, Workload  string
	Client, Number  int // the number counts the client's attempts, from 1
	Begin, End      time.Time
	Outcome, Server string
	Transaction     string
	Warning         string
}

// OK says whether it succeeded.
func (a Attempt) OK() bool { return a.Outcome == "ok" }

// Row is the attempt in the order of LedgerColumns.
func (a Attempt) Row() []string {
	moment := func(at time.Time) string { return at.UTC().Format(ledgerTime) }
	return []string{strconv.Itoa(a.Cell), a.Path, a.Workload, strconv.Itoa(a.Client), strconv.Itoa(a.Number),
		moment(a.Begin), moment(a.End), a.Outcome, a.Server, a.Transaction, a.Warning}
}

// ReadLedger reads a ledger.
func ReadLedger(file string) ([]Attempt, error) {
	from, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read the ledger: %w", err)
	}
	defer from.Close()
	reader := csv.NewReader(from)
	rows, err := reader.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("read the ledger %s: %w", file, err)
	}
	var all []Attempt
	for i, row := range rows {
		if i == 0 {
			continue
		}
		if len(row) < len(LedgerColumns) {
			return nil, fmt.Errorf("read the ledger %s, line %d: %d columns, wanted %q", file, i+1, len(row), LedgerColumns)
		}
		a := Attempt{Path: row[1], Workload: row[2], Outcome: row[7], Server: row[8], Transaction: row[9], Warning: row[10]}
		var wrong [5]error
		a.Cell, wrong[0] = strconv.Atoi(row[0])
		a.Client, wrong[1] = strconv.Atoi(row[3])
		a.Number, wrong[2] = strconv.Atoi(row[4])
		a.Begin, wrong[3] = time.Parse(time.RFC3339Nano, row[5])
		a.End, wrong[4] = time.Parse(time.RFC3339Nano, row[6])
		for _, err := range wrong {
			if err != nil {
				return nil, fmt.Errorf("read the ledger %s, line %d: %w", file, i+1, err)
			}
		}
		all = append(all, a)
	}
	return all, nil
}
