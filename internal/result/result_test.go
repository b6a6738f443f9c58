package result

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"pooler-lab/internal/lesson"
)

// published is the JSON Schema that people outside read.
const published = "../../docs/run.schema.json"

func share(v float64) *float64 { return &v }

func whole(v int) *int { return &v }

// full is a run in which every field of the document stands.
func full() *Run {
	now := time.Date(2026, 11, 21, 16, 0, 0, 0, time.UTC)
	repeat := Repeat{Block: 1, Position: 2, Attempt: 1, Status: OK, Started: now, Ended: now.Add(2 * time.Second),
		Proof:     []Fact{{"the pool mode", "session", "session", true}},
		RoundTrip: &RoundTrip{SetMS: 10, MeasuredMS: 10.7, Samples: 9},
		Measured: &Measured{WindowSeconds: 1.5, Transactions: 150, TPS: 100, ClientsReady: 1, Late: 1, Dropped: 2,
			WarmedSeconds: 1.2, Tenths: []int64{15, 15, 15, 15, 15, 15, 15, 15, 15, 15},
			Trends:        map[string]Trend{"pg_connect": {Count: 150, Min: 1, Avg: 2, Med: 2, P90: 3, P95: 3, P99: 4, Max: 5}},
			Errors:        []Error{{Code: "57P01", Phase: "measure", Count: 3, Message: "terminating connection"}},
			Counted:       Counted{160, 1, 2, 150, 1},
			FirstConnects: map[string]Trend{"pg_connect": {Count: 1, Med: 9}},
			LaterConnects: map[string]Trend{"pg_connect": {Count: 149, Med: 2}},
			Counters:      map[string]float64{"pg_round_trips": 150}, Statements: map[string]Trend{"read": {Count: 150, Med: 1}},
			Finish: &Finish{ConnectedSeconds: 0.4, Connected: 9, Finished: 7, Starved: 1, Seconds: 3, TPSWithConnect: 40,
				TPS: 50}},
		Counts: []Count{{"transactions", 160, 165, 160, "4 SETs, 1 prepares", 0, true}},
		Shares: []Share{{"primary", "primary", 80}},
		Resources: &Resources{HostCPU: share(0.5), GeneratorCPU: share(0.1), GeneratorMB: share(40),
			NotMeasured: "no answer for toxiproxy",
			Containers: []Container{{Service: "primary", CPUs: 0.4, Throttled: share(0.2), Stops: 3, MemoryMB: 30},
				{Service: "toxiproxy", CPUs: 0.1, MemoryMB: 7}}},
		Nodes: []Node{{Service: "primary", Samples: 100, Hz: 50, CostMS: 0.1, CostShare: 0.005, MaxBackends: 10,
			MaxActive: 4, MaxLocks: whole(70),
			Sessions: 10, Waits: []Wait{{"Client:ClientRead", 0.75}, {"CPU", 0.25}}},
			{Service: "standby", NotMeasured: "it is down"}},
		Pooler: &Pooler{Service: "pgbouncer", Samples: 3, MaxClients: 10, MaxWaiting: whole(6), MaxWaitMS: share(2.5),
			MaxServers: 4, PoolSize: 4, NotMeasured: "it is down"},
		Summary: "k6/a.json"}
	for _, kind := range FlagKinds() {
		repeat.Flags = append(repeat.Flags, Flag{kind, "because of it"})
	}
	failed := Repeat{Block: 1, Position: 1, Attempt: 2, Status: Failed, Reason: "no", Started: now, Ended: now,
		Proof: []Fact{}, Counts: []Count{},
		Uncounted: "down", Shares: []Share{}, Flags: []Flag{}, Log: "k6/b.log", Exit: 107}
	cell := lesson.Cell{ID: "a", Experiment: "g", Path: "direct", Latency: lesson.Number(10), Link: "client-primary",
		Workload: "select",
		Clients:  1, Protocol: "simple", Driver: lesson.Pgbench, PgbenchScript: "SELECT 1;", Wanted: 1, Role: "app_clear",
		PoolSize: 5, Instances: 2, InstancePool: 3, HotRows: 1000, Shared: lesson.Shared{Rate: 100, Seconds: 1.5, Warmup: 0.5,
			FillPools: true, Writes: true, Transactions: 50, BandwidthKBs: 1000, ReplicationMS: 20, FreshDatabase: true,
			SamplesPerSecond: 50, Metrics: []string{"tps"}, Params: map[string]any{"rows": 9},
			Settings: map[string]map[string]string{"standby": {"hot_standby_feedback": "on"}}}}
	direct := lesson.Selector{"path": lesson.Word("direct")}
	run := &Run{Version: Version, ID: "20261121T160000Z-00-tour", Status: Interrupted, Reason: "someone stopped it",
		Started: now, Ended: &now,
		Seed: 7, Blocks: 1, NotRestored: "toxiproxy is down", Unfinished: 1,
		Pairs: []Pair{{Block: 1, Of: "a", To: "a", Metrics: []string{"tps"}, Until: 0.05, AtMost: 45, Status: OK,
			Started: &now, Ended: &now, SlotMS: 300, MedianMS: [2]float64{1, 2},
			Figures: map[string][][2]float64{"tps": {{1, 2}}}, Groups: 30, Seconds: 54, Warming: 8, WarmingSeconds: 14.4,
			Ending: Precise, File: "k6/pair-1.groups"}},
		Unpaired: []Unpaired{{Of: "a", To: "a", Metric: "p50", Reason: "an open loop"}},
		Lesson: Lesson{About: lesson.About{Name: "00-tour", Title: "t", Question: "q", Explanation: "e", File: "/f.js",
			SHA256:      strings.Repeat("0a", 32),
			Comparisons: []lesson.Comparison{{Name: "n", Text: "s", Metric: "tps", Of: direct, To: direct}},
			Study: &lesson.Study{Title: "t", Source: "s", Setup: "s",
				Figures: []lesson.StudyFigure{{What: "w", Value: "1 ms", Metric: "p50", Of: direct}},
				Findings: []lesson.Finding{{Name: "n", Text: "s",
					All: []lesson.Condition{{Metric: "tps", Of: direct, Is: "less", Than: share(100)}}}}},
			Charts: []lesson.Chart{{Title: "t", Kind: "lines", Metric: "tps", X: "clients", Series: "path", Of: direct}},
			Findings: []lesson.Finding{{Name: "n", Text: "s",
				All: []lesson.Condition{{Metric: "tps", Of: direct, Minus: direct, Is: "more", Than: share(5)}}}},
			LeftOut: []string{"h"}, OnlyInFull: []string{"h"}},
			Experiments: []Experiment{{Name: "g", Text: "t", Side: true}},
			Override:    lesson.Override{Values: map[string][]string{"latencies": {"none", "5"}, "rate": {"5"}}, Full: true},
			Full:        true},
		Manifest: Manifest{Versions: map[string]string{"k6": "v2"}, Scale: 10,
			Authentication: []Login{{"app", "md5", []string{"direct"}}}, MaxConnections: map[string]string{"primary": "600"},
			HugePages: map[string]string{"primary": "off"},
			Limits:    []Limit{{"nodes", []string{"primary"}, "0.5", "1g"}}, Host: Host{CPUs: 2}},
		Paths: []Path{{Name: "direct", Database: "postgresql",
			Latencies: []lesson.Value{lesson.None, lesson.Number(10)}},
			{Name: "yugabyte", Database: "yugabytedb", Unavailable: "off"}},
		Cells: []Cell{{Cell: cell, Status: Planned}, {Cell: cell, Status: Planned, Repeats: []Repeat{}}}}
	run.Cells[0].Add(failed)
	run.Cells[0].Add(repeat)
	return run
}

