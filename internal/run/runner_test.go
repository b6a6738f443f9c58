package run

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"pooler-lab/internal/link"
	"pooler-lab/internal/result"
	"pooler-lab/internal/trial"
)

// written reads run.json back and holds it against the published schema.
func written(t *testing.T, dir string) *result.Run {
	schema, err := jsonschema.NewCompiler().Compile("../../docs/run.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, result.File))
	if err != nil {
		t.Fatal(err)
	}
	instance, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(instance); err != nil {
		t.Errorf("run.json doesn't match its schema: %v", err)
	}
	run, err := result.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func TestRun(t *testing.T) {
	tests := []struct {
		name, behaviour string
		status          result.Status // of the cell
		reason          string
		flags           []string
		deaf            error
		facts           []result.Fact
		roundTrip       float64
		log             bool
		counts          []result.Count
		attempts        int // more than one
		fixed           bool
		tps             float64 // of fixed work
	}{
		{name: "all is well", behaviour: "good", status: result.OK,
			counts: []result.Count{{What: "transactions", K6: 55, Server: 55, Equal: true}}},
		{name: "a server counted more, twice", behaviour: "good", status: result.OK, flags: []string{"counts"},
			attempts: 2, log: true, counts: []result.Count{{What: "transactions", K6: 55, Server: 56}}},
		{name: "errors are counted and flagged", behaviour: "errors", status: result.OK, flags: []string{"errors"}},
		{name: "nothing was committed", behaviour: "nothing", status: result.Failed, log: true,
			reason: "no transaction was committed in the measured window: 9 x 53300 (too many clients)"},
		{name: "a mistake in the script", behaviour: "mistaken", status: result.Failed, log: true,
			reason: `no transaction was committed in the measured window: TypeError: Not "a" function, at attempt (lab.js`},
		{name: "a mistake in the script of fixed work", behaviour: "mistaken-finish", fixed: true, status: result.Failed,
			log: true, reason: `the script failed: TypeError: Not "a" function, at attempt (lab.js`},
		{name: "the script is broken", behaviour: "broken", status: result.Failed, log: true,
			reason: "k6 ended with code 107: ReferenceError: pg is not defined"},
		{name: "k6 leaves no summary", behaviour: "mute", status: result.Failed, log: true, reason: "k6 left no summary"},
		{name: "the server goes down under load", behaviour: "errors", deaf: errDown, status: result.OK,
			flags: []string{"errors", "uncounted"}},
		{name: "the path leads elsewhere", behaviour: "good", status: result.Failed,
			facts:  []result.Fact{{What: "the pool mode", Said: "session", Want: "transaction"}},
			reason: "the path doesn't lead where it says: the pool mode is session, it had to be transaction"},
		{name: "fixed work", behaviour: "finished", status: result.OK, fixed: true, tps: 33},
		{name: "fixed work of clients that could not connect", behaviour: "shutout", status: result.OK, fixed: true,
			flags: []string{"errors", "few"}},
		{name: "the script doesn't do fixed work", behaviour: "good", status: result.Failed, fixed: true, log: true,
			reason: "k6 didn't say how its clients got done"},
		{name: "the round trip isn't what was asked", behaviour: "errors", roundTrip: 1.6, status: result.OK,
			flags: []string{"errors", "latency"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := plain("a")
			if test.fixed {
				c.Transactions = 50
			}
			r, links, servers := newRunner(t, test.behaviour, c)
			servers.deaf, servers.facts, servers.counts = test.deaf, test.facts, test.counts
			servers.roundTrip = max(servers.roundTrip, test.roundTrip)
			run := ran(t, r, test.status != result.OK)
			cell := run.Cells[0]
			if run.Status != result.Finished || cell.Status != test.status ||
				!strings.HasPrefix(cell.Reason, test.reason) || len(cell.Repeats) != max(1, test.attempts) {
				t.Fatalf("run %s, cell %s %q, %d repeats", run.Status, cell.Status, cell.Reason, len(cell.Repeats))
			}
			last := cell.Repeats[len(cell.Repeats)-1]
			if test.fixed && test.status == result.OK && (last.Measured.TPS != test.tps || last.Measured.Finish == nil) {
				t.Errorf("measured %+v", last.Measured)
			}
			if kinds := flagKinds(last); test.status == result.OK && !slices.Equal(kinds, test.flags) {
				t.Errorf("flagged %v, it should be %v", kinds, test.flags)
			}
			if _, err := os.Stat(filepath.Join(r.lab.Folder, "k6", "a-r1.log")); (err == nil) != test.log {
				t.Errorf("k6's log is there: %v", err == nil)
			}
			if len(links.put) != 1 {
				t.Errorf("the latencies were put back %d times", len(links.put))
			}
		})
	}
}

// ran is what a run to its end wrote; it ends with an error where it is to measure nothing.
func ran(t *testing.T, r *runner, nothing bool) *result.Run {
	t.Helper()
	if err := r.run(t.Context()); errors.Is(err, errNothing) != nothing || err != nil && !nothing {
		t.Fatalf("the run ends with %v", err)
	}
	return written(t, r.lab.Folder)
}

func TestMeasured(t *testing.T) {
	r, _, _ := newRunner(t, "errors", slow("a"))
	r.lab.Servers.(*serversStandIn).roundTrip = 10.7
	repeat := ran(t, r, false).Cells[0].Repeats[0]
	m := repeat.Measured
	counted := result.Counted{Transactions: 55, Prepares: 1, Connections: 1}
	if m.TPS != 50 || m.Transactions != 50 || m.Counted != counted {
		t.Errorf("measured %+v", m)
	}
	if m.FirstConnects["pg_connect"].Med != 9 || m.LaterConnects["pg_connect"].Count != 4 || len(m.LaterConnects) != 1 ||
		m.Statements["read"].Med != 1 || m.Counters["pg_round_trips"] != 50 || m.Finish != nil {
		t.Errorf("what k6 told besides was read as %+v", m)
	}
	want := result.Trend{Count: 50, Min: 1, Avg: 2, Med: 2, P90: 3, P95: 3, P99: 4, Max: 5}
	if trend := m.Trends["pg_statement"]; trend != want {
		t.Errorf("the trend is %+v", trend)
	}
	if repeat.RoundTrip.SetMS != 10 || repeat.Summary != "k6/a-r1.json" {
		t.Errorf("asked for %v ms, the summary is in %s", repeat.RoundTrip.SetMS, repeat.Summary)
	}
}

// What a cell wants of the servers reaches them before each repeat, and is taken back after it and at the end.
func TestServersArePreparedAndRestored(t *testing.T) {
	c := plain("a")
	c.Path, c.Writes, c.PoolSize, c.Workload = "pooled", true, 7, "tpcb"
	c.Settings = map[string]map[string]string{"standby": {"hot_standby_feedback": "on"},
		"pgbouncer": {"query_wait_timeout": "5"}}
	r, _, servers := newRunner(t, "good", c)
	counts := ran(t, r, false).Cells[0].Repeats[0].Counts
	if len(servers.prepared) != 1 || servers.restored != 2 {
		t.Fatalf("prepared %d times, restored %d times", len(servers.prepared), servers.restored)
	}
	want := map[string]map[string]string{"standby": {"hot_standby_feedback": "on"},
		"pgbouncer": {"default_pool_size": "7", "query_wait_timeout": "5"}}
	if p := servers.prepared[0]; !p.Writes || !reflect.DeepEqual(p.Settings, want) {
		t.Errorf("prepared %+v", p)
	}
	if _, changed := c.Settings["pgbouncer"]["default_pool_size"]; changed {
		t.Error("the cell's own settings got the pool's size")
	}
	if len(counts) != 1 || counts[0].K6 != 55 || !counts[0].Equal {
		t.Errorf("the history was counted as %+v", counts)
	}
}

func TestNetworkOfACell(t *testing.T) {
	c := slow("a")
	c.BandwidthKBs, c.ReplicationMS = 500, 20
	r, links, servers := newRunner(t, "errors", c)
	servers.roundTrip = 10.7
	ran(t, r, false)
	want := map[string]link.Settings{"client-primary": {LatencyMS: 10, DownKBps: 500, UpKBps: 500},
		"primary-standby": {LatencyMS: 20}}
	if !maps.Equal(links.set, want) {
		t.Errorf("the links got %v", links.set)
	}
}

// A trial under which somebody changes something runs once more. A pair whose second attempt counts is in pair_test.go.
func TestWhatIsChangedMeanwhileRejectsTheRepeat(t *testing.T) {
	for reason, change := range map[string]func(*linksStandIn, *serversStandIn){
		"someone changed a link meanwhile: client-standby": func(links *linksStandIn, _ *serversStandIn) {
			links.swap = func(snapshot int, latency map[string]float64) {
				if snapshot > 1 && (snapshot-1)%3 == 0 { // one at the start, and of an attempt to set, before and after
					latency["client-standby"] += 5
				}
			}
		},
		"someone changed a setting meanwhile: default_pool_size": func(_ *linksStandIn, servers *serversStandIn) {
			servers.changed = "default_pool_size of pgbouncer: 7 → 20"
		},
	} {
		c := plain("a")
		c.Path, c.PoolSize = "pooled", 7
		r, links, servers := newRunner(t, "errors", c)
		change(links, servers)
		repeats := ran(t, r, true).Cells[0].Repeats
		if len(repeats) != 2 || repeats[0].Status != result.Rejected || repeats[1].Status != result.Rejected ||
			!strings.HasPrefix(repeats[1].Reason, reason) || repeats[1].Summary != "k6/a-r1-attempt2.json" {
			t.Errorf("%s: the repeats are %+v", reason, repeats)
		}
	}
}

// run.json is there after each cell, for who reads it after a kill -9, and at the end of a run that was stopped.
func TestCtrlC(t *testing.T) {
	r, links, _ := newRunner(t, "errors", plain("a"), plain("b"), plain("c"))
	links.latency["client-primary"] = 20 // before the run
	ctx, interrupt := context.WithCancel(t.Context())
	signals := filepath.Join(r.lab.Folder, trial.K6Folder, "signals")
	r.progress.out = writerFunc(func(line string) {
		if strings.Contains(line, "cell 2/3") {
			if run := written(t, r.lab.Folder); run.Status != result.Running || run.Unfinished != 2 {
				t.Errorf("after the first cell the run is %s, %d unfinished", run.Status, run.Unfinished)
			}
			t.Setenv("STANDIN", "waits")
			go onceThere(signals, interrupt)
		}
	})
	err := r.run(ctx)
	var interrupted *interruptedError
	if !errors.As(err, &interrupted) || interrupted.ExitCode() != 130 ||
		!strings.Contains(err.Error(), "results/"+r.doc.ID) {
		t.Errorf("the run ends with %v", err)
	}
	if text, _ := os.ReadFile(signals); string(text) != "SIGINT\n" {
		t.Errorf("k6 got %q, it should get exactly one SIGINT", text)
	}
	if len(links.put) != 1 || links.put[0].SetMS("client-primary") != 20 {
		t.Errorf("put back: %v", links.put)
	}
	run := written(t, r.lab.Folder)
	count := map[result.Status]int{}
	for _, c := range run.Cells {
		count[c.Status]++
	}
	if run.Status != result.Interrupted || run.Unfinished != 2 || count[result.OK] != 1 || count[result.Planned] != 2 {
		t.Errorf("run %s, %d unfinished, cells %v", run.Status, run.Unfinished, count)
	}
}

// onceThere does something as soon as the file is there: k6 listens to signals then.
func onceThere(file string, do func()) {
	for _, err := os.Stat(file); err != nil; _, err = os.Stat(file) {
		time.Sleep(5 * time.Millisecond)
	}
	do()
}

type writerFunc func(string)

func (f writerFunc) Write(p []byte) (int, error) {
	f(string(p))
	return len(p), nil
}

// A run that is stopped before it has looked at the lab leaves a document, as every other does.
func TestStoppedAtOnce(t *testing.T) {
	r, _, _ := newRunner(t, "good", plain("a"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var interrupted *interruptedError
	if err := r.run(ctx); !errors.As(err, &interrupted) || !strings.Contains(err.Error(), "nothing is measured") {
		t.Errorf("the run ends with %v", err)
	}
	if doc := written(t, r.lab.Folder); doc.Status != result.Interrupted || doc.Reason != stopped {
		t.Errorf("it is %s: %s", doc.Status, doc.Reason)
	}
}

// A link that is stalled at a run's end keeps no other one from being put back.
func TestStalledLinkAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		links := &linksStandIn{stalled: "client-standby"}
		r := &runner{lab: &trial.Lab{Links: links, Servers: new(serversStandIn)}, doc: new(result.Run)}
		r.restoreAll(link.Snapshot{{Name: "client-primary", Enabled: true}})
		if len(links.put) != 1 || r.doc.NotRestored != "" {
			t.Errorf("put back %v: %q", links.put, r.doc.NotRestored)
		}
	})
}
