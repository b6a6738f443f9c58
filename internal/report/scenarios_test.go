package report

import (
	"encoding/csv"
	"math"
	"reflect"
	"strings"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

// stateRun is a run with scenarios on two paths, one of them twice.
func stateRun() *result.Run {
	run := newRun()
	run.Lesson.Name, run.Lesson.Question, run.Lesson.Charts = "12-state", "What comes through?", nil
	run.Manifest.Versions = map[string]string{"primary": "17.5 (Debian 17.5-1)", "pgbouncer": "PgBouncer 1.24.1"}
	run.Paths = []result.Path{
		{Name: "direct", Database: "postgresql", Services: []string{"primary"}},
		{Name: "pgbouncer-transaction", Database: "postgresql", Services: []string{"pgbouncer", "primary"}}}
	sees := "4MB"
	works := result.Scenario{Name: "SET", Outcome: result.Works,
		Steps: []result.StepTaken{{Client: "A", Does: "SET", Saw: "SET"}}}
	leaks := result.Scenario{Name: "SET", Outcome: result.Leaks, Shown: 1, Steps: []result.StepTaken{
		{Client: "B", Does: "SHOW work_mem", Sees: &sees, Saw: "9MB", Backend: "7@10.0.0.1"}},
		Documented: &result.Documented{Works: true, Source: "its page"}}
	fails := result.Scenario{Name: "BEGIN", Outcome: result.Fails, Shown: 1, Steps: []result.StepTaken{
		{Client: "A", Does: "BEGIN", Saw: "error 08P01", Message: "not allowed"}},
		Documented: &result.Documented{Source: "its page"}}
	hidden := result.Scenario{Name: "BEGIN", Outcome: result.NotShown, Why: "B was on another backend than A", Shown: 1,
		Steps: leaks.Steps, Documented: &result.Documented{Works: true, Source: "its page"}}
	for _, c := range []struct {
		experiment, path string
		came             []result.Scenario
	}{
		{"modes", "direct", []result.Scenario{works}},
		{"modes", "pgbouncer-transaction", []result.Scenario{leaks, fails}},
		{"other", "pgbouncer-transaction", []result.Scenario{works, hidden}},
	} {
		cell := lesson.Cell{ID: c.experiment + "." + c.path, Experiment: c.experiment, Path: c.path, Workload: "scenarios",
			Driver: lesson.Itself, Clients: 2, Protocol: "simple", Wanted: 1}
		run.Cells = append(run.Cells, result.Cell{Cell: cell, Status: result.OK,
			Repeats: []result.Repeat{{Block: 1, Attempt: 1, Status: result.OK, Scenarios: c.came}}})
	}
	return run
}

func TestScenarioTable(t *testing.T) {
	run := stateRun()
	golden(t, "state.txt", Text(run, true))
	page, err := HTML(run)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<td class="leaks">leaks†</td>`, `<td class="fails">fails 08P01</td>`,
		`<td class="not-shown">not shown</td>`, `<small>pgbouncer</small> transaction`} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	for _, none := range []string{"supports no conclusion", "makes no comparison", `id="figures"`} {
		if strings.Contains(string(page), none) {
			t.Errorf("the page has %s", none)
		}
	}
}

// run.csv has a column for each scenario.
func TestScenariosInCSV(t *testing.T) {
	var out strings.Builder
	if err := CSV(&out, stateRun()); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	last := len(lines[0]) - 1
	var came [][]string
	for _, line := range lines {
		came = append(came, line[last-1:])
	}
	want := [][]string{{"scenario:SET", "scenario:BEGIN"}, {"works", ""}, {"leaks", "fails 08P01"},
		{"works", "not shown: B was on another backend than A"}}
	if !reflect.DeepEqual(came, want) {
		t.Errorf("the answers are %q", came)
	}
}

// A table program takes what begins with a plus for a formula.
func TestInfiniteTimesInCSV(t *testing.T) {
	if got := exact(math.Inf(1)); got != "inf" {
		t.Errorf("a time without an end is %q", got)
	}
}
