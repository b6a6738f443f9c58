package web

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pooler-lab/internal/console/api"
	plan "pooler-lab/internal/lesson"
	"pooler-lab/internal/link"
	"pooler-lab/internal/outcome"
	"pooler-lab/k6/live/second"
)

func pages(t *testing.T) *Pages {
	t.Helper()
	chart := filepath.Join(t.TempDir(), "chart.js")
	if err := os.WriteFile(chart, []byte("// the library"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := New(chart)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func of[T any](v T) *T { return &v }

// state is one of a lab in which a bit of everything is the matter.
var state = api.State{
	Toxiproxy: api.Reachable{Up: true},
	Presets:   link.Presets{{Name: "satellite", Meaning: "far", Settings: link.Settings{LatencyMS: 630}}},
	Links: []api.Link{
		{Name: "client-primary", Known: true, Settings: link.Settings{LatencyMS: 10, JitterMS: 2}, MeasuredMS: of(10.731)},
		{Name: "client-pgpool", Known: true, Cut: true, Reason: "cut"},
		{Name: "client-yugabyte", Known: true, Off: "no image", Reason: "off"},
		{Name: "client-standby", Reason: "no answer"},
		{Name: "pgpool-standby", Known: true, Settings: link.Settings{LatencyMS: 630, JitterMS: 50, DownKBps: 100},
			MeasuredMS: of(640.0)},
		{Name: "nowhere", Known: true, MeasuredMS: of(1.0)},
	},
	Nodes: []api.Node{
		{Name: "client", Kind: "client", State: api.Up},
		{Name: "primary", Kind: "database", State: api.Up, Role: "primary", Backends: of(1)},
		{Name: "standby", Kind: "database", State: api.Down, Reason: "connection refused"},
		{Name: "yugabyte", Kind: "database", State: api.Off, Reason: "<no> image"},
		{Name: "pgbouncer", Kind: "pooler", State: api.Unknown, Reason: "paused: a lesson runs, and so on"},
		{Name: "pgpool", Kind: "pooler", State: api.Up, SelectsPerSecond: of(120.4)},
		{Name: "pgpool-near-app", Kind: "pooler", State: api.Down, Reason: "connection refused"},
	},
	Load: api.Load{
		State: api.LoadOff,
		Text:  "off",
		Choices: api.Choices{
			Workloads:   []api.Workload{{Name: "select", Meaning: "a row", GentleRate: 600}},
			Paths:       []api.Choice{{Name: "direct", Meaning: "m"}, {Name: "socket", Meaning: "m", Off: "no link"}},
			MostClients: 50,
		},
	},
}

func render(t *testing.T, template string, page Page) string {
	t.Helper()
	var out bytes.Buffer
	if err := pages(t).Render(&out, Present(page, template, state)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// The first picture needs no JavaScript: it has the round trips already.
func TestMapIsDrawnByTheServer(t *testing.T) {
	page := render(t, "map", &MapPage{Map: DrawMap(state, nil)})
	for _, want := range []string{
		`>client-primary</text>`, `>10.7 ms</text>`, `>set 10 ±2 ms</text>`, `>630 ±50 ms, narrow</text>`, `>set ?</text>`,
		`10<small> ms</small>`, `value="6" list="dial-stops"`, `>cut</text>`, `>off</text>`, `>not measured</text>`,
		`<p>1 backend</p>`, `<p>down: connection refused</p>`, `<p>off: &lt;no&gt; image</p>`, `<p>paused</p>`,
		`<b>120</b> SELECTs/s`, `<p>near the app: down: connection refused</p>`,
		`value="socket" disabled`, `off: no link`, `nowhere: set 0 ms, 1.0 ms</p>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, refused := range []string{"<style", " style=", " onclick", "<script>"} {
		if strings.Contains(page, refused) {
			t.Errorf("the page has %q, which its policy refuses", refused)
		}
	}
}

// What the browser is told is the same map.
func TestMapSaysWhatEachLinkAndNodeIs(t *testing.T) {
	m := DrawMap(state, map[string]second.Path{"direct": {TPS: 12}})
	labels := map[string]string{
		"client-primary":  "client-primary: set 10 ±2 ms, measured about 11 ms",
		"client-pgpool":   "client-pgpool: cut",
		"client-yugabyte": "client-yugabyte: no server here, not measured: no image",
		"client-standby":  "client-standby: set ?, not measured: no answer",
		"pgpool-standby":  "pgpool-standby: set 630 ±50 ms, narrow, measured about 640 ms",
	}
	classes := map[string]string{"client-primary": "slow", "client-pgpool": "cut", "client-yugabyte": "off",
		"client-standby": "words", "pgpool-standby": "slow"}
	if len(m.Links) != len(labels) {
		t.Errorf("%d links are drawn, wanted %d", len(m.Links), len(labels))
	}
	for _, l := range m.Links {
		if want := "client-primary: set 10 ±2 ms, measured 10.7 ms"; l.Name == "client-primary" && l.Hint != want {
			t.Errorf("hint %q, wanted %q", l.Hint, want)
		}
		if l.Label != labels[l.Name] || l.Class != classes[l.Name] {
			t.Errorf("%s is %q, drawn as %q; wanted %q, %q", l.Name, l.Label, l.Class, labels[l.Name], classes[l.Name])
		}
	}
}

func TestBoxOfABusyPooler(t *testing.T) {
	busy := api.Node{State: api.Up, ServersActive: of(3), ServersIdle: of(1), PoolSize: of(20), WaitingClients: of(1)}
	lines := nodeLines(busy)
	if len(lines) != 3 || lines[0].Text != "3 of 20 in use, 1 idle" || *lines[1].Bar != (Bar{3, 20}) {
		t.Fatalf("%+v", lines)
	}
	if l := lines[2]; l.Number != "1" || l.Text != "client waiting" || !l.Alert {
		t.Errorf("%+v", l)
	}
	running := api.Load{State: api.LoadRunning, Workload: "select", Clients: 10, Paths: []string{"direct", "pgpool"}}
	client := clientLines(running, map[string]second.Path{"direct": {TPS: 12.6}, "pgpool": {TPS: 7}})
	if len(client) != 3 || client[0].Number != "20" || client[1].Text != "2 × 10 clients" || client[2].Text != "select" {
		t.Errorf("%+v", client)
	}
}

func TestMapSaysWhenToxiproxyIsAway(t *testing.T) {
	away := state
	away.Toxiproxy = api.Reachable{Reason: "it is gone"}
	if note := DrawMap(away, nil).Note; !strings.Contains(note, "toxiproxy doesn't answer") ||
		!strings.Contains(note, "gone") {
		t.Errorf("note %q", note)
	}
}

var lesson = Lesson{
	Name: "02-latency", Title: "Latency", Question: "What do 20 ms cost?", Prediction: "How much is left?", Minutes: 5,
	Runs: 1, Comparisons: []Compared{{"far", "TPS at 20 ms, to none"}}, Paths: []api.Choice{{Name: "direct"}},
}

func ran() RunDetail {
	return RunDetail{
		Run: Run{
			Name: "R", Lesson: "02-latency", Title: "Latency", Question: "What?", Seconds: 61,
			Started: time.Date(2026, 11, 21, 20, 8, 38, 0, time.UTC),
			Status:  "interrupted", Reason: "cancelled", Predicted: true,
		},
		Explanation: "Because.",
		Prediction:  &api.Prediction{Words: "<b>half", Comparisons: map[string]float64{"far": 0.5}},
		Answer:      &Answer{Text: "TPS", Path: "direct", Other: "pgpool", Ratio: of(2.0), Outcome: outcome.Higher},
		Comparisons: []outcome.Comparison{
			{
				Plan: plan.Comparison{Name: "far", Text: "TPS at 20 ms, to none"},
				Ratio: outcome.Ratio{Interval: outcome.Interval{Center: 0.05, Lo: 0.04, Hi: 0.06, N: 6},
					How: "6 blocks, not side by side: their links differ"},
				Outcome: outcome.Lower,
			},
			{Plan: plan.Comparison{Name: "other", Text: "more clients"}, Outcome: outcome.NotInThisRun},
		},
	}
}

func TestLessonAsksFirstAndRevealsThen(t *testing.T) {
	before := render(t, "lesson", &LessonPage{Lesson: lesson})
	asks := strings.Contains(before, "How much is left?") && strings.Contains(before, `data-comparison="far"`)
	if !asks || strings.Contains(before, "Because.") {
		t.Error("before a run the page doesn't ask, or tells already")
	}
	run := ran()
	after := render(t, "lesson", &LessonPage{Lesson: lesson, Runs: []Run{run.Run}, Revealed: &run})
	for _, want := range []string{
		"“&lt;b&gt;half”", ">0.50<", "10.0 times too much", "0.050", "0.040 to 0.060", "Because.",
		"interrupted: cancelled", "/runs/R/report.html", "took 1:01", "<b>2.00 ×</b>", "2026-11-21 20:08 UTC",
	} {
		if !strings.Contains(after, want) {
			t.Errorf("the reveal lacks %q", want)
		}
	}
	unread := render(t, "lesson", &LessonPage{Lesson: Lesson{Name: "x", Trouble: "no such field"}})
	hidden := strings.Contains(unread, `aria-labelledby="predict-title" hidden`)
	if !strings.Contains(unread, "no such field") || !hidden {
		t.Error("a lesson that can't be read doesn't say so, or asks all the same")
	}
}

// A run that is inconclusive has to say what to do about it; one that isn't, or has too few repeats, doesn't.
func TestInconclusiveRunNamesTheNextStep(t *testing.T) {
	cases := map[string]bool{
		"inconclusive,inconclusive":    true,
		"inconclusive,not in this run": true,
		"not in this run":              false,
		"inconclusive,lower":           false,
		"no interval":                  false,
	}
	for outcomes, next := range cases {
		run := ran()
		run.Status, run.Comparisons = "finished", nil
		for o := range strings.SplitSeq(outcomes, ",") {
			ratio := outcome.Ratio{Interval: outcome.Interval{Center: 2, Lo: 1, Hi: 3, N: 6}}
			run.Comparisons = append(run.Comparisons, outcome.Comparison{Ratio: ratio, Outcome: outcome.Outcome(o)})
		}
		if page := render(t, "run", &RunPage{Run: run}); strings.Contains(page, "Close what else runs") != next {
			t.Errorf("%s: the next step is named: %v", outcomes, !next)
		}
	}
}

func TestRunSaysHowItsRatiosWereMeasured(t *testing.T) {
	run := ran()
	if page := render(t, "run", &RunPage{Run: run}); !strings.Contains(page, "6 blocks, not side by side: their links") {
		t.Error("the page of a run doesn't say how a ratio was measured")
	}
}

func TestRunThatGoesOnSaysSo(t *testing.T) {
	run := ran()
	run.Status, run.Reason, run.Answer = "running", "", nil
	page := render(t, "run", &RunPage{Run: run})
	if !strings.Contains(page, "This run goes on.") || strings.Contains(page, "What was finished counts") {
		t.Error("the page of a run that goes on doesn't say that it does")
	}
}

func TestEveryPageRenders(t *testing.T) {
	run := ran()
	for template, page := range map[string]Page{
		"lessons":  &LessonsPage{Lessons: []Lesson{lesson, {Name: "x", Trouble: "no such field"}}},
		"runs":     &RunsPage{Runs: []Run{run.Run}},
		"run":      &RunPage{Run: run},
		"beside":   &BesidePage{A: run.Run, B: run.Run},
		"starting": &StartingPage{Text: "loading"},
		"failure":  &FailurePage{Status: 404, Text: "There is nothing."},
	} {
		if text := render(t, template, page); !strings.Contains(text, "</html>") || strings.Contains(text, "no value>") {
			t.Errorf("page %s is not whole:\n%s", template, text)
		}
	}
}
