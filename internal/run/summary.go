package run

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
	"pooler-lab/k6/summary"
)

// measured is the summary in run.json's terms. Where the window began with connecting, the rate is that of the work
// without the time to connect.
func measured(s *summary.Summary) *result.Measured {
	whole := func(counter string) int64 { return s.Count(counter, summary.Whole) }
	m := &result.Measured{
		Transactions: s.Count("pg_transactions", summary.Measured),
		Trends:       map[string]result.Trend{},
		Late:         s.Count("pg_late", summary.Measured),
		Dropped:      s.Count("pg_dropped", summary.Measured),
		Errors:       append([]result.Error{}, s.Errors...),
		Counted: result.Counted{Transactions: whole("pg_transactions"), Prepares: whole("pg_prepare_transactions"),
			Connections: whole("pg_connections"), Silent: whole("pg_silent_connections"),
			Explicit: s.Trends["pg_transaction"][summary.Whole].Count},
		FirstConnects: s.First, LaterConnects: s.Later, Statements: s.Statements,
		Counters: map[string]float64{}, Finish: s.Finish,
	}
	if w := s.Window; w != nil {
		m.WindowSeconds, m.ClientsReady = w.Seconds, w.Ready
	}
	if m.WindowSeconds > 0 {
		m.TPS = float64(m.Transactions) / m.WindowSeconds
	}
	if s.Finish != nil {
		m.TPS = s.Finish.TPS
	}
	for name, phases := range s.Trends {
		if trend, ok := phases[summary.Measured]; ok {
			m.Trends[name] = trend
		}
	}
	for name, phases := range s.Counters {
		if count, ok := phases[summary.Measured]; ok {
			m.Counters[name] = count
		}
	}
	return m
}

// complain returns why the repeat measured nothing, or nil where it did. Where the window begins with connecting, clients
// that could not even connect are a result: how much was done is what is measured.
func complain(s *summary.Summary, c lesson.Cell) error {
	switch {
	case s.Finish != nil:
		return nil
	case c.Transactions > 0:
		return errors.New("k6 didn't say how its clients got done" + why(s))
	}
	if s.Window == nil {
		return errors.New(strings.TrimSuffix("the measured window never opened: "+s.Unopened, ": ") + why(s))
	}
	if s.Count("pg_transactions", summary.Measured) == 0 {
		return errors.New("no transaction was committed in the measured window" + why(s))
	}
	return nil
}

// why lists what went wrong, each kind once, the most frequent first.
func why(s *summary.Summary) string {
	if s == nil {
		return ""
	}
	byCount := func(a, b result.Error) int { return cmp.Compare(b.Count, a.Count) }
	var kinds []string
	for _, e := range slices.SortedStableFunc(slices.Values(s.Errors), byCount) {
		kinds = append(kinds, fmt.Sprintf("%d x %s (%s)", e.Count, e.Code, e.Message))
	}
	if len(kinds) == 0 {
		return ""
	}
	return ": " + strings.Join(kinds, "; ")
}