func validate(t *testing.T, document []byte) error {
	schema, err := jsonschema.NewCompiler().Compile(published)
	if err != nil {
		t.Fatal(err)
	}
	instance, err := jsonschema.UnmarshalJSON(strings.NewReader(string(document)))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(instance)
}

func TestDocumentsMatchTheSchema(t *testing.T) {
	text, err := json.Marshal(full())
	if err != nil {
		t.Fatal(err)
	}
	if err := validate(t, text); err != nil {
		t.Error(err)
	}
}

func TestTheSchemaRefuses(t *testing.T) {
	tests := []struct{ name, old, new string }{
		{"a field that isn't published", `"seed":7`, `"seed":7,"sead":8`},
		{"an unknown status", `"status":"interrupted"`, `"status":"stopped"`},
		{"an unknown flag", `"kind":"errors"`, `"kind":"odd"`},
		{"a throttled share above 1", `"throttled":0.2`, `"throttled":20`},
		{"another version", `"version":3`, `"version":2`},
		{"a missing field", `"unfinished":1`, `"not_restored":"x"`},
	}
	text, err := json.Marshal(full())
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			changed := strings.Replace(string(text), test.old, test.new, 1)
			if changed == string(text) {
				t.Fatalf("%s isn't in the document", test.old)
			}
			if validate(t, []byte(changed)) == nil {
				t.Error("it is taken for valid")
			}
		})
	}
}

