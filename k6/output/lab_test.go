package output

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.k6.io/k6/v2/metrics"
	"go.k6.io/k6/v2/output"

	"pooler-lab/k6/summary"
)

// A labTrial is an output lab that collects without k6.
type labTrial struct {
	*lab
	given
	t *testing.T
}

// newLabTrial returns the output of a test with one side for each ending.
func newLabTrial(t *testing.T, endings ...summary.Ending) *labTrial {
	t.Helper()
	made, err := newLab(output.Params{ConfigArgument: filepath.Join(t.TempDir(), "summary.json")})
	if err != nil {
		t.Fatal(err)
	}
	o := made.(*lab)
	tr := &labTrial{o, newGiven(o), t}
	never := tr.registry.MustNewMetric("lab_never", metrics.Counter)
	tr.counters = func() []*metrics.Metric { return []*metrics.Metric{never} }
	tr.test = func() *summary.Test {
		test := &summary.Test{}
		for _, ending := range endings {
			test.Sides = append(test.Sides, &summary.Summary{Ending: ending})
		}
		return test
	}
	if err := tr.Start(); err != nil {
		t.Fatal(err)
	}
	return tr
}

// written stops the output and reads what it has written.
func (tr *labTrial) written() *summary.Test {
	tr.t.Helper()
	if err := tr.Stop(); err != nil {
		tr.t.Fatal(err)
	}
	test, err := summary.Read(tr.file)
	if err != nil {
		tr.t.Fatal(err)
	}
	left, err := os.ReadDir(filepath.Dir(tr.file))
	if err != nil || len(left) != 1 {
		tr.t.Errorf("beside the summary there are %v, %v", left, err)
	}
	return test
}

func TestPhases(t *testing.T) {
	tr := newLabTrial(t, summary.Ending{})
	warmup, measure := map[string]string{"phase": "warmup"}, map[string]string{"phase": "measure"}
	tr.add("pg_transactions", metrics.Counter, warmup, 2)
	tr.add("pg_transactions", metrics.Counter, measure, 3, 4)
	tr.add("pg_statement", metrics.Trend, warmup, 50)
	tr.add("pg_statement", metrics.Trend, measure, 1, 2)
	tr.add("pg_statement", metrics.Trend, map[string]string{"phase": "measure", "statement": "long"}, 9)
	tr.add("pg_statement", metrics.Trend, map[string]string{"phase": "warmup", "statement": "long"}, 70)
	tr.add("pg_connect", metrics.Trend, map[string]string{"phase": "warmup", "connect": "first"}, 8)
	tr.add("pg_connect", metrics.Trend, map[string]string{"phase": "warmup", "connect": "later"}, 4)
	tr.add("pg_connect", metrics.Trend, map[string]string{"phase": "measure", "connect": "later"}, 6)
	s := tr.written().Sides[0]
	transactions := s.Counters["pg_transactions"]
	if transactions[summary.Whole] != 9 || transactions[summary.Measured] != 7 {
		t.Errorf("transactions: %v", transactions)
	}
	if never, listed := s.Counters["lab_never"]; !listed || never[summary.Measured] != 0 {
		t.Errorf("a counter that counted nothing: %v", s.Counters)
	}
	statement := s.Trends["pg_statement"]
	measured := statement[summary.Measured]
	if statement[summary.Whole].Count != 5 || measured.Count != 3 || measured.Med != 2 || statement["warmup"].Max != 70 {
		t.Errorf("statements: %+v", statement)
	}
	if _, after := statement["after"]; after {
		t.Error("a phase without a value has a trend")
	}
	if s.Statements["long"].Count != 1 || s.Statements["long"].Med != 9 {
		t.Errorf("named statements: %+v", s.Statements)
	}
	if s.First["pg_connect"].Med != 8 || s.Later["pg_connect"].Count != 2 || s.Later["pg_connect"].Avg != 5 {
		t.Errorf("first connects %+v, later ones %+v", s.First, s.Later)
	}
}

func TestFinish(t *testing.T) {
	for of, want := range map[summary.Finish][2]float64{
		{Seconds: 4, MeanConnectSeconds: 1.5}: {25, 40},
		{}:                                    {0, 0},
	} {
		tr := newLabTrial(t, summary.Ending{Finish: &of})
		tr.add("pg_transactions", metrics.Counter, map[string]string{"phase": "measure"}, 100)
		if f := tr.written().Sides[0].Finish; f.TPSWithConnect != want[0] || f.TPS != want[1] {
			t.Errorf("of 100 transactions the finish is %+v", f)
		}
	}
}

