package pg

import (
	"encoding/json"
	"maps"
	"math"
	"path/filepath"
	"testing"

	"pooler-lab/k6/summary"
)

// runCell runs a script of the lab for a cell: half a second of two clients unless changed says otherwise.
func runCell(t *testing.T, script string, changed map[string]any) *summary.Summary {
	t.Helper()
	cell := map[string]any{"path": "direct", "dsn": testDSN(t), "clients": 2, "seconds": 0.5, "warmup_seconds": 0.5,
		"deadline_seconds": 300, "params": map[string]any{}, "protocol": "prepared", "scale": 1, "seed": 1}
	maps.Copy(cell, changed)
	text, err := json.Marshal(cell)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "summary.json")
	out, err := labCommand(t, "LAB_CELL="+string(text), file, script).Output()
	if err != nil {
		t.Fatalf("k6: %v\n%s", err, out)
	}
	test, err := summary.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return test.Sides[0]
}

// TestTour runs the tour's open loops. Each iteration that is due in the window either has a response time, whenever it
// ends, or is dropped: that holds at any speed.
func TestTour(t *testing.T) {
	const rate = 20
	for _, workload := range []string{"connect", "select"} {
		s := runCell(t, "k6/lessons/00-tour.js", map[string]any{"workload": workload, "rate": rate, "warmup_seconds": 3})
		due := int64(math.Ceil(rate * s.Window.Seconds))
		responses, dropped := s.Trends["pg_response_time"][summary.Whole].Count, s.Count("pg_dropped", summary.Measured)
		if responses+dropped != due {
			t.Errorf("%s: %d iterations in %v s, and %d dropped", workload, responses, s.Window.Seconds, dropped)
		}
		if len(s.Errors) > 0 || s.Window.Seconds < 0.5 {
			t.Errorf("%s: the summary says %+v", workload, s)
		}
		if s.First["pg_connect_first_query"].Count != 1 || s.Later["pg_connect"].Count < 1 {
			t.Errorf("%s: first connects are %v, later ones %v", workload, s.First, s.Later)
		}
	}
}