func TestReadGivesBackWhatWasWritten(t *testing.T) {
	dir := t.TempDir()
	run := full()
	if err := run.Write(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{dir, filepath.Join(dir, File)} {
		got, err := Read(name)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := json.Marshal(run)
		if text, _ := json.Marshal(got); string(text) != string(want) {
			t.Errorf("%s is read as\n%s\nand was\n%s", name, text, want)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	empty := t.TempDir()
	written := func(text string) string {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, File), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	for name, want := range map[string]string{
		empty:                      "holds no run.json",
		empty + "/nowhere":         "find the run",
		written(`{"version": 99}`): "has version 99, and this program reads version 3",
		written(`{"version": 1, "lesson": {"override": {"latencies_ms": [null]}}}`): "has version 1, and this program " +
			"reads version 3. The version of the lab that wrote it reads it",
		written(`{"version": 3, "cells": 5}`): "cannot unmarshal",
		written(`{`):                          "unexpected end",
		written(`{}`):                         "no version",
	} {
		if _, err := Read(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, it should speak of %q", err, want)
		}
	}
}

func TestAddAndLeft(t *testing.T) {
	cell := Cell{Cell: lesson.Cell{Wanted: 3}, Status: Planned}
	steps := []struct {
		name   string
		repeat Repeat
		status Status
		reason string
		left   int
	}{
		{"a rejected attempt fails the cell for now", Repeat{Block: 1, Attempt: 1, Status: Rejected, Reason: "swap"},
			Failed, "swap", 2},
		{"its second attempt heals it", Repeat{Block: 1, Attempt: 2, Status: OK}, OK, "", 2},
		{"a failed repeat stays beside those that are ok", Repeat{Block: 2, Attempt: 1, Status: Failed, Reason: "down"}, OK,
			"down", 1},
		{"an interrupted one is still to be done", Repeat{Block: 3, Attempt: 1, Status: Interrupted}, OK, "down", 1},
	}
	for _, step := range steps {
		cell.Add(step.repeat)
		left := (&Run{Cells: []Cell{cell}}).Left()
		if cell.Status != step.status || cell.Reason != step.reason || left != step.left {
			t.Errorf("%s: %s, %q, %d left", step.name, cell.Status, cell.Reason, left)
		}
	}
	if last := cell.Last(); last == nil || last.Block != 1 || last.Attempt != 2 {
		t.Errorf("the last repeat that counts is %+v", last)
	}
}

func TestReconciled(t *testing.T) {
	repeat := func(kinds ...FlagKind) Repeat {
		r := Repeat{Status: OK, Counts: []Count{{}}}
		for _, kind := range kinds {
			r.Flags = append(r.Flags, Flag{Kind: kind})
		}
		return r
	}
	run := Run{Cells: []Cell{{Repeats: []Repeat{repeat(), repeat("counts"), repeat("host")}},
		{Repeats: []Repeat{repeat("errors"), repeat("uncounted"), {Status: Failed}, {Status: OK}}}}}
	want := "k6 and the servers agree on the transactions of 2 of 4 repeats without errors, and of 1 the " +
		"servers could not be asked"
	if got := run.Reconciled(); got != want {
		t.Errorf("it says %q, it should say %q", got, want)
	}
	run.Cells[0].Driver = lesson.Pgbench
	if got := run.Reconciled(); !strings.HasPrefix(got, "pgbench") || !strings.Contains(got, " and the servers agree") {
		t.Errorf("with pgbench it is %q", got)
	}
	if got := (&Run{}).Reconciled(); got != "" {
		t.Errorf("of nothing it says %q", got)
	}
}
