package htmlreport

import (
	"regexp"
	"strings"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// largest is how many bytes a report may have: it travels by mail.
const largest = 300_000

// anotherRun is the fixture on a machine with other figures.
func anotherRun() *result.Run {
	run := fixture()
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

func pages(t *testing.T) map[string][]byte {
	t.Helper()
	made := map[string][]byte{}
	add := func(name string, page []byte, err error) {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		made[name] = page
	}
	anna, ben, chris := Named{"anna", fixture()}, Named{"ben", anotherRun()}, Named{"chris", fixture()}
	page, err := Run(fixture())
	add("run.html", page, err)
	page, err = Beside(anna, ben)
	add("beside.html", page, err)
	page, err = Room([]Named{anna, ben, chris})
	add("room.html", page, err)
	return made
}

func TestPages(t *testing.T) {
	for name, page := range pages(t) {
		golden(t, name, page)
	}
}

var (
	outward = regexp.MustCompile(`(?i)https?:|//[a-z]|url\(|@import|<(script|link|img|iframe|object|embed|base|form)\b|` +
		`\bsrc=|\bon[a-z]+=|javascript:`)
	href = regexp.MustCompile(`href="([^"]*)"`)
)

// TestNothingOutside holds that a page asks nothing of a network and runs nothing.
func TestNothingOutside(t *testing.T) {
	for name, page := range pages(t) {
		if found := outward.Find(page); found != nil {
			t.Errorf("%s has %q in it", name, found)
		}
		for _, link := range href.FindAllSubmatch(page, -1) {
			if id, ok := strings.CutPrefix(string(link[1]), "#"); !ok || !strings.Contains(string(page), `id="`+id+`"`) {
				t.Errorf("%s links to %s, which isn't in it", name, link[1])
			}
		}
		if len(page) > largest {
			t.Errorf("%s has %d bytes, allowed are %d", name, len(page), largest)
		}
	}
}

// TestServersCannotWriteMarkup holds that what servers say stays text.
func TestServersCannotWriteMarkup(t *testing.T) {
	page, err := Run(fixture())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"&lt;script&gt;alert(1)&lt;/script&gt;", "&#34;administrator&#34; &lt;command&gt;"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("%s is not in the page", want)
		}
	}
}

func TestIDsAreUnique(t *testing.T) {
	for name, page := range pages(t) {
		seen := map[string]bool{}
		for _, id := range regexp.MustCompile(` id="([^"]*)"`).FindAllSubmatch(page, -1) {
			if seen[string(id[1])] {
				t.Errorf("%s has the id %s twice", name, id[1])
			}
			seen[string(id[1])] = true
		}
	}
}

func TestWhatAReaderHasToKnowFirst(t *testing.T) {
	tests := []struct {
		name   string
		change func(*result.Run)
		want   string
	}{
		{"stopped", func(r *result.Run) { r.Status, r.Reason, r.Unfinished = result.Interrupted, "it was stopped", 3 },
			"Interrupted: it was stopped; 3 of 109 repeats are missing; - is a figure that no repeat gave."},
		{"killed", func(r *result.Run) { r.Status = result.Running },
			"the run never ended, or hasn&#39;t yet; 0 of 109 repeats are missing; - is a figure that no repeat gave."},
		{"changed", func(r *result.Run) {
			six := 6
			r.Lesson.Override = lesson.Override{Values: map[string][]string{"paths": {"direct"}}, Repeats: &six}
		},
			"Not as the lesson has it: paths direct, repeats 6."},
		{"not put back", func(r *result.Run) { r.NotRestored = "toxiproxy doesn't answer" },
			"could not be put back: toxiproxy doesn&#39;t answer"},
	}
	for _, test := range tests {
		run := fixture()
		test.change(run)
		page, err := Run(run)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(page), test.want) {
			t.Errorf("the page of a run that was %s doesn't say %q: %q", test.name, test.want, alerts(run))
		}
	}
}

func TestARunWithoutFiguresHasAReport(t *testing.T) {
	run := fixture()
	for i := range run.Cells {
		run.Cells[i].Status, run.Cells[i].Repeats = result.Planned, []result.Repeat{}
	}
	page, err := Run(run)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(page), "NaN") || strings.Contains(string(page), "Inf") {
		t.Error("the report of a run without figures has numbers that are none")
	}
}

// TestALessonWithoutComparisonsHasAReport is the tour's: no study, no charts, no prediction.
func TestALessonWithoutComparisonsHasAReport(t *testing.T) {
	run := fixture()
	run.Lesson = result.Lesson{Name: "00-tour", Question: "What does each way cost?", Comparisons: []lesson.Comparison{}}
	page, err := Run(run)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "makes no comparison") || strings.Contains(string(page), "What the study saw") {
		t.Error("the report of a lesson without comparisons doesn't say that it has none, or has a study")
	}
	if _, err := Beside(Named{"a", run}, Named{"b", run}); err != nil {
		t.Errorf("two runs of it side by side: %v", err)
	}
}

func TestRunsOfTwoLessonsDontCompare(t *testing.T) {
	other := anotherRun()
	other.Lesson.Name = "01-connect"
	if _, err := Beside(Named{"a", fixture()}, Named{"b", other}); err == nil ||
		!strings.Contains(err.Error(), "give runs of one lesson") {
		t.Errorf("two lessons side by side: %v", err)
	}
	if _, err := Room([]Named{{"a", fixture()}, {"b", other}}); err == nil ||
		!strings.Contains(err.Error(), "give runs of one lesson") {
		t.Errorf("two lessons in a room: %v", err)
	}
}

func TestRolesTellCellsApart(t *testing.T) {
	cell := func(role string) *result.Cell {
		return &result.Cell{Cell: lesson.Cell{Path: "direct", Workload: "connect", Clients: 1, Role: role}}
	}
	for _, test := range []struct{ of, to, wantOf, wantTo string }{{"app", "app_trust", "app", "app_trust"},
		{"", "app_clear", "app", "app_clear"}, {"app", "app", "none", "none"}} {
		of, to, both := apart(parts(cell(test.of), cell(test.to)), parts(cell(test.to), cell(test.of)))
		if of != test.wantOf || to != test.wantTo || both != "direct, connect, 1 client" {
			t.Errorf("%q beside %q is %q of %q to %q", test.of, test.to, both, of, to)
		}
	}
}

// An outcome that its flags don't veto stands with its interval and a note.
func TestAFlagThatChangesNothing(t *testing.T) {
	run := fixture()
	plan := run.Lesson.Comparisons[0]
	cell := outcome.Select(run, plan.Of)[0]
	for i := range cell.Repeats {
		cell.Repeats[i].Flags = []result.Flag{{Kind: result.FlagStolen}}
	}
	c := outcome.Compare(run, plan)
	if !c.Outcome.Concludes() {
		t.Fatalf("it is %s", c)
	}
	want := c.Ratio.Text(metric.RatioText) + "; other virtual machines took CPU (" + outcome.Name(cell) + ")"
	if got := comparisonCell(c, true); got.Note != want {
		t.Errorf("beside it stands %q, it should be %q", got.Note, want)
	}
}
