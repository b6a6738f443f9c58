package output

import (
	"os"
	"path/filepath"
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

func TestFileThatCannotBeWritten(t *testing.T) {
	tr := newLabTrial(t, summary.Ending{})
	tr.file = filepath.Join(t.TempDir(), "nowhere", "summary.json")
	if err := tr.Stop(); err == nil {
		t.Error("no error")
	}
}
