package test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"pooler-lab/internal/driver"
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/topology"
	"pooler-lab/k6/summary"
)

// The cells of the comparison: ten clients on each of two paths, whose ratio is far from 1.
const (
	slotClients = 10
	slotGroups  = outcome.FewestGroups
	windows     = 6   // of each path
	windowTime  = 2.0 // seconds
)

// agreeing are what both ways to measure have to agree on, with the figure of a group's side or of a window.
var agreeing = map[string]struct {
	group  func(summary.GroupFigure) float64
	window func(*summary.Summary) float64
}{
	"tps": {
		func(g summary.GroupFigure) float64 { return g.Counters["pg_transactions"] / g.Seconds },
		func(s *summary.Summary) float64 {
			return float64(s.Count("pg_transactions", summary.Measured)) / s.Window.Seconds
		},
	},
	"p50": {
		func(g summary.GroupFigure) float64 { return g.Trends["pg_statement"].Med },
		func(s *summary.Summary) float64 { return s.Trends["pg_statement"][summary.Measured].Med },
	},
}

// BenchmarkSlotsAgreeWithWindows: two paths have the same ratio whether their clients alternate in short slots, in
// longer ones, or each path has windows of its own.
func BenchmarkSlotsAgreeWithWindows(t *testing.B) {
	const most = 1.5 // room for more than that says nothing
	ratios := map[string]map[string]outcome.Interval{
		"slots of 300 ms": ofSlots(t, 300), "windows": ofWindows(t), "slots of 500 ms": ofSlots(t, 500),
	}
	for metric := range agreeing {
		for one, of := range ratios {
			t.Logf("%s in %s: %.3f (%.3f to %.3f)", metric, one, of[metric].Center, of[metric].Lo, of[metric].Hi)
			for other, with := range ratios {
				if one >= other {
					continue
				}
				name, a, b := metric+", "+one+" and "+other, of[metric], with[metric]
				t.Run(name, func(t *testing.B) {
					// How far they may be apart, as a factor: their intervals, and as much again.
					room := math.Exp(math.Log(a.Hi/a.Lo) + math.Log(b.Hi/b.Lo))
					if room > most {
						t.Skipf("the intervals are too wide: ratios may be %.2g times apart", room)
					}
					figure(t, "slots: "+name, a.Center/b.Center, "", 1/room, room)
				})
			}
		}
	}
}

// slotCell is a cell of the comparison.
func slotCell(t testing.TB, path string) driver.Cell {
	t.Helper()
	services := map[string]topology.Endpoint{
		"direct": primary, "pgbouncer-transaction": {Host: "pgbouncer", Port: 6432, DBName: "lab"},
	}
	return driver.Cell{Cell: lesson.Cell{Path: path, Role: "app", Workload: "select", Protocol: "prepared",
		Clients: slotClients, Seconds: windowTime, Warmup: 1}, DSN: services[path].DSN("app"), Deadline: 60,
		Scale: labScale(t)}
}

// runInLab runs k6 in the lab's container for what env says, and returns the lines of the groups and the summary.
func runInLab(t testing.TB, env []string, into any) (groups string) {
	t.Helper()
	args := []string{"exec"}
	for _, e := range env {
		if !strings.HasPrefix(e, "LAB_PAIR_PASSWORDS") { // PGPASSWORD holds for both
			args = append(args, "-e", e)
		}
	}
	const script = `set -e; rm -f /tmp/slots.*; export PGPASSWORD=$APP_PASSWORD
		k6 run --quiet --no-color --summary-mode disabled --no-thresholds --out lab=/tmp/slots.json ` + lessonFile + ` >&2
		cat /tmp/slots.json; [ ! -e /tmp/slots.groups ] || cat /tmp/slots.groups; rm -f /tmp/slots.*`
	out := docker(t, append(args, container("lab"), "sh", "-c", script)...)
	decoder := json.NewDecoder(strings.NewReader(out))
	if err := decoder.Decode(into); err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	return out[decoder.InputOffset():]
}

// ofSlots are the ratios of a pair whose slots have that length.
func ofSlots(t testing.TB, milliseconds float64) map[string]outcome.Interval {
	t.Helper()
	const lead = 165.0 // at least, on average
	pair := driver.Trial{SlotMS: milliseconds, AtMost: (slotGroups + 1) * 4 * (milliseconds + lead) / 1000,
		End: 120, Seed: 7, Groups: "/tmp/slots.groups",
		Cells: []driver.Cell{slotCell(t, "direct"), slotCell(t, "pgbouncer-transaction")}}
	env, err := pair.Env()
	if err != nil {
		t.Fatal(err)
	}
	var p summary.Test
	text := runInLab(t, env, &p)
	if p.TooSlow != "" || p.Failure != "" || p.SlotMS != milliseconds {
		t.Fatalf("the pair is %+v", p)
	}
	figures := map[string][][2]float64{}
	for line := range bytes.Lines([]byte(strings.TrimSpace(text))) {
		var g summary.Group
		if err := json.Unmarshal(line, &g); err != nil {
			t.Fatal(err)
		}
		for metric, figure := range agreeing {
			figures[metric] = append(figures[metric], [2]float64{figure.group(g.Sides[0]), figure.group(g.Sides[1])})
		}
	}
	for side, s := range p.Sides {
		if s.Window.Ready != slotClients || len(s.Errors) > 0 {
			t.Errorf("side %d ended with %+v", side, s.Ending)
		}
	}
	ratios := map[string]outcome.Interval{}
	for metric, f := range figures {
		if ratios[metric] = outcome.Groups(f); !ratios[metric].Known() {
			t.Fatalf("%d groups of %v ms: %+v", len(f), milliseconds, ratios[metric])
		}
	}
	return ratios
}

// ofWindows are the ratios of windows: the two paths follow each other, now one first and now the other.
func ofWindows(t testing.TB) map[string]outcome.Interval {
	t.Helper()
	values := map[string][]float64{}
	for block := range windows {
		var figures [summary.Sides]map[string]float64
		for at := range summary.Sides {
			side := (at + block) % summary.Sides
			cell := slotCell(t, []string{"direct", "pgbouncer-transaction"}[side])
			env, err := driver.Trial{Cells: []driver.Cell{cell}}.Env()
			if err != nil {
				t.Fatal(err)
			}
			var seen summary.Test
			runInLab(t, env, &seen)
			figures[side] = map[string]float64{}
			for metric, figure := range agreeing {
				figures[side][metric] = figure.window(seen.Sides[0])
			}
		}
		for metric := range agreeing {
			values[metric] = append(values[metric], figures[0][metric]/figures[1][metric])
		}
	}
	ratios := map[string]outcome.Interval{}
	for metric, f := range values {
		ratios[metric] = outcome.Summary(f)
	}
	return ratios
}
