package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"pooler-lab/internal/result"
)

// A column of the CSV, and what stands in it for a repeat; empty is not measured.
type column struct {
	name string
	of   func(*result.Run, *result.Cell, *result.Repeat) string
}

var columns = []column{
	{"run", func(run *result.Run, _ *result.Cell, _ *result.Repeat) string { return run.ID }},
	{"cell", func(_ *result.Run, c *result.Cell, _ *result.Repeat) string { return c.ID }},
	{"group", func(_ *result.Run, c *result.Cell, _ *result.Repeat) string { return c.Group }},
	{"path", func(_ *result.Run, c *result.Cell, _ *result.Repeat) string { return c.Path }},
	{"latency", func(_ *result.Run, c *result.Cell, _ *result.Repeat) string { return c.Latency.String() }},
	{"link", func(_ *result.Run, c *result.Cell, _ *result.Repeat) string { return c.Link }},
	{"workload", func(_ *result.Run, c *result.Cell, _ *result.Repeat) string { return c.Workload }},
	{"clients", func(_ *result.Run, c *result.Cell, _ *result.Repeat) string { return strconv.Itoa(c.Clients) }},
	{"protocol", func(_ *result.Run, c *result.Cell, _ *result.Repeat) string { return c.Protocol }},
	{"rate", func(_ *result.Run, c *result.Cell, _ *result.Repeat) string { return exact(c.Rate) }},
	{"block", ofRepeat(func(r *result.Repeat) string { return strconv.Itoa(r.Block) })},
	{"position", ofRepeat(func(r *result.Repeat) string { return strconv.Itoa(r.Position) })},
	{"attempt", ofRepeat(func(r *result.Repeat) string { return strconv.Itoa(r.Attempt) })},
	{"status", ofRepeat(func(r *result.Repeat) string { return string(r.Status) })},
	{"reason", ofRepeat(func(r *result.Repeat) string { return r.Reason })},
	{"round_trip_asked_ms", ofRoundTrip(func(t *result.RoundTrip) float64 { return t.AskedMS })},
	{"round_trip_measured_ms", ofRoundTrip(func(t *result.RoundTrip) float64 { return t.MeasuredMS })},
	{"window_seconds", ofMeasured(func(m *result.Measured) float64 { return m.WindowSeconds })},
	{"transactions", ofMeasured(func(m *result.Measured) float64 { return float64(m.Transactions) })},
	{"tps", ofMeasured(func(m *result.Measured) float64 { return m.TPS })},
	{"late", ofMeasured(func(m *result.Measured) float64 { return float64(m.Late) })},
	{"dropped", ofMeasured(func(m *result.Measured) float64 { return float64(m.Dropped) })},
	{"errors", ofMeasured(func(m *result.Measured) float64 { return float64(errorsIn(m)) })},
	{"connect_p50_ms", ofTrend("pg_connect", func(t result.Trend) float64 { return t.Med })},
	{"connect_p99_ms", ofTrend("pg_connect", func(t result.Trend) float64 { return t.P99 })},
	{"connect_first_statement_p50_ms", ofTrend("pg_connect_first_statement", func(t result.Trend) float64 { return t.Med })},
	{"statement_p50_ms", ofTrend("pg_statement", func(t result.Trend) float64 { return t.Med })},
	{"statement_p99_ms", ofTrend("pg_statement", func(t result.Trend) float64 { return t.P99 })},
	{"response_p50_ms", ofTrend("pg_response", func(t result.Trend) float64 { return t.Med })},
	{"response_p99_ms", ofTrend("pg_response", func(t result.Trend) float64 { return t.P99 })},
	{"host_cpu", ofResources(func(u *result.Resources) *float64 { return u.HostCPU })},
	{"generator_cpu", ofResources(func(u *result.Resources) *float64 { return u.GeneratorCPU })},
	{"throttled_most", ofResources(mostThrottled)},
	{"flags", ofRepeat(words)},
}

// CSV writes the run with a line a repeat.
func CSV(out io.Writer, run *result.Run) error {
	w := csv.NewWriter(out)
	var names []string
	for _, c := range columns {
		names = append(names, c.name)
	}
	lines := [][]string{names}
	for i := range run.Cells {
		for j := range run.Cells[i].Repeats {
			var fields []string
			for _, c := range columns {
				fields = append(fields, c.of(run, &run.Cells[i], &run.Cells[i].Repeats[j]))
			}
			lines = append(lines, fields)
		}
	}
	if err := w.WriteAll(lines); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}

func ofRepeat(f func(*result.Repeat) string) func(*result.Run, *result.Cell, *result.Repeat) string {
	return func(_ *result.Run, _ *result.Cell, r *result.Repeat) string { return f(r) }
}

func ofRoundTrip(f func(*result.RoundTrip) float64) func(*result.Run, *result.Cell, *result.Repeat) string {
	return ofRepeat(func(r *result.Repeat) string {
		if r.RoundTrip == nil {
			return ""
		}
		return exact(f(r.RoundTrip))
	})
}

func ofMeasured(f func(*result.Measured) float64) func(*result.Run, *result.Cell, *result.Repeat) string {
	return ofRepeat(func(r *result.Repeat) string {
		if r.Measured == nil {
			return ""
		}
		return exact(f(r.Measured))
	})
}

func ofTrend(metric string, f func(result.Trend) float64) func(*result.Run, *result.Cell, *result.Repeat) string {
	return ofRepeat(func(r *result.Repeat) string {
		if r.Measured == nil || r.Measured.Trends[metric].Count == 0 {
			return ""
		}
		return exact(f(r.Measured.Trends[metric]))
	})
}

func ofResources(f func(*result.Resources) *float64) func(*result.Run, *result.Cell, *result.Repeat) string {
	return ofRepeat(func(r *result.Repeat) string {
		if r.Resources == nil || f(r.Resources) == nil {
			return ""
		}
		return exact(*f(r.Resources))
	})
}

func mostThrottled(u *result.Resources) *float64 {
	var most *float64
	for _, c := range u.Containers {
		if c.Throttled != nil && (most == nil || *c.Throttled > *most) {
			most = c.Throttled
		}
	}
	return most
}

func words(r *result.Repeat) string {
	var words []string
	for _, f := range r.Flags {
		words = append(words, f.Word)
	}
	return strings.Join(words, " ")
}

func errorsIn(m *result.Measured) (n int64) {
	for _, e := range m.Errors {
		n += e.Count
	}
	return n
}

func exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
