package report

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
	"pooler-lab/internal/topology"
	"pooler-lab/test/testkit"
)

// whole is a run of the tour on every path that the lab has, each figure the same.
func whole(t *testing.T, figure float64, flags ...result.FlagKind) *result.Run {
	t.Helper()
	t.Setenv("COMPOSE_PROFILES", "yugabyte")
	set, err := topology.Load("../..")
	testkit.OK(t, err)
	run := newRun()
	for _, p := range set.Paths {
		if p.NamedOnly { // '*' doesn't mean it
			continue
		}
		run.Paths = append(run.Paths, result.Path{Name: p.Name})
		for _, l := range []lesson.Value{lesson.None, lesson.Number(10)} {
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
		"small figures": {whole(t, 0.03), 72, 0, nil},
		"large figures, starred": {whole(t, 99999, result.FlagKinds()...), 72, 72,
			[]string{"* doubtful: statements failed; counts "}},
		"paths off": {off, 54, 54, []string{"* doubtful: this machine's CPU was full",
			"Off: yugabyte, pgbouncer-yugabyte, pgbouncer-yugabyte-near-app"}},
		"interrupted": {stopped, 40, 40, []string{"* doubtful: ", "Interrupted: it was stopped"}},
		"nothing measured": {nothing, 0, 0,
			[]string{"Failed: direct, connect, 1 client (experiment connect): k6 ended with code 107;"}},
	} {
		text := Text(test.run, false)
		fits(t, text)
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
			"statements failed; this machine's CPU was full"},
		{doubts{result.FlagThrottled: 3, result.FlagErrors: 1, result.FlagHost: 3},
			"this machine's CPU was full; a CPU limit was hit; statements failed"},
		{doubts{result.FlagThrottled: 3, result.FlagErrors: 1, result.FlagHost: 3, result.FlagFew: 2},
			"this machine's CPU was full; a CPU limit was hit; too few times; statements failed"},
	} {
		if got := test.of.String(); got != test.want {
			t.Errorf("%v: %q", test.of, got)
		}
	}
}

// A grid has a section a latency, each of which would hold one row of a path's series.
func TestOnePathsSeriesIsOneTable(t *testing.T) {
	run := newRun()
	run.Paths = []result.Path{{Name: "direct"}}
	for _, ms := range []int{0, 10, 20} {
		add(run, "throughput", "direct", lesson.Number(float64(ms)), measured(1, 0.1, 9000, 0, 1))
	}
	if text := Text(run, false); strings.Count(text, "path ") != 1 || !strings.Contains(text, "direct 20 ms") {
		t.Errorf("three latencies of one path are not one table:\n%s", text)
	}
}

// A metric that means one thing in open loops and another one in closed loops has one entry in the legend, with both.
func TestALegendNamesAMetricOnce(t *testing.T) {
	text := oneLine(Text(tour(), true))
	const want = "response time p50: median response time, from an iteration's intended start; or median response time " +
		"of a transaction, or of a statement outside of one"
	if strings.Count(text, "response time p50: ") != 1 || !strings.Contains(text, want) {
		t.Errorf("%q isn't there once:\n%s", want, Text(tour(), true))
	}
}

func TestWithoutDirectThereAreNoRatios(t *testing.T) {
	run := newRun()
	run.Paths = []result.Path{{Name: "socket"}}
	tourOf(run, "socket", lesson.None, 0.04, 5, 0.3, 12000)
	if text := Text(run, false); regexp.MustCompile(`\bratio\b`).MatchString(text) {
		t.Errorf("ratios to nothing:\n%s", text)
	}
}

// A flag that is no veto leaves a ratio its outcome, with a star, and a reader of a verdict alone learns what it means.
func TestAFlagThatIsANote(t *testing.T) {
	run := latency()
	cell := outcome.Select(run, run.Lesson.Comparisons[0].Of)[0]
	cell.Repeats[0].Flags = []result.Flag{{Kind: result.FlagErrors}}
	text, _ := Verdict(run)
	starred := regexp.MustCompile(`(?m)^lower.* 0\.091\* .*Throughput`)
	if !starred.MatchString(text) || !strings.Contains(text, "\nerrors: ") {
		t.Errorf("no comparison is starred and lower, or the flag isn't explained:\n%s", text)
	}
}

func TestExitCodes(t *testing.T) {
	for overall, want := range map[outcome.Outcome]int{outcome.NotReproduced: 1, outcome.Inconclusive: 2} {
		if code := verdicts[overall].(*verdictError).ExitCode(); code != want {
			t.Errorf("of a run that is %s the exit status is %d, it should be %d", overall, code, want)
		}
	}
	if _, overall := Verdict(newRun()); verdicts[overall] != nil || verdicts[outcome.Reproduced] != nil {
		t.Error("a run that was made for no outcome, or is reproduced, is an error")
	}
}

// A study is shown where the run has an experiment of its figures.
func TestStudyOfExperimentsThatWereLeftOut(t *testing.T) {
	run := latency()
	study := *run.Lesson.Study
	run.Lesson.Study = &study
	study.Figures = []lesson.StudyFigure{{What: "4000 clients", Value: "1 TPS", Metric: "tps",
		Of: pick(`{"experiment": "four-thousand"}`)}}
	if p := NewPage(run); p.Study != nil || strings.Contains(Text(run, true), study.Title) {
		t.Errorf("it shows %+v", p.Studied.Rows)
	}
	study.Figures = append(study.Figures, lesson.StudyFigure{What: "more delay", Value: "'dropped 100 times'"})
	if p := NewPage(run); p.Study == nil || len(p.Studied.Rows) != 1 || !strings.Contains(Text(run, true), study.Title) {
		t.Errorf("of one figure that isn't of such an experiment it shows %+v", p.Studied.Rows)
	}
}
