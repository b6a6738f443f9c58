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

	"pooler-lab/internal/result"
)

// A summary is what k6/lib's handleSummary writes: k6's own data, and what k6/x/pg adds to it.
type summary struct {
	Metrics map[string]struct {
		Type   string             `json:"type"`
		Values map[string]float64 `json:"values"`
	} `json:"metrics"`
	Window *struct {
		Start   time.Time `json:"start"`
		End     time.Time `json:"end"`
		Seconds float64   `json:"seconds"`
		Ready   int       `json:"ready"` // clients, when it opened
	} `json:"window"` // null where it never opened
	Errors []result.Error `json:"errors"`
}

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

// measured is the summary in run.json's terms.
func (s *summary) measured() *result.Measured {
	m := &result.Measured{
		Transactions: s.count("pg_transactions" + inWindow),
		Trends:       map[string]result.Trend{},
		Late:         s.count("pg_late" + inWindow),
		Dropped:      s.count("pg_dropped" + inWindow),
		Errors:       append([]result.Error{}, s.Errors...),
		Counted: result.Counted{Transactions: s.count("pg_transactions"), Prepares: s.count("pg_prepare_transactions"),
			Connections: s.count("pg_connections")},
	}
	if w := s.Window; w != nil {
		m.WindowSeconds, m.ClientsReady = w.Seconds, w.Ready
	}
	if m.WindowSeconds > 0 {
		m.TPS = float64(m.Transactions) / m.WindowSeconds
	}
	for name, metric := range s.Metrics {
		base, ok := strings.CutSuffix(name, inWindow)
		v := metric.Values
		if !ok || metric.Type != "trend" || v["count"] == 0 {
			continue
		}
		m.Trends[base] = result.Trend{Count: int64(v["count"]), Min: v["min"], Avg: v["avg"], Med: v["med"],
			P90: v["p(90)"], P95: v["p(95)"], P99: v["p(99)"], Max: v["max"]}
	}
	return m
}

// complain returns why the repeat measured nothing, or nil where it did.
func (s *summary) complain() error {
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
