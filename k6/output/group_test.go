package output

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"go.k6.io/k6/v2/metrics"

	"pooler-lab/k6/summary"
)

// newPairTrial returns a trial of a pair, and the file for its groups.
func newPairTrial(t *testing.T) (*labTrial, string) {
	window := func(ready int) summary.Ending { return summary.Ending{Window: &summary.Window{Ready: ready}} }
	tr := newLabTrial(t, window(1), window(2))
	file := filepath.Join(t.TempDir(), "groups")
	tr.group = func(number int) (summary.Group, string) {
		g := summary.Group{Number: number, Order: "ABBA"}
		g.Sides[summary.Of].Seconds, g.Sides[summary.To].Seconds = 0.46, 0.48
		return g, file
	}
	return tr, file
}

// in returns the tags of a side's samples in a phase.
func in(side int, phase summary.Phase) map[string]string {
	return map[string]string{"side": summary.SideNames[side], "phase": string(phase)}
}

// closes says that a group is complete, as k6/x/pg does.
func (tr *labTrial) closes(number float64) {
	tr.add("pg_group", metrics.Gauge, in(summary.To, summary.Measured), number)
}

// readGroups reads the lines of the file.
func readGroups(t *testing.T, file string) []summary.Group {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var groups []summary.Group
	for line := range strings.Lines(string(text)) {
		var g summary.Group
		if err := json.Unmarshal([]byte(line), &g); err != nil {
			t.Fatal(err)
		}
		groups = append(groups, g)
	}
	return groups
}

func TestGroups(t *testing.T) {
	tr, file := newPairTrial(t)
	tr.add("pg_transactions", metrics.Counter, in(summary.Of, "warmup"), 1000)
	tr.add("pg_transactions", metrics.Counter, in(summary.Of, summary.Measured), 30, 10)
	tr.add("pg_transactions", metrics.Counter, in(summary.Of, "after"), 100)
	tr.add("pg_transactions", metrics.Counter, in(summary.To, summary.Measured), 20)
	tr.add("pg_statement", metrics.Trend, in(summary.To, summary.Measured), 1, 2, 6)
	tr.closes(1)
	tr.flush()
	tr.flush() // a line is written once
	if groups := readGroups(t, file); len(groups) != 1 {
		t.Errorf("while k6 runs the file has %+v", groups)
	}
	tr.add("pg_transactions", metrics.Counter, in(summary.Of, summary.Measured), 5)
	tr.closes(2)
	tr.add("pg_transactions", metrics.Counter, in(summary.To, summary.Measured), 7) // of a group that nothing ends
	p := tr.written()

	var got []map[string]float64
	for _, g := range readGroups(t, file) {
		for _, side := range g.Sides {
			got = append(got, side.Counters)
		}
	}
	counts := func(transactions float64) map[string]float64 {
		return map[string]float64{"lab_never": 0, "pg_transactions": transactions}
	}
	never := map[string]float64{"lab_never": 0}
	if want := []map[string]float64{counts(40), counts(20), counts(5), never}; !reflect.DeepEqual(got, want) {
		t.Errorf("the counters of two groups of two sides are %v, not %v", got, want)
	}
	first := readGroups(t, file)[0]
	if statement := first.Sides[summary.To].Trends["pg_statement"]; statement.Count != 3 || statement.Med != 2 ||
		first.Number != 1 || first.Order != "ABBA" || first.Sides[summary.Of].Seconds != 0.46 {
		t.Errorf("the first group is %+v", first)
	}
	if _, measured := first.Sides[summary.Of].Trends["pg_statement"]; measured {
		t.Error("a side has a trend of which it has no value")
	}

	of, to := p.Sides[summary.Of], p.Sides[summary.To]
	if of.Count("pg_transactions", summary.Measured) != 45 || of.Count("pg_transactions", summary.Whole) != 1145 ||
		to.Count("pg_transactions", summary.Measured) != 27 || to.Window.Ready != 2 {
		t.Errorf("the sides are %+v and %+v", of, to)
	}
	if len(of.Trends) > 0 || to.Trends["pg_statement"][summary.Measured].Count != 3 {
		t.Errorf("the sides' trends are %v and %v", of.Trends, to.Trends)
	}
}

// A groups file that can't be written is an error, and costs nothing else.
func TestGroupsFileThatCannotBeWritten(t *testing.T) {
	tr, file := newPairTrial(t)
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	tr.add("pg_transactions", metrics.Counter, in(summary.Of, summary.Measured), 1)
	tr.closes(1)
	if err := tr.Stop(); err == nil || !strings.Contains(err.Error(), "write a group") {
		t.Errorf("the error is %v", err)
	}
	p, err := summary.Read(tr.file)
	if err != nil || p.Sides[summary.Of].Count("pg_transactions", summary.Measured) != 1 {
		t.Errorf("the pair is %+v, %v", p, err)
	}
}
