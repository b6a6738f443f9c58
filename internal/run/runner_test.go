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
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/link"
	"pooler-lab/internal/result"
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
			wantNothing(t, r.run(t.Context()), test.status != result.OK)
			run := written(t, r.dir)
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
			if _, err := os.Stat(filepath.Join(r.dir, "k6", "a-r1.log")); (err == nil) != test.log {
				t.Errorf("k6's log is there: %v", err == nil)
			}
			if len(links.put) != 1 {
				t.Errorf("the latencies were put back %d times", len(links.put))
			}
		})
	}
}

// wantNothing wants err to say that nothing was measured, or to be nil.
func wantNothing(t *testing.T, err error, nothing bool) {
	t.Helper()
	if errors.Is(err, errNothing) != nothing || err != nil && !nothing {
		t.Fatalf("the run ends with %v", err)
	}
}

func TestMeasured(t *testing.T) {
	r, _, _ := newRunner(t, "errors", slow("a"))
	r.servers.(*serversStandIn).roundTrip = 10.7
	if err := r.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	repeat := written(t, r.dir).Cells[0].Repeats[0]
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
	if err := r.run(t.Context()); err != nil {
		t.Fatal(err)
	}
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
	if counts := written(t, r.dir).Cells[0].Repeats[0].Counts; len(counts) != 1 || counts[0].K6 != 55 || !counts[0].Equal {
		t.Errorf("the history was counted as %+v", counts)
	}
}

func TestASettingChangedMeanwhileRejectsTheRepeat(t *testing.T) {
	c := plain("a")
	c.Path, c.PoolSize = "pooled", 7
	r, _, servers := newRunner(t, "errors", c)
	servers.changed = "default_pool_size of pgbouncer: 7 → 20"
	wantNothing(t, r.run(t.Context()), true)
	repeats := written(t, r.dir).Cells[0].Repeats
	if len(repeats) != 2 || repeats[1].Status != result.Rejected || !strings.Contains(repeats[1].Reason, "7 → 20") {
		t.Errorf("the repeats are %+v", repeats)
	}
}

func TestNetworkOfACell(t *testing.T) {
	over, straight := plain("over"), plain("straight")
	over.Latency, over.Link, over.BandwidthKBs, over.ReplicationMS = lesson.Number(0), "client-primary", 500, 20
	r, links, servers := newRunner(t, "errors", over, straight)
	servers.roundTrip = 0.5
	if err := r.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := links.bandwidth["client-primary"]; got != 500 {
		t.Errorf("the link had a bandwidth of %d", got)
	}
	path, err := r.path(over)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]link.Settings{"client-primary": {DownKBps: 500, UpKBps: 500}, "primary-standby": {LatencyMS: 20}}
	if got := linkSettings(over, path); !maps.Equal(got, want) {
		t.Errorf("the links get %v", got)
	}
}

func TestASwapRejectsTheRepeat(t *testing.T) {
	tests := []struct {
		name     string
		until    int // snapshots of the links after which nobody swaps any more
		status   result.Status
		repeats  []result.Status
		contains string
	}{
		// The run takes a snapshot once, then each attempt three times: to set, before and after.
		{"once: the second attempt counts", 4, result.OK, []result.Status{result.Rejected, result.OK}, "client-standby: "},
		{"again: the cell fails", 99, result.Failed, []result.Status{result.Rejected, result.Rejected},
			"someone changed a link meanwhile"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, links, servers := newRunner(t, "errors", slow("a"))
			servers.roundTrip = 10.7
			links.swap = func(snapshot int, latency map[string]int) {
				if snapshot > 1 && (snapshot-1)%3 == 0 && snapshot <= test.until {
					latency["client-standby"] += 5
				}
			}
			wantNothing(t, r.run(t.Context()), test.status != result.OK)
			cell := written(t, r.dir).Cells[0]
			var statuses []result.Status
			for _, repeat := range cell.Repeats {
				statuses = append(statuses, repeat.Status)
			}
			if cell.Status != test.status || !slices.Equal(statuses, test.repeats) ||
				!strings.Contains(cell.Repeats[0].Reason, test.contains) {
				t.Errorf("the cell is %s with %v: %s", cell.Status, statuses, cell.Repeats[0].Reason)
			}
			if cell.Repeats[1].Attempt != 2 || cell.Repeats[1].Summary != "k6/a-r1-attempt2.json" {
				t.Errorf("the second attempt is %+v", cell.Repeats[1])
			}
		})
	}
}

