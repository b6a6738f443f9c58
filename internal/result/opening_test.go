package result

import (
	"slices"
	"testing"

	"pooler-lab/internal/lesson"
)

func TestDifferSaysWhichIterationsConnect(t *testing.T) {
	cell := func(workload string, opening float64) *Cell {
		counters := map[string]float64{"pg_iterations": 50, "pg_opening_iterations": opening}
		return &Cell{Cell: lesson.Cell{Path: "direct", Workload: workload},
			Repeats: []Repeat{{Status: Failed}, {Status: OK, Measured: &Measured{Counters: counters}}}}
	}
	kept, connects, churn := cell("kept", 0), cell("connect", 50), cell("churn", 50)
	for _, test := range []struct {
		name  string
		cells []*Cell
		want  string
	}{
		{"none", []*Cell{kept}, ""},
		{"nothing measured", []*Cell{{}}, ""},
		{"all", []*Cell{connects, churn}, "each iteration connects"},
		{"one of two", []*Cell{kept, connects, connects}, "each iteration of connect connects"},
		{"two of three", []*Cell{connects, kept, churn}, "each iteration of connect and churn connects"},
	} {
		_, shared := Differ(test.cells)
		said := slices.DeleteFunc(shared, func(text string) bool { return text != test.want })
		if len(said) != min(1, len(test.want)) || test.want == "" && opening(test.cells) != "" {
			t.Errorf("%s: %q is missing in %q", test.name, test.want, shared)
		}
	}
}
