package report

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

func TestTour(t *testing.T) {
	text := Table(tour())
	golden(t, "tour.txt", text)
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

func TestInterrupted(t *testing.T) {
	for name, run := range map[string]*result.Run{"interrupted": tour(), "killed": tour()} {
		run.Status, run.Reason, run.NotRestored = result.Interrupted, "it was stopped: Ctrl-C, scripts/lab cancel or the "+
			"console", "toxiproxy doesn't answer"
		want := "INTERRUPTED: it was stopped: Ctrl-C, scripts/lab cancel or the console; 1 of 24 repeats are missing; - is " +
			"a figure that no repeat gave.\n"
		if name == "killed" {
			run.Status = result.Running
			want = "INTERRUPTED: the run never ended, or hasn't yet; 1 of 24 repeats are missing; - is " +
				"a figure that no repeat gave.\n"
		}
		if text := Table(run); !strings.Contains(strings.Join(strings.Fields(text), " "), strings.TrimSpace(want)) ||
			!strings.Contains(text, "could not be put back: toxiproxy doesn't answer") {
			t.Errorf("a run that was %s reads\n%s", name, text)
		}
	}
}

// TestLines shows a run that fits no grid: two numbers of clients in one experiment, three blocks.
func TestLines(t *testing.T) {
	run := newRun()
	run.Blocks = 3
	run.Paths = []result.Path{{Name: "direct"}, {Name: "pgpool"}, {Name: "yugabyte", Unavailable: "off"}}
	for i, path := range []string{"direct", "pgpool"} {
		slower := float64(1 + i)
		for _, clients := range []int{1, 100} {
			c := add(run, "throughput", path, lesson.WithoutProxy, measured(1, 0.1, 9000/slower, 0, slower),
				measured(2, 0.1, 12000, 0, slower),
				measured(3, 0.1, 10000/slower, 0, slower))
			c.Clients = clients
		}
	}
	golden(t, "lines.txt", Table(run))
}

// A grid has a section a latency, each of which would hold one row of a path's series.
func TestOnePathsSeriesIsOneTable(t *testing.T) {
	run := newRun()
	run.Paths = []result.Path{{Name: "direct"}}
	for _, ms := range []int{0, 10, 20} {
		add(run, "throughput", "direct", lesson.Through(ms), measured(1, 0.1, 9000, 0, 1))
	}
	if text := Table(run); strings.Count(text, "path ") != 1 || !strings.Contains(text, "direct 20 ms") {
		t.Errorf("three latencies of one path are not one table:\n%s", text)
	}
}

func TestWithoutDirectThereAreNoRatios(t *testing.T) {
	run := newRun()
	run.Paths = []result.Path{{Name: "socket"}}
	tourOf(run, "socket", lesson.WithoutProxy, 0.04, 5, 0.3, 12000)
	if text := Table(run); regexp.MustCompile(`\bratio\b`).MatchString(text) {
		t.Errorf("ratios to nothing:\n%s", text)
	}
}

func TestARatioToAFlaggedFigureIsStarred(t *testing.T) {
	run := newRun()
	add(run, "throughput", "direct", lesson.WithoutProxy, measured(1, 0.1, 100, 0, 1, "host"))
	add(run, "throughput", "pgpool", lesson.WithoutProxy, measured(1, 0.1, 50, 0, 1))
	c := &run.Cells[1]
	if got := shownRatio(run, metric.For(c)[0], c); got != "0.50*" {
		t.Errorf("the ratio to a flagged figure is shown as %q", got)
	}
}

func TestWrap(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"", []string{""}},
		{"one", []string{"one"}},
		{"one two three", []string{"one two", "three"}},
		{"unbreakable-word two", []string{"unbreakable-word", "two"}},
	}
	for _, test := range tests {
		if got := wrap(test.text, 8); !slices.Equal(got, test.want) {
			t.Errorf("%q is wrapped into %q", test.text, got)
		}
	}
}

func TestEveryFlagHasAMeaning(t *testing.T) {
	for _, word := range []string{"counts", "errors", "few", "generator", "host", "late", "latency", "stolen", "throttled",
		"uncounted", "warm-up"} {
		if result.FlagKind(word).Meaning() == result.FlagKind("unknown").Meaning() {
			t.Errorf("the legend doesn't know %s", word)
		}
	}
}

func TestCSV(t *testing.T) {
	for name, run := range map[string]*result.Run{"tour.csv": tour(), "pooling.csv": pooling()} {
		run.Cells[0].Settings = map[string]map[string]string{"primary": {"work_mem": "64MB", "jit": "off"}}
		var out bytes.Buffer
		if err := CSV(&out, run); err != nil {
			t.Fatal(err)
		}
		golden(t, name, out.String())
	}
}
