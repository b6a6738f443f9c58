package report

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
	"pooler-lab/test/testkit"
)

// largest is how many bytes a page may have: it travels by mail.
const largest = 300_000

// page is the run's in a browser.
func page(t *testing.T, run *result.Run) string {
	t.Helper()
	text, err := HTML(run)
	testkit.OK(t, err)
	return string(text)
}

// several is the page of some runs.
func runsPageOf(t *testing.T, runs ...Named) string {
	t.Helper()
	text, err := Runs(runs...)
	testkit.OK(t, err)
	return string(text)
}

// another is the run of latency on a machine with other figures, which misses a cell.
func another() *result.Run {
	run := latency()
	run.ID, run.Seed, run.Manifest.Host.CPUs = "20261121T171500Z-02-latency", 7, 8
	run.Manifest.Versions["pgbouncer"] = "PgBouncer 1.25.0"
	for i := range run.Cells {
		for j := range run.Cells[i].Repeats {
			if m := run.Cells[i].Repeats[j].Measured; m != nil && run.Cells[i].Path == "direct" {
				m.TPS *= 1.5
			}
		}
	}
	run.Cells = run.Cells[:len(run.Cells)-1]
	return run
}

// pages are golden files by name.
func pages(t *testing.T) map[string]string {
	return map[string]string{"tour.html": page(t, tour()), "latency.html": page(t, latency()),
		"runs.html": runsPageOf(t, Named{"anna", latency()}, Named{"ben", another()}, Named{"chris", latency()})}
}

func TestGolden(t *testing.T) {
	all := pages(t)
	clients := newRun() // no grid: two numbers of clients in one experiment
	clients.Paths = []result.Path{{Name: "direct"}, {Name: "pgpool"}, {Name: "yugabyte", Unavailable: "off"}}
	for i, path := range []string{"direct", "pgpool"} {
		for _, n := range []int{1, 100} {
			slower := float64(1 + i)
			c := add(clients, "throughput", path, lesson.None, measured(1, 0.1, 9000/slower, 0, slower))
			c.Clients = n
		}
	}
	for name, run := range map[string]*result.Run{"tour": tour(), "latency": latency(), "clients": clients,
		"balanced": balanced()} {
		all[name+".txt"], all[name+"-details.txt"] = Text(run, false), Text(run, true)
	}
	all["verdict.txt"], _ = Verdict(latency())
	run := tour()
	run.Cells[0].Settings = map[string]map[string]string{"primary": {"work_mem": "64MB", "jit": "off"}}
	var out bytes.Buffer
	testkit.OK(t, CSV(&out, run))
	all["tour.csv"] = out.String()
	for name, text := range all {
		golden(t, name, text)
		if strings.HasSuffix(name, ".txt") {
			fits(t, text)
		}
	}
}

// fits wants no line of text to be wider than a terminal.
func fits(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

var (
	outward = regexp.MustCompile(`(?i)https?:|//[a-z]|url\(|@import|<(script|link|img|iframe|object|embed|base|form)\b|` +
		`\bsrc=|\bon[a-z]+=|javascript:`)
	href = regexp.MustCompile(`href="([^"]*)"`)
	id   = regexp.MustCompile(` id="([^"]*)"`)
)

// TestPagesAreWhole: a page asks nothing of a network and runs nothing, its links lead to places in it, each of which
// is there once, and what servers say stays text.
func TestPagesAreWhole(t *testing.T) {
	for name, page := range pages(t) {
		if found := outward.FindString(page); found != "" {
			t.Errorf("%s has %q in it", name, found)
		}
		for _, link := range href.FindAllStringSubmatch(page, -1) {
			if id, ok := strings.CutPrefix(link[1], "#"); !ok || !strings.Contains(page, `id="`+id+`"`) {
				t.Errorf("%s links to %s, which isn't in it", name, link[1])
			}
		}
		seen := map[string]bool{}
		for _, id := range id.FindAllStringSubmatch(page, -1) {
			if seen[id[1]] {
				t.Errorf("%s has the id %s twice", name, id[1])
			}
			seen[id[1]] = true
		}
		if len(page) > largest {
			t.Errorf("%s has %d bytes, allowed are %d", name, len(page), largest)
		}
	}
	for _, want := range []string{"&lt;script&gt;alert(1)&lt;/script&gt;", "&#34;administrator&#34; &lt;command&gt;"} {
		if !strings.Contains(page(t, latency()), want) {
			t.Errorf("%s is not in the page", want)
		}
	}
}

// TestWhatAReaderHasToKnowFirst: the page and the terminal say it alike.
func TestWhatAReaderHasToKnowFirst(t *testing.T) {
	const missing = "of 109 repeats are missing; - is a figure that no repeat gave."
	tests := []struct {
		name   string
		change func(*result.Run)
		want   string
	}{
		{"stopped", func(r *result.Run) { r.Status, r.Reason, r.Unfinished = result.Interrupted, "it was stopped", 3 },
			"Interrupted: it was stopped; 3 " + missing},
		{"killed", func(r *result.Run) { r.Status = result.Running },
			"Interrupted: the run never ended, or hasn't yet; 0 " + missing},
		{"changed", func(r *result.Run) {
			r.Lesson.Override = lesson.Override{Values: map[string][]string{"paths": {"direct"}, "repeats": {"6"}}}
		}, "Not as the lesson has it: paths direct, repeats 6."},
		{"not put back", func(r *result.Run) { r.NotRestored = "toxiproxy doesn't answer" },
			"What was set before the run could not be put back: toxiproxy doesn't answer."},
	}
	for _, test := range tests {
		run := latency()
		test.change(run)
		if got := NewPage(run).Alerts; !slices.Equal(got, []string{test.want}) {
			t.Errorf("%s: the page says %q, it should say %q", test.name, got, test.want)
		}
		if text := Text(run, false); !strings.Contains(oneLine(text), test.want) {
			t.Errorf("%s: %q is missing:\n%s", test.name, test.want, text)
		}
	}
}

// Where a busy machine makes every comparison inconclusive, a run says what to do; else it doesn't.
func TestABusyMachineNamesTheNextStep(t *testing.T) {
	for kind, want := range map[result.FlagKind]bool{result.FlagHost: true, result.FlagUncounted: false, "": false} {
		run := latency()
		for i := range run.Cells {
			for j := range run.Cells[i].Repeats {
				run.Cells[i].Repeats[j].Flags = []result.Flag{{Kind: kind}}[:min(1, len(kind))]
			}
		}
		for _, text := range []string{page(t, run), Text(run, false)} {
			if strings.Contains(oneLine(text), "Close what else runs") != want {
				t.Errorf("flag %q: the next step is named: %v\n%s", kind, !want, Text(run, false))
			}
		}
	}
}

// oneLine is text without its line breaks.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func TestARunWithoutFiguresHasAPage(t *testing.T) {
	run := latency()
	for i := range run.Cells {
		run.Cells[i].Status, run.Cells[i].Repeats = result.Planned, []result.Repeat{}
	}
	if page := page(t, run); strings.Contains(page, "NaN") || strings.Contains(page, "Inf") {
		t.Error("the page of a run without figures has numbers that are none")
	}
}

