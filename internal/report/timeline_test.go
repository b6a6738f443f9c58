package report

import (
	"strings"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

// An experiment with events is drawn as a timeline: a row a cell, a line an event. Its figures stand beside it, and in
// the terminal.
func TestTimelineOfARun(t *testing.T) {
	run := newRun()
	events := []lesson.Event{{At: 0.5, Do: "kill primary"}}
	for _, workload := range []string{"write", "read"} {
		r := measured(1, 0.2, 20, 0, 1)
		r.Events = []result.Event{{Event: events[0], Began: 0.51, Ended: 0.7}}
		r.Ledger = &result.Ledger{File: "k6/a.csv", Attempts: 3, Lost: 17, StepSeconds: 0.1, Succeeded: []int{1, 0, 1},
			Failed: []int{0, 1, 0}, Open: []int{0, 1, 0}, Outages: []result.Outage{{Client: 1, From: 0.25, To: 1.5}}}
		run.Cells = append(run.Cells, result.Cell{Cell: lesson.Cell{ID: workload, Experiment: "crash", Path: "direct",
			Workload: workload, Clients: 1, Wanted: 1, Shared: lesson.Shared{Seconds: 2, Rate: 20, Events: events,
				Metrics: []string{"outage", "lost_writes"}}}, Status: result.OK, Repeats: []result.Repeat{r}})
	}
	run.Lesson.Experiments = []result.Experiment{{Name: "crash"}}
	all := timelines(run)
	if len(all) != 1 || len(all[0].Data.Rows) != 2 {
		t.Fatalf("the timelines are %+v", all)
	}
	lines, names := 0, []string{}
	for _, m := range all[0].Drawing.Marks {
		if m.Class == "event" {
			lines++
		}
		names = append(names, m.Text)
	}
	for _, want := range []string{"kill primary", "direct, write", "direct, read"} {
		if !strings.Contains(strings.Join(names, "\n"), want) {
			t.Errorf("it doesn't say %q: %q", want, names)
		}
	}
	if lines != 1 {
		t.Errorf("one event has %d lines", lines)
	}
	if text := Text(run, false); !strings.Contains(text, "1.25") || !strings.Contains(text, "17") {
		t.Errorf("the table lacks the outage or what is lost:\n%s", text)
	}
}