func TestCtrlC(t *testing.T) {
	r, links, _ := newRunner(t, "errors", plain("a"), plain("b"), plain("c"))
	links.latency["client-primary"] = 20 // before the run
	ctx, interrupt := context.WithCancel(t.Context())
	signals := filepath.Join(r.dir, k6Folder, "signals")
	r.progress.out = writerFunc(func(line string) {
		if strings.Contains(line, "cell 2/3") {
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
	run := written(t, r.dir)
	count := map[result.Status]int{}
	for _, c := range run.Cells {
		count[c.Status]++
	}
	if run.Status != result.Interrupted || run.Unfinished != 2 || count[result.OK] != 1 || count[result.Planned] != 2 {
		t.Errorf("run %s, %d unfinished, cells %v", run.Status, run.Unfinished, count)
	}
}

// TestTheDocumentIsThereAfterEachCell reads run.json while the run goes on, as someone does after a kill -9.
func TestTheDocumentIsThereAfterEachCell(t *testing.T) {
	r, _, _ := newRunner(t, "errors", plain("a"), plain("b"))
	seen := false
	r.progress.out = writerFunc(func(line string) {
		if !strings.Contains(line, "cell 2/2") {
			return
		}
		seen = true
		if run := written(t, r.dir); run.Status != result.Running || run.Unfinished != 1 {
			t.Errorf("after the first cell the run is %s, %d unfinished", run.Status, run.Unfinished)
		}
	})
	if err := r.run(t.Context()); err != nil || !seen {
		t.Errorf("%v, the second cell was seen: %v", err, seen)
	}
}

func TestSeeds(t *testing.T) {
	if once, again := repeatSeed(1, "a", 1), repeatSeed(1, "a", 1); once != again {
		t.Error("the same repeat has two seeds")
	}
	seen := map[uint32]bool{}
	for _, s := range []uint32{repeatSeed(1, "a", 1), repeatSeed(2, "a", 1), repeatSeed(1, "b", 1),
		repeatSeed(1, "a", 2)} {
		seen[s] = true
	}
	if len(seen) != 4 {
		t.Error("two repeats share a seed")
	}
}

func TestCellIsJSONWithoutPassword(t *testing.T) {
	r, _, _ := newRunner(t, "good", slow("a"))
	t.Setenv("APP_PASSWORD", "secret")
	c := r.doc.Cells[0].Cell
	c.Role, c.PoolSize, c.Instances, c.InstancePool, c.Transactions = "app_trust", 5, 2, 3, 50
	c.Params = map[string]any{"rows": 9}
	told := func(c lesson.Cell) ([]string, error) {
		tr := newTrial(nil, 1, 1, 1, c)
		if err := r.findPaths(tr); err != nil {
			return nil, err
		}
		return r.told(tr).Env()
	}
	env, err := told(c)
	text := strings.Join(env, " ")
	if err != nil || strings.Contains(text, "secret") || !strings.HasPrefix(text, "LAB_CELL={") {
		t.Errorf("%s, %v", text, err)
	}
	for _, part := range []string{`"latency_ms":10`, `"role":"app_trust"`, `"pool_size":5`, `"instances":2`,
		`"instance_pool":3`, `"transactions":50`, `"params":{"rows":9}`,
		`"dsn":"host=toxiproxy port=15001 dbname=lab user=app_trust sslmode=disable"`} {
		if !strings.Contains(text, part) {
			t.Errorf("%s is missing in %s", part, text)
		}
	}
	c.Params = nil
	if env, err = told(c); err != nil || !strings.Contains(env[0], `"params":{}`) {
		t.Errorf("a cell without params is told as %s, %v", env, err)
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
	if err := r.run(ctx); !errors.As(err, &interrupted) {
		t.Errorf("the run ends with %v", err)
	}
	if doc := written(t, r.dir); doc.Status != result.Interrupted || doc.Reason != stopped {
		t.Errorf("it is %s: %s", doc.Status, doc.Reason)
	}
}