func TestFileThatCannotBeWritten(t *testing.T) {
	tr := newLabTrial(t, summary.Ending{})
	tr.file = filepath.Join(t.TempDir(), "nowhere", "summary.json")
	if err := tr.Stop(); err == nil {
		t.Error("no error")
	}
}

// runK6 runs a script in a folder with the output lab, and returns what k6 said, how it ended, and the lab's file.
func runK6(t *testing.T, folder, code string) (said string, exit int, file string) {
	t.Helper()
	k6 := os.Getenv("LAB_TEST_K6")
	if k6 == "" {
		t.Skip("LAB_TEST_K6 names no k6")
	}
	script, file := filepath.Join(folder, "script.js"), filepath.Join(folder, "lab.json")
	if err := os.WriteFile(script, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), k6, "run", "--quiet", "--out", "lab="+file, script)
	out, _ := run.CombinedOutput()
	return string(out), run.ProcessState.ExitCode(), file
}

// k6 by itself exits with 0 where it can't write a file of its summary.
func TestK6FailsWithoutItsSummary(t *testing.T) {
	said, exit, _ := runK6(t, t.TempDir(), `export default function () {}
		export function handleSummary() { return { '/nowhere/summary.json': '{}' }; }`)
	if exit != 1 || !strings.Contains(said, "k6: Could not save") || !strings.Contains(said, "/nowhere/summary.json") {
		t.Errorf("k6 ended with %d and said\n%s", exit, said)
	}
}

// TestAgreesWithK6 has k6 sum the same samples up twice: in its own summary, and in this one.
func TestAgreesWithK6(t *testing.T) {
	folder := t.TempDir()
	own := filepath.Join(folder, "own.json")
	said, exit, file := runK6(t, folder, `import { Counter, Trend } from 'k6/metrics';
		const trend = new Trend('lab_values', true);
		const counter = new Counter('lab_count');
		const never = new Counter('lab_never');
		export const options = { vus: 3, iterations: 300,
			summaryTrendStats: ['min', 'avg', 'med', 'p(90)', 'p(95)', 'p(99)', 'max', 'count'],
			thresholds: { 'lab_values{phase:measure}': [], 'lab_count{phase:measure}': [] } };
		export default function () {
			const phase = __ITER % 3 === 0 ? 'warmup' : 'measure';
			trend.add((__ITER * 7919 + __VU * 104729) % 1009 / 7, { phase });
			counter.add(__VU, { phase });
		}
		export const handleSummary = (data) => ({ ['`+own+`']: JSON.stringify(data.metrics) });`)
	if exit != 0 {
		t.Fatalf("k6 ended with %d and said\n%s", exit, said)
	}
	test, err := summary.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	ours := test.Sides[0]
	written, err := os.ReadFile(own)
	if err != nil {
		t.Fatal(err)
	}
	var theirs map[string]struct{ Values map[string]float64 }
	if err := json.Unmarshal(written, &theirs); err != nil {
		t.Fatal(err)
	}
	for suffix, phase := range map[string]summary.Phase{"": summary.Whole, "{phase:measure}": summary.Measured} {
		got, want := ours.Trends["lab_values"][phase], theirs["lab_values"+suffix].Values
		for name, value := range map[string]float64{"min": got.Min, "avg": got.Avg, "med": got.Med, "p(90)": got.P90,
			"p(95)": got.P95, "p(99)": got.P99, "max": got.Max, "count": float64(got.Count)} {
			if want[name] == 0 && name != "min" || math.Abs(value-want[name]) > 1e-9 {
				t.Errorf("%s of %s: k6 says %v, the output lab %v", name, phase, want[name], value)
			}
		}
		counted := ours.Counters["lab_count"][phase]
		if want := theirs["lab_count"+suffix].Values["count"]; counted != want || want == 0 {
			t.Errorf("count of %s: k6 says %v, the output lab %v", phase, want, counted)
		}
	}
	if never, listed := ours.Counters["lab_never"]; listed && never[summary.Measured] != 0 || ours.Window != nil {
		t.Errorf("a counter that counted nothing: %v; the window is %v", never, ours.Window)
	}
}
