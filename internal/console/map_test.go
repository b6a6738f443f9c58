package console

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/link"
	"pooler-lab/internal/result"
	"pooler-lab/k6/summary"
)

func of[T any](v T) *T { return &v }

// aState is one of a lab in which a bit of everything is the matter.
var aState = State{
	Toxiproxy: Reachable{Up: true},
	Links: []Link{
		{Name: "client-primary", Known: true, Settings: link.Settings{LatencyMS: 10, JitterMS: 2}, MeasuredMS: of(10.731)},
		{Name: "client-pgpool", Known: true, Cut: true, Reason: "cut"},
		{Name: "client-yugabyte", Known: true, Off: "no image", Reason: "off"},
		{Name: "client-standby", Reason: "no answer"},
		{Name: "pgpool-standby", Known: true, Settings: link.Settings{LatencyMS: 630, JitterMS: 50, DownKBps: 100},
			MeasuredMS: of(640.0)},
		{Name: "nowhere", Known: true, MeasuredMS: of(1.0)},
	},
	Nodes: []Node{
		{Name: "client", Kind: "client", State: Up},
		{Name: "primary", Kind: "database", State: Up, Role: "primary", Backends: of(1)},
		{Name: "standby", Kind: "database", State: Down, Reason: "connection refused"},
		{Name: "yugabyte", Kind: "database", State: Off, Reason: "<no> image"},
		{Name: "pgbouncer", Kind: "pooler", State: Up, ServersActive: of(3), ServersIdle: of(1), PoolSize: of(20),
			WaitingClients: of(1)},
		{Name: "pgbouncer-near-app", Kind: "pooler", State: Unknown, Reason: "paused: a lesson runs, and so on"},
		{Name: "pgpool", Kind: "pooler", State: Up, SelectsPerSecond: of(120.4)},
		{Name: "pgpool-near-app", Kind: "pooler", State: Down, Reason: "connection refused"},
	},
	Load: Load{State: LoadRunning, LoadRequest: LoadRequest{Workload: "select", Clients: 10, Paths: []string{"a", "b"}},
		last: map[string]summary.PathSecond{"a": {TPS: 12.6}, "b": {TPS: 7}}},
}

func render(t *testing.T, template string, data any) string {
	t.Helper()
	var out bytes.Buffer
	if err := templates.ExecuteTemplate(&out, template, page{template, "Title", aState, data}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// The first picture needs no JavaScript: it has the round trips already.
func TestMapIsDrawnByTheServer(t *testing.T) {
	page := render(t, "map", mapPage{
		drawnMap:  drawMap(aState),
		Presets:   link.Presets{{Name: "satellite", Meaning: "far", Settings: link.Settings{LatencyMS: 630}}},
		Workloads: []workload{{Name: "select", Meaning: "a row", GentleRate: 600}},
		Paths:     []choice{{Name: "direct", Meaning: "m"}, {Name: "socket", Meaning: "m", Off: "no link"}},
	})
	for _, want := range []string{
		`>client-primary</text>`, `>10.7 ms</text>`, `>set 10 ±2 ms</text>`, `>630 ±50 ms, narrow</text>`, `>set ?</text>`,
		`10<small> ms</small>`, `max="16" step="1"`, `>cut</text>`, `>off</text>`, `>not measured</text>`,
		`<p>1 backend</p>`, `<p>down: connection refused</p>`, `<p>off: &lt;no&gt; image</p>`, `<p>near the app: paused</p>`,
		`<p>3 of 20 in use, 1 idle</p>`, `<progress max="20" value="3"`, `<p class="alerting"><b>1</b> client waiting</p>`,
		`<b>20</b> TPS`, `<p>2 × 10 clients</p>`, `<p>select</p>`,
		`<b>120</b> SELECTs/s`, `<p>near the app: down: connection refused</p>`,
		`value="socket" disabled`, `data-latency_ms="630"`, `data-rate="600"`, `off: no link`,
		`nowhere: set 0 ms, 1.0 ms</p>`,
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
	m := drawMap(aState)
	away := aState
	away.Toxiproxy = Reachable{Reason: "it is gone"}
	if note := drawMap(away).Note; !strings.Contains(note, "toxiproxy doesn't answer") ||
		!strings.HasSuffix(note, "it is gone") {
		t.Errorf("without toxiproxy: note %q", note)
	}
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

var aLesson = shownLesson{
	Lesson: &lesson.Lesson{About: lesson.About{Name: "02-latency", Title: "Latency", Question: "What do 20 ms cost?",
		Prediction:  "How much is left?",
		Comparisons: []lesson.Comparison{{Name: "far", Text: "TPS at 20 ms, to none"}}}, Minutes: 5},
	Runs: 1, Paths: []choice{{Name: "direct"}},
}

func ran() runPage {
	return runPage{
		shownRun: shownRun{Took: 61 * time.Second, Predicted: true, Run: result.Run{
			ID: "R", Lesson: result.Lesson{About: lesson.About{Name: "02-latency", Title: "Latency", Question: "What?"}},
			Started: time.Date(2026, 11, 21, 20, 8, 38, 0, time.UTC), Status: "interrupted", Reason: "cancelled",
		}},
		Prediction: &Prediction{Words: "<b>half", Path: "direct", Factor: of(2.5)},
		Guesses:    []guess{{"TPS at 20 ms, to none", "0.50"}},
	}
}

func TestLessonAsksFirstAndItsRunShowsThen(t *testing.T) {
	unread := shownLesson{Lesson: &lesson.Lesson{About: lesson.About{Name: "x"}}, Trouble: "no such field"}
	run, goesOn := ran(), ran()
	goesOn.Status, goesOn.Prediction = "running", nil
	cases := []struct {
		name, template string
		data           any
		has, lacks     []string
	}{
		{
			"a lesson", "lesson", lessonPage{aLesson, []shownRun{run.shownRun}},
			[]string{"How much is left?", `data-comparison="far"`, "took 1:01"},
			nil,
		},
		{
			"its run", "run", run,
			[]string{
				"“&lt;b&gt;half”", "direct 2.5 times", "TPS at 20\u00a0ms, to none", "<dd>0.50</dd>", "interrupted: cancelled",
				`<iframe class="report" sandbox src="/runs/R/report.html#outcome"`, "took 1:01", "2026-11-21 20:08 UTC",
			},
			nil,
		},
		{
			"a lesson that can't be read", "lesson", lessonPage{Lesson: unread},
			[]string{"no such field", `aria-labelledby="predict-title" hidden`},
			nil,
		},
		{"a run that goes on", "run", goesOn, []string{"This run goes on."}, []string{"What was finished", "You said"}},
		{"lessons", "lessons", []shownLesson{aLesson, unread}, []string{"no such field"}, nil},
		{"runs", "runs", []shownRun{run.shownRun}, []string{"with a prediction"}, nil},
		{"two runs", "beside", [2]string{"A", "B"}, []string{"/runs/A/beside/B/report.html"}, nil},
	}
	for _, c := range cases {
		text := render(t, c.template, c.data)
		for _, want := range append(c.has, "</html>") {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the page lacks %q:\n%s", c.name, want, text)
			}
		}
		for _, refused := range append(c.lacks, "no value>") {
			if strings.Contains(text, refused) {
				t.Errorf("%s: the page has %q", c.name, refused)
			}
		}
	}
}
