package crosscheck

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pooler-lab/k6/summary"
)

func TestConclude(t *testing.T) {
	hundreds := []float64{100, 101, 99, 100, 102, 98}
	for name, test := range map[string]struct {
		k6   []float64
		last string
		err  error
	}{
		"equal":  {hundreds, "all 1 ratios agree", nil},
		"faster": {[]float64{200, 200, 200, 200, 200, 200}, "all 1 ratios agree", nil},
		"slower": {[]float64{70, 71, 69, 70, 72, 68}, "1 of 1 ratios differ from what is wanted", errDiffers},
		"restless": {[]float64{60, 120, 60, 120, 60, 70}, "0 of 1 ratios agree, the others are inconclusive",
			errInconclusive},
	} {
		list, err := plan([]string{partThroughput}, options{clients: 10, unlimited: true})
		if err != nil {
			t.Fatal(err)
		}
		list = list[:1]
		list[0].pgbench, list[0].k6 = hundreds, test.k6
		var out bytes.Buffer
		if err := conclude(&out, list, nil); !errors.Is(err, test.err) {
			t.Errorf("%s: the error is %v", name, err)
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if got := lines[len(lines)-1]; got != test.last {
			t.Errorf("%s: the last line is %q", name, got)
		}
	}
}

// What is said of a ratio comes from figures of the same repeat, however often they were summed up before.
func TestFiguresStayInTheirRepeats(t *testing.T) {
	list, err := plan([]string{partThroughput}, options{clients: 10, unlimited: true})
	if err != nil {
		t.Fatal(err)
	}
	c := list[0]
	c.pgbench, c.k6 = []float64{100, 200, 300, 400, 500, 600}, []float64{600, 500, 400, 300, 200, 100}
	if first, again := c.line(), c.line(); first != again {
		t.Errorf("the line is %q, and asked again %q", first, again)
	}
}

func TestLine(t *testing.T) {
	list, err := plan([]string{partLatency}, options{})
	if err != nil {
		t.Fatal(err)
	}
	list[0].pgbench = []float64{10.6, 10.6, 10.6, 10.6, 10.6, 10.6}
	list[0].k6 = []float64{10.6, 10.7, 10.6, 10.5, 10.6, 10.65}
	if got := list[0].line(); !strings.Contains(got, "1.000  0.991 to 1.009") ||
		!strings.HasSuffix(got, "0.98 to 1.02  agrees") {
		t.Errorf("the line is %q", got)
	}
	list[0].pgbench, list[0].k6 = list[0].pgbench[:3], []float64{11.6, 11.6, 11.6}
	if got := list[0].line(); !strings.Contains(got, "no interval below six") || !strings.HasSuffix(got, "DIFFERS") {
		t.Errorf("the line of three is %q", got)
	}
}

func TestPlan(t *testing.T) {
	for part, want := range map[string]int{partThroughput: 4, partLatency: 1, partConnect: 6} {
		if list, err := plan([]string{part}, options{clients: 10}); err != nil || len(list) != want {
			t.Errorf("%s has %d comparisons, %v", part, len(list), err)
		}
	}
	if _, err := plan([]string{"speed"}, options{}); err == nil {
		t.Error("an unknown part is no error")
	}
}

func TestPgbenchReports(t *testing.T) {
	report := []byte("latency average = 0.2 ms\naverage connection time = 2.345 ms\ntps = 44321.5 (without initial " +
		"connection time)\n")
	if got, err := find(report, `(?m)^tps = ([0-9.]+)`); err != nil || got != 44321.5 {
		t.Errorf("tps is %v, %v", got, err)
	}
	if _, err := find(report, `initial (\d+)`); err == nil {
		t.Error("a report without the figure is no error")
	}
	folder := t.TempDir()
	for file, text := range map[string]string{"log.1": "0 1 10500 0 1 2\n0 2 10700 0 1 3\n",
		"log.1.1": "1 1 10600 0 1 2\n"} {
		if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := medianOfLogs(filepath.Join(folder, "log")); err != nil || got != 10.6 {
		t.Errorf("the median is %v, %v", got, err)
	}
}

// seen is a summary of k6 that has all that is read of one.
func seen() *summary.Summary {
	return &summary.Summary{
		Ending:   summary.Ending{Window: &summary.Window{Seconds: 2, Ready: 10}},
		Counters: map[string]map[summary.Phase]float64{"pg_transactions": {summary.Whole: 120, summary.Measured: 100}},
		Trends: map[string]map[summary.Phase]summary.Trend{
			"pg_connect":   {summary.Measured: {Avg: 2.5}},
			"pg_statement": {summary.Measured: {Med: 10.6}},
		},
	}
}

func TestK6Summaries(t *testing.T) {
	for f, want := range map[metric]float64{throughput: 50, connecting: 2.5, median: 10.6} {
		if got, err := metricOf(seen(), load{clients: 10}, f); err != nil || got != want {
			t.Errorf("figure %d is %v, %v", f, got, err)
		}
	}
	for name, spoil := range map[string]func(*summary.Summary){
		"missing clients": func(s *summary.Summary) { s.Window.Ready = 9 },
		"errors":          func(s *summary.Summary) { s.Errors = []summary.Error{{Code: "57014", Message: "x"}} },
		"no window":       func(s *summary.Summary) { s.Window = nil },
	} {
		spoiled := seen()
		spoil(spoiled)
		if _, err := metricOf(spoiled, load{clients: 10}, throughput); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
