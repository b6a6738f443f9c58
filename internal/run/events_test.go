package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pooler-lab/internal/fault"
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/plan"
	"pooler-lab/internal/result"
	"pooler-lab/internal/topology"
)

// faultsStandIn stands in for package fault.
type faultsStandIn struct {
	did    []string
	stop   func() // the run, as the first event happens
	fails  string // event
	wedged error  // of putting the nodes back
}

func (f *faultsStandIn) Do(_ context.Context, verb, node string) error {
	f.did = append(f.did, strings.TrimSpace(verb+" "+node))
	if f.stop != nil {
		f.stop()
	}
	if verb == "reset" {
		return f.wedged
	}
	if verb+" "+node == f.fails {
		return errors.New("the standby isn't there")
	}
	return nil
}

// newEventRunner makes a runner of two cells that run at once, beside a third one.
func newEventRunner(t *testing.T, behaviour string) (*runner, *faultsStandIn) {
	cells := []lesson.Cell{plain("a"), plain("alone"), plain("b")}
	cells[1].Experiment = "other"
	for i, workload := range []string{"write", "", "read"} {
		if workload != "" {
			cells[i].Workload, cells[i].Rate, cells[i].Overload = workload, 10, true
			cells[i].Seconds = 0.05
			cells[i].Events = []lesson.Event{{At: 0.01, Do: "kill primary"}, {At: 0.02, Do: "promote standby"}}
		}
	}
	r, _, servers := newRunner(t, behaviour, cells...)
	faults := &faultsStandIn{}
	r.lab.Faults = faults
	servers.marks = map[string]bool{"1.1": true, "1.3": true}
	return r, faults
}

// The cells of an experiment with events are one trial. Its events happen in their order, k6 is told when its window
// closes, the nodes are put back, and each cell has what its own clients saw.
func TestEvents(t *testing.T) {
	r, faults := newEventRunner(t, "events")
	run := ran(t, r, false)
	if want := []string{"kill primary", "promote standby", "reset"}; !slices.Equal(faults.did, want) {
		t.Errorf("it did %q, wanted %q", faults.did, want)
	}
	for _, c := range run.Cells {
		if c.Status != result.OK || len(c.Repeats) != 1 {
			t.Fatalf("cell %s is %s (%s)", c.ID, c.Status, c.Reason)
		}
		repeat := c.Repeats[0]
		if c.Experiment == "other" {
			if repeat.Ledger != nil || repeat.Events != nil {
				t.Errorf("the cell without events has %+v and %+v", repeat.Ledger, repeat.Events)
			}
			continue
		}
		if l := repeat.Ledger; l == nil || l.Lost != map[string]int{"write": 1, "read": 0}[c.Workload] ||
			l.Unreported != map[string]int{"write": 1, "read": 0}[c.Workload] || l.File != "k6/a-r1.csv" {
			t.Errorf("%s: the ledger comes to %+v", c.Workload, l)
		}
		if e := repeat.Events; len(e) != 2 || e[0].Do != "kill primary" || e[0].Began < 0.01 || e[1].Began < e[0].Ended {
			t.Errorf("%s: its events are %+v", c.Workload, e)
		}
		other := func(f result.Flag) bool { return f.Kind != result.FlagLate } // the stand-in's window is of another day
		if slices.ContainsFunc(repeat.Flags, other) || len(repeat.Counts) > 0 {
			t.Errorf("%s: it has the flags %v and the counts %v", c.Workload, repeat.Flags, repeat.Counts)
		}
	}
	if text, err := os.ReadFile(filepath.Join(r.lab.Folder, "k6/a-r1.csv")); err != nil ||
		!strings.Contains(string(text), ",ok,primary,7,,no\n") {
		t.Errorf("the ledger doesn't say what is lost: %v\n%s", err, text)
	}
}

// An event that didn't happen, a ledger that lacks an attempt and nodes that can't be put back fail the trial, and the
// nodes are put back whatever happens.
func TestEventsThatGoWrong(t *testing.T) {
	for _, test := range []struct {
		name, behaviour, want string
		change                func(*faultsStandIn)
	}{
		{"an event", "events", "promote standby: the standby isn't there",
			func(f *faultsStandIn) { f.fails = "promote standby" }},
		{"an attempt", "dropping", "the ledger lacks attempt 2 of client 1", func(*faultsStandIn) {}},
		{"the nodes", "events", "put the nodes back ('scripts/break reset' tries again): no container",
			func(f *faultsStandIn) { f.wedged = errors.New("no container") }},
		{"k6", "broken", "k6 ended with code 107", func(f *faultsStandIn) {}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, faults := newEventRunner(t, test.behaviour)
			test.change(faults)
			run := ran(t, r, test.behaviour == "broken")
			if c := run.Cells[0]; c.Status != result.Failed || !strings.Contains(c.Reason, test.want) {
				t.Errorf("the cell is %s: %s; wanted %q", c.Status, c.Reason, test.want)
			}
			if !slices.Contains(faults.did, "reset") {
				t.Errorf("the nodes weren't put back: %q", faults.did)
			}
		})
	}
}

// A run that is stopped in mid-event begins no other one, and puts the nodes back.
func TestRunIsStoppedInMidEvent(t *testing.T) {
	r, faults := newEventRunner(t, "events")
	ctx, stop := context.WithCancel(t.Context())
	faults.stop = stop
	var interrupted *interruptedError
	if err := r.run(ctx); !errors.As(err, &interrupted) {
		t.Errorf("the run ends with %v", err)
	}
	if want := []string{"kill primary", "reset"}; !slices.Equal(faults.did, want) {
		t.Errorf("it did %q, wanted %q", faults.did, want)
	}
}

// Cells that run at once count as one trial.
func TestProgressOfEvents(t *testing.T) {
	r, _ := newEventRunner(t, "events")
	if len(plan.Left(r.doc)) != 2 || r.progress.at.Of != 2 {
		t.Errorf("of two cells at once and another one %d trials are left of %d", len(plan.Left(r.doc)), r.progress.at.Of)
	}
}

// A plan can have each verb that scripts/break has for a node, and the switchover.
func TestPlansKnowTheVerbs(t *testing.T) {
	events := []string{"switchover"}
	for _, verb := range fault.ForOne() {
		for _, node := range topology.Nodes() {
			events = append(events, verb+" "+node)
		}
	}
	plan := func(event string) error {
		_, err := lesson.Parse("x.yaml", []byte("title: t\nquestion: q?\nexplanation: e\nminutes: 1\nexperiments:\n"+
			"  - {name: a, workload: write, paths: [direct], latencies: [none], clients: [1], rate: 10, overload: true, "+
			"writes: true, seconds: 5, warmup_seconds: 0, events: [{at: 1, do: "+event+"}]}\n"))
		return err
	}
	for _, event := range events {
		if err := plan(event); err != nil {
			t.Errorf("%s: %v", event, err)
		}
	}
	for _, event := range []string{"kill", "explode primary", "kill yugabyte", "reset"} {
		if err := plan(event); err == nil {
			t.Errorf("%s is taken for an event", event)
		}
	}
}
