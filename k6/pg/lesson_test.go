package pg

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// figures are what a lesson writes where the lab can read it.
type figures struct {
	Window struct {
		Seconds float64
		Ready   int
	}
	Finish struct {
		Connected, Finished, Starved int
		Seconds, TPS                 float64
		TPSWithConnect               float64 `json:"tps_with_connect"`
	}
	Errors        []errorCount
	FirstConnects map[string]map[string]float64 `json:"first_connects"`
	LaterConnects map[string]map[string]float64 `json:"later_connects"`
	Statements    map[string]map[string]float64
	Counters      map[string]float64
	Metrics       map[string]struct{ Values map[string]float64 }
}

// inWindow returns how many values of a trend fell into the window.
func (f figures) inWindow(trend string) float64 {
	return f.Metrics[trend+"{phase:measure}"].Values["count"]
}

// runK6 runs k6 and returns what it printed.
func runK6(t *testing.T, environment []string, args ...string) []byte {
	t.Helper()
	out, err := k6(findK6(t), environment, args...).Output()
	if err != nil {
		t.Fatalf("k6 %v: %v\n%s", args, err, out)
	}
	return out
}

// runCell runs a lesson for a cell: half a second of two clients unless changed
// says otherwise.
func runCell(t *testing.T, lesson string, changed map[string]any) figures {
	t.Helper()
	file := filepath.Join(t.TempDir(), "summary.json")
	cell := map[string]any{"path": "direct", "dsn": testDSN(t), "clients": 2, "seconds": 0.5, "warmup_seconds": 0.5, "scale": 1, "summary": file, "seed": 1}
	maps.Copy(cell, changed)
	text, err := json.Marshal(cell)
	if err != nil {
		t.Fatal(err)
	}
	runK6(t, []string{"LAB_CELL=" + string(text)}, "run", "--quiet", lesson)
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var f figures
	if err := json.Unmarshal(written, &f); err != nil {
		t.Fatalf("%v in %s", err, written)
	}
	return f
}

func TestTour(t *testing.T) {
	var inspected struct {
		Ext struct {
			Lab struct {
				Lesson string
				Groups []struct{ Workload string }
			}
		}
	}
	if err := json.Unmarshal(runK6(t, nil, "inspect", "k6/lessons/00-tour.js"), &inspected); err != nil {
		t.Fatal(err)
	}
	if lab := inspected.Ext.Lab; lab.Lesson != "00-tour" || len(lab.Groups) != 3 {
		t.Errorf("k6 inspect shows %+v", lab)
	}
	for _, workload := range []string{"connect", "select"} {
		f := runCell(t, "k6/lessons/00-tour.js", map[string]any{"workload": workload, "rate": 20})
		turns := f.inWindow("pg_response")
		if want := 20 * f.Window.Seconds; turns < want-3 || turns > want+3 {
			t.Errorf("%s: %v turns in %v s", workload, turns, f.Window.Seconds)
		}
		if len(f.Errors) > 0 || f.Window.Ready != 2 || f.Window.Seconds < 0.5 {
			t.Errorf("%s: the summary says %+v", workload, f)
		}
		if f.FirstConnects["pg_connect_first_statement"]["count"] != 1 || f.LaterConnects["pg_connect"]["count"] < 1 {
			t.Errorf("%s: first connects are %v, later ones %v", workload, f.FirstConnects, f.LaterConnects)
		}
	}
}
