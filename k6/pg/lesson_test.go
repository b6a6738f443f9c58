package pg

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

func TestTour(t *testing.T) {
	binary := findK6(t)
	run := func(environment []string, args ...string) []byte {
		t.Helper()
		out, err := k6(binary, environment, args...).Output()
		if err != nil {
			t.Fatalf("k6 %v: %v\n%s", args, err, out)
		}
		return out
	}

	var inspected struct {
		Ext struct {
			Lab struct {
				Lesson string
				Groups []struct{ Workload string }
			}
		}
	}
	if err := json.Unmarshal(run(nil, "inspect", "k6/lessons/00-tour.js"), &inspected); err != nil {
		t.Fatal(err)
	}
	if lab := inspected.Ext.Lab; lab.Lesson != "00-tour" || len(lab.Groups) != 3 {
		t.Errorf("k6 inspect shows %+v", lab)
	}

	for _, workload := range []string{"connect", "select"} {
		file := filepath.Join(t.TempDir(), "summary.json")
		cell, err := json.Marshal(map[string]any{
			"path": "direct", "dsn": testDSN(t), "workload": workload, "clients": 2, "rate": 20,
			"seconds": 0.5, "warmup_seconds": 0.5, "protocol": "prepared", "scale": 1, "summary": file, "seed": 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		run([]string{"LAB_CELL=" + string(cell)}, "run", "--quiet", "k6/lessons/00-tour.js")
		written, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var summary struct {
			Window struct {
				Seconds float64
				Ready   int
			}
			Errors  []errorCount
			Metrics map[string]struct{ Values map[string]float64 }
		}
		if err := json.Unmarshal(written, &summary); err != nil {
			t.Fatal(err)
		}
		turns := summary.Metrics["pg_response{phase:measure}"].Values["count"]
		if want := 20 * summary.Window.Seconds; turns < want-3 || turns > want+3 {
			t.Errorf("%s: %v turns in %v s", workload, turns, summary.Window.Seconds)
		}
		if len(summary.Errors) > 0 || summary.Window.Ready != 2 || summary.Window.Seconds < 0.5 {
			t.Errorf("%s: the summary says %s", workload, written)
		}
	}
}
