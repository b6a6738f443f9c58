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
	"pooler-lab/internal/topology"
)

func TestTour(t *testing.T) {
	golden(t, "tour.txt", brief(tour()))
	golden(t, "tour-details.txt", detailed(tour()))
	fits(t, brief(tour()), width)
	fits(t, detailed(tour()), wideWidth)
}

// fits wants no line of text to be wider than that.
func fits(t *testing.T, text string, width int) {
	t.Helper()
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// whole is a run of the tour on every path that the lab has, each figure the same.
func whole(t *testing.T, figure float64, flags ...result.FlagKind) *result.Run {
	t.Helper()
	set, err := topology.Load("../..")
	if err != nil {
		t.Fatal(err)
	}
	run := newRun()
	for _, p := range set.Paths {
		if p.ApplicationPool { // '*' doesn't mean it
			continue
		}
		run.Paths = append(run.Paths, result.Path{Name: p.Name})
		for _, l := range []lesson.Latency{lesson.WithoutProxy, lesson.Through(10)} {
			for _, experiment := range []string{"connect", "select", "throughput"} {
				r := measured(1, 0.03, figure, figure, figure, flags...)
				r.Measured.Transactions, r.Measured.Trends["pg_response_time"] = 100, result.Trend{Count: 60, Med: figure}
				add(run, experiment, p.Name, l, r)
			}
		}
	}
	return run
}

// A room reads the table of the tour from a projector, whatever came out.
func TestTheTourFitsAProjector(t *testing.T) {
	nothing := whole(t, 1)
	for i := range nothing.Cells {
		c := &nothing.Cells[i]
		c.Status, c.Reason, c.Repeats = result.Failed, strings.Repeat("k6 ended with code 107; ", 9), nil
	}
	stopped := whole(t, 99999, result.FlagKinds()...)
	stopped.Status, stopped.Reason = result.Interrupted, "it was stopped: Ctrl-C, scripts/lab cancel or the console"
	for i := range stopped.Cells[40:] {
		stopped.Cells[40+i].Status, stopped.Cells[40+i].Repeats = result.Planned, nil
	}
	stopped.Unfinished = stopped.Left()
	off := whole(t, 0.03, result.FlagHost)
	off.Cells = slices.DeleteFunc(off.Cells, func(c result.Cell) bool { return strings.Contains(c.Path, "yugabyte") })
	for i := range off.Paths {
		if strings.Contains(off.Paths[i].Name, "yugabyte") {
			off.Paths[i].Unavailable = "its image yugabytedb/yugabyte:2025.2.8.0-b60 can't be pulled"
		}
	}
	for name, test := range map[string]struct {
		run              *result.Run
		figures, starred int
		lines            []string // that begin so are there, each once
	}{
		"small figures":          {whole(t, 0.03), 72, 0, nil},
		"large figures, starred": {whole(t, 99999, result.FlagKinds()...), 72, 72, []string{"* doubtful: statements failed; counts "}},
		"paths off": {off, 54, 54, []string{"* doubtful: this machine's CPU was full",
			"Off: yugabyte, pgbouncer-yugabyte, pgbouncer-yugabyte-near-app"}},
		"interrupted":      {stopped, 40, 40, []string{"* doubtful: ", "INTERRUPTED: it was stopped"}},
		"nothing measured": {nothing, 0, 0, []string{"Failed: direct, none, connect: k6 ended with code 107; "}},
	} {
		text := brief(test.run)
		fits(t, text, width)
		lines := strings.Split(text, "\n")
		begin := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "path ") }) - 1
		if begin < 0 || strings.Join(strings.Fields(lines[begin]), " ") != "connect, ms query, ms transactions/s" {
			t.Errorf("%s: there is no table of the tour:\n%s", name, text)
			continue
		}
		rows := lines[begin : begin+slices.Index(lines[begin:], "")]
		if len(rows) > 14 {
			t.Errorf("%s: %d rows:\n%s", name, len(rows), text)
		}
		figures := regexp.MustCompile(`\b(0\.030|99999)\b`).FindAllString(strings.Join(rows, "\n"), -1)
		if n := strings.Count(strings.Join(rows, ""), "*"); len(figures) != test.figures || n != test.starred {
			t.Errorf("%s: %d figures, %d of them starred:\n%s", name, len(figures), n, text)
		}
		for _, begins := range test.lines {
			if n := strings.Count("\n"+text, "\n"+begins); n != 1 {
				t.Errorf("%s: %d lines begin with %q:\n%s", name, n, begins, text)
			}
		}
	}
}

func TestDoubts(t *testing.T) {
	for _, test := range []struct {
		of   doubts
		want string
	}{
		{doubts{}, ""},
		{doubts{result.FlagHost: 1, result.FlagErrors: 1},
			"* doubtful: statements failed; this machine's CPU was full\n"},
		{doubts{result.FlagThrottled: 3, result.FlagErrors: 1, result.FlagHost: 3},
			"* doubtful: this machine's CPU was full; a CPU limit was hit; statements failed\n"},
		{doubts{result.FlagThrottled: 3, result.FlagErrors: 1, result.FlagHost: 3, result.FlagFew: 2},
			"* doubtful: this machine's CPU was full; a CPU limit was hit; ... (--details)\n"},
		{doubts{"of a later version": 1}, "* doubtful: --details says why\n"},
	} {
		if got := test.of.line(); got != test.want {
			t.Errorf("%v: %q", test.of, got)
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
		if text := brief(run); !strings.Contains(strings.Join(strings.Fields(text), " "), strings.TrimSpace(want)) ||
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
	golden(t, "lines.txt", brief(run)+"\n----\n"+detailed(run))
}

// A grid has a section a latency, each of which would hold one row of a path's series.
func TestOnePathsSeriesIsOneTable(t *testing.T) {
	run := newRun()
	run.Paths = []result.Path{{Name: "direct"}}
	for _, ms := range []int{0, 10, 20} {
		add(run, "throughput", "direct", lesson.Through(ms), measured(1, 0.1, 9000, 0, 1))
	}
	if text := brief(run); strings.Count(text, "path ") != 1 || !strings.Contains(text, "direct 20 ms") {
		t.Errorf("three latencies of one path are not one table:\n%s", text)
	}
}

func TestWithoutDirectThereAreNoRatios(t *testing.T) {
	run := newRun()
	run.Paths = []result.Path{{Name: "socket"}}
	tourOf(run, "socket", lesson.WithoutProxy, 0.04, 5, 0.3, 12000)
	if text := brief(run); regexp.MustCompile(`\bratio\b`).MatchString(text) {
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
		kind := result.FlagKind(word)
		if kind.Meaning() == result.FlagKind("unknown").Meaning() {
			t.Errorf("the legend doesn't know %s", word)
		}
		if (doubts{kind: 1}).line() == (doubts{"unknown": 1}).line() {
			t.Errorf("the line below a table doesn't know %s", word)
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
