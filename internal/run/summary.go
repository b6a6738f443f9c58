package run

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

// A summary is what k6/lib's handleSummary writes: k6's own data, and what k6/x/pg adds to it.
type summary struct {
	Metrics map[string]struct {
		Type   string `json:"type"`
		Values values `json:"values"`
	} `json:"metrics"`
	Window *struct {
		Start   time.Time `json:"start"`
		End     time.Time `json:"end"`
		Seconds float64   `json:"seconds"`
		Ready   int       `json:"ready"` // clients, when it opened
		Late    int       `json:"late"`  // clients that were ready only later
	} `json:"window"` // null where it never opened
	Errors []result.Error `json:"errors"`

	First      map[string]values  `json:"first_connects"`
	Later      map[string]values  `json:"later_connects"`
	Statements map[string]values  `json:"statements"` // by name
	Counters   map[string]float64 `json:"counters"`   // sums within the window
	Finish     *result.Finish     `json:"finish"`     // null where the window had a fixed length
}

// values are those of one metric, by k6's names for them.
type values map[string]float64

func readSummary(file string) (*summary, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read k6's summary: %w", err)
	}
	s := new(summary)
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("read k6's summary %s: %w", file, err)
	}
	return s, nil
}

// The metrics' parts that belong to the measured window.
const inWindow = "{phase:measure}"

func (s *summary) count(metric string) int64 { return int64(s.Metrics[metric].Values["count"]) }

// measured is the summary in run.json's terms. Where clients had a fixed number of transactions, the rate is that of
// their work without the time to connect.
func (s *summary) measured(c lesson.Cell) *result.Measured {
	m := &result.Measured{
		Transactions: s.count("pg_transactions" + inWindow),
		Trends:       map[string]result.Trend{},
		Late:         s.count("pg_late" + inWindow),
		Dropped:      s.count("pg_dropped" + inWindow),
		Errors:       append([]result.Error{}, s.Errors...),
		Counted: result.Counted{Transactions: s.count("pg_transactions"), Prepares: s.count("pg_prepare_transactions"),
			Connections: s.count("pg_connections"), Explicit: s.count("pg_transaction")},
		FirstConnects: trends(s.First), LaterConnects: trends(s.Later), Statements: trends(s.Statements),
		Counters: s.Counters, Finish: s.Finish,
	}
	if w := s.Window; w != nil {
		m.WindowSeconds, m.ClientsReady, m.ClientsLate = w.Seconds, w.Ready, w.Late
	}
	if m.WindowSeconds > 0 {
		m.TPS = float64(m.Transactions) / m.WindowSeconds
	}
	if c.Transactions > 0 && s.Finish != nil {
		m.TPS = s.Finish.TPS
	}
	for name, metric := range s.Metrics {
		if base, ok := strings.CutSuffix(name, inWindow); ok && metric.Type == "trend" && metric.Values["count"] > 0 {
			m.Trends[base] = metric.Values.trend()
		}
	}
	return m
}

func (v values) trend() result.Trend {
	return result.Trend{Count: int64(v["count"]), Min: v["min"], Avg: v["avg"], Med: v["med"],
		P90: v["p(90)"], P95: v["p(95)"], P99: v["p(99)"], Max: v["max"]}
}

// trends are those of metrics that have a value.
func trends(metrics map[string]values) map[string]result.Trend {
	all := map[string]result.Trend{}
	for name, v := range metrics {
		if v["count"] > 0 {
			all[name] = v.trend()
		}
	}
	return all
}

// complain returns why the repeat measured nothing, or nil where it did. Clients with a fixed number of transactions
// that could not even connect are a result: how many were done is the figure.
func (s *summary) complain(c lesson.Cell) error {
	if c.Transactions > 0 {
		if s.Finish == nil {
			return errors.New("k6 didn't say how its clients got done" + s.why())
		}
		return nil
	}
	if s.Window == nil {
		return errors.New("the measured window never opened" + s.why())
	}
	if s.count("pg_transactions"+inWindow) == 0 {
		return errors.New("no transaction was committed in the measured window" + s.why())
	}
	return nil
}

// why lists what went wrong, each kind once, the most frequent first.
func (s *summary) why() string {
	if s == nil {
		return ""
	}
	var kinds []string
	for _, e := range slices.SortedStableFunc(slices.Values(s.Errors), func(a, b result.Error) int { return cmp.Compare(b.Count, a.Count) }) {
		kinds = append(kinds, fmt.Sprintf("%d x %s (%s)", e.Count, e.Code, e.Message))
	}
	if len(kinds) == 0 {
		return ""
	}
	return ": " + strings.Join(kinds, "; ")
}
