package test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

// Every workload that a lesson names does what it is for: it runs with ten clients, in the shortest group that has it.
// Nothing goes wrong but what that group has a column for. The tour is left out, since other tests run it.
func TestEveryWorkloadOfEveryLessonRuns(t *testing.T) {
	folder := filepath.Join(root, "k6", "lessons")
	names, err := lesson.Names(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.DeleteFunc(names, func(n string) bool { return n == "00-tour" }) {
		t.Run(name, func(t *testing.T) {
			l, err := lesson.Read(filepath.Join(folder, name+".js"))
			if err != nil {
				t.Fatal(err)
			}
			wanted := shortestGroups(l)
			r := start(t, "run", name, "--experiments", strings.Join(slices.Compact(slices.Sorted(maps.Values(wanted))), ","),
				"--latencies", "none", "--clients", "10", "--repeats", "1").finished(t, 0)
			if r.Status != result.Finished {
				t.Errorf("the run is %s: %s", r.Status, r.Reason)
			}
			for work, group := range wanted {
				if !slices.ContainsFunc(r.Cells, func(c result.Cell) bool {
					return c.Experiment == group &&
						c.Workload == work.workload
				}) {
					t.Errorf("no cell of group %s ran the workload %s", group, work.workload)
				}
			}
			for _, c := range r.Cells {
				checkWork(t, name, c)
			}
		})
	}
}

// work is what clients do in a cell: a workload, over and over or a fixed number of times.
type work struct {
	workload string
	fixed    bool
}

// shortestGroups names for each work of a lesson the group of its default size that takes the least time; one that
// has been chosen for another takes none.
func shortestGroups(l *lesson.Lesson) map[work]string {
	chosen := map[work]string{}
	seconds := func(g *lesson.Experiment) float64 {
		if slices.Contains(slices.Collect(maps.Values(chosen)), g.Name) {
			return 0
		}
		cells := len(g.Paths) * len(g.Workload) * len(g.Clients) * len(g.Protocol) * len(g.Roles) * max(1,
			len(g.PoolSizes)) * max(1, len(g.Instances)) * max(1, len(g.InstancePools))
		return float64(cells) * (g.Warmup + g.Seconds)
	}
	for i := range l.Experiments {
		for _, workload := range l.Experiments[i].Workload {
			w := work{workload, l.Experiments[i].Transactions > 0}
			var best *lesson.Experiment
			for j := range l.Experiments {
				g := &l.Experiments[j]
				has := slices.Contains(g.Workload, workload) && g.Transactions > 0 == w.fixed && !g.FullOnly
				if has && (best == nil || seconds(g) < seconds(best)) {
					best = g
				}
			}
			if best != nil { // else it belongs to the full size alone
				chosen[w] = best.Name
			}
		}
	}
	return chosen
}

// checkWork wants a cell to have got something done, and its errors to be ones that its own table tells of.
func checkWork(t *testing.T, lesson string, c result.Cell) {
	t.Helper()
	last := c.Last()
	if c.Status != result.OK || last == nil {
		t.Errorf("%s: %s is %s: %s", lesson, c.ID, c.Status, c.Reason)
		return
	}
	m := last.Measured
	if finished := m.Finish != nil && m.Finish.TPS > 0; m.Transactions == 0 || c.Transactions > 0 && !finished {
		t.Errorf("%s: %s got nothing done: %d transactions, finish %+v", lesson, c.ID, m.Transactions, m.Finish)
	}
	for _, e := range m.Errors {
		if e.Code == "cancelled" { // it was under way when the time of its cell was over
			continue
		}
		refused := e.Code == "53300" && slices.Contains(c.Metrics, "refused")
		if !refused && !slices.Contains(c.Metrics, "errors:"+e.Code) {
			t.Errorf("%s: %s has %d errors %s (%s), and no column for them: %s", lesson, c.ID, e.Count, e.Code, e.Phase,
				e.Message)
		}
	}
}