// TestAPageBeginsWithAPicture: with comparisons it is theirs, else the lesson's charts.
func TestAPageBeginsWithAPicture(t *testing.T) {
	for name, run := range map[string]*result.Run{"comparisons": latency(), "charts": tour()} {
		page := page(t, run)
		if i := strings.Index(page, "<svg"); i < 0 || i > strings.Index(page, `id="figures"`) ||
			strings.Count(page[:i], "<h2>") != 1 {
			t.Errorf("the page of %s doesn't begin with a picture", name)
		}
	}
	run := latency()
	run.Lesson = result.Lesson{About: lesson.About{Name: "00-tour", Question: "What does each way cost?",
		Comparisons: []lesson.Comparison{}}}
	page := page(t, run)
	if !strings.Contains(page, "makes no comparison") || strings.Contains(page, "What the study saw") {
		t.Error("the page of a lesson without comparisons doesn't say that it has none, or has a study")
	}
	runsPageOf(t, Named{"a", run}, Named{"b", run})
}

func TestRunsOfTwoLessonsDontCompare(t *testing.T) {
	other := another()
	other.Lesson.Name = "01-connect"
	if _, err := Runs(Named{"a", latency()}, Named{"b", other}); err == nil ||
		!strings.Contains(err.Error(), "give runs of one lesson") {
		t.Errorf("two lessons side by side: %v", err)
	}
}

func TestCellsThatTheFirstRunLacksAreCounted(t *testing.T) {
	first := latency()
	first.Cells = first.Cells[:len(first.Cells)-3] // one of which the other run lacks, too
	page, err := Runs(Named{"a", first}, Named{"b", another()})
	if err != nil || !strings.Contains(string(page), "This page leaves out 2 cells of b that a lacks.") {
		t.Errorf("it isn't said: %v", err)
	}
}

func TestCellsAreToldApart(t *testing.T) {
	cell := func(path, role, protocol string) *result.Cell {
		return &result.Cell{Cell: lesson.Cell{Path: path, Workload: "connect", Clients: 1, Role: role, Protocol: protocol}}
	}
	for _, test := range []struct {
		of, to             *result.Cell
		wantOf, wantTo, by string
	}{
		{cell("direct", "app", "simple"), cell("direct", "app_trust", "simple"), "app", "app_trust",
			"direct, connect, 1 client"},
		{cell("direct", "app", "simple"), cell("direct", "app", "prepared"), "simple protocol", "prepared protocol",
			"direct, connect, 1 client"},
		{cell("direct", "app", "simple"), cell("pgpool", "app", "simple"), "direct", "pgpool", "connect, 1 client"},
	} {
		if of, to, both := outcome.Apart(test.of, test.to); of != test.wantOf || to != test.wantTo || both != test.by {
			t.Errorf("%q of %q to %q, it should be %q of %q to %q", both, of, to, test.by, test.wantOf, test.wantTo)
		}
	}
}

// balanced is a run of one client through a balancer: one that keeps its session, and one that connects each time.
func balanced() *result.Run {
	run := newRun()
	run.Paths = []result.Path{{Name: "pgpool", Balances: true}}
	for _, workload := range []string{"plain", "reconnectEach"} {
		shares := map[string][]int64{"plain": {0, 1000, 1000, 0, 0, 1000}, "reconnectEach": {500}}[workload]
		cell := result.Cell{Cell: lesson.Cell{ID: workload, Experiment: "drawn", Path: "pgpool", Workload: workload,
			Clients: 1, Protocol: "simple", Wanted: len(shares),
			Shared: lesson.Shared{Seconds: 1, Metrics: []string{"standby_share", "p50"}}}}
		for i, standby := range shares {
			r := measured(i+1, 0.2, 900, 0, 1)
			r.Measured.Counters = map[string]float64{"pg_iterations": 1000}
			if workload == "reconnectEach" {
				r.Measured.Counters["pg_opening_iterations"] = 1000
			}
			r.Shares = []result.Share{{Role: "primary", Selects: 1000 - standby}, {Role: "standby", Selects: standby}}
			cell.Add(r)
		}
		run.Cells = append(run.Cells, cell)
	}
	return run
}
