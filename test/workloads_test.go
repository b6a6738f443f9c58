package test

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

// Every workload that a lesson names does what it is for: it runs with a few clients, for a moment, in one cell of the
// shortest group that has it, and nothing goes wrong but what that group has a column for. The tour is left out, since
// other tests run it.
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
			ran := map[work]bool{}
			for _, fixed := range []bool{false, true} {
				wanted := shortestGroups(l, fixed)
				if len(wanted) == 0 {
					continue
				}
				r := start(t, "run", append([]string{name}, narrowest(l, wanted, fixed)...)...).finished(t, 0)
				if r.Status != result.Finished {
					t.Errorf("the run is %s: %s", r.Status, r.Reason)
				}
				for _, c := range r.Cells {
					checkWork(t, name, c)
					ran[work{c.Workload, fixed}] = true
				}
				for workload, group := range wanted {
					if !ran[work{workload, fixed}] {
						t.Errorf("no cell of group %s ran the workload %s", group, workload)
					}
				}
			}
		})
	}
}

// work is what clients do in a cell: a workload, over and over or a fixed number of times.
type work struct {
	workload string
	fixed    bool
}

// narrowest are the options that leave of groups of a lesson the fewest cells and the shortest windows: of each the
// first path, and so on. Fixed work may take its time.
func narrowest(l *lesson.Lesson, wanted map[string]string, fixed bool) []string {
	clients, seconds := 4, "0.7"
	if fixed {
		seconds = "600"
	}
	of := map[string][]string{"--experiments": slices.Sorted(maps.Values(wanted))}
	for i := range l.Experiments {
		g := &l.Experiments[i]
		if !slices.Contains(of["--experiments"], g.Name) {
			continue
		}
		for _, n := range g.Instances {
			clients = max(clients, n)
		}
		for option, values := range map[string][]string{"--paths": g.Paths, "--protocols": g.Protocol, "--roles": g.Roles} {
			if !slices.ContainsFunc(values, func(v string) bool { return slices.Contains(of[option], v) }) && len(values) > 0 {
				of[option] = append(of[option], values[0])
			}
		}
	}
	options := []string{"--latencies", "none", "--repeats", "1", "--warmup", "0.3", "--clients", strconv.Itoa(clients),
		"--seconds", seconds}
	for option, values := range of {
		options = append(options, option, strings.Join(slices.Compact(values), ","))
	}
	return options
}

// shortestGroups names for each workload of a lesson, over and over or as fixed work, the group of its default size that
// takes the least time; one that has been chosen for another takes none.
func shortestGroups(l *lesson.Lesson, fixed bool) map[string]string {
	chosen := map[string]string{}
	cells := func(g *lesson.Experiment) int {
		if slices.Contains(slices.Collect(maps.Values(chosen)), g.Name) {
			return 0
		}
		return len(g.Paths) * len(g.Workload) * len(g.Protocol) * len(g.Roles) * max(1, len(g.PoolSizes)) *
			max(1, len(g.Instances)) * max(1, len(g.InstancePools))
	}
	for i := range l.Experiments {
		for _, workload := range l.Experiments[i].Workload {
			var best *lesson.Experiment
			for j := range l.Experiments {
				g := &l.Experiments[j]
				has := slices.Contains(g.Workload, workload) && g.Transactions > 0 == fixed && !g.FullOnly
				if has && (best == nil || cells(g) < cells(best)) {
					best = g
				}
			}
			if best != nil { // else it belongs to the full size alone, or to the other kind
				chosen[workload] = best.Name
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
		if e.Code == "cancelled" || e.Code == "57014" { // it was under way when the time of its cell was over
			continue
		}
		refused := e.Code == "53300" && slices.Contains(c.Metrics, "refused")
		if !refused && !slices.Contains(c.Metrics, "errors:"+e.Code) {
			t.Errorf("%s: %s has %d errors %s (%s), and no column for them: %s", lesson, c.ID, e.Count, e.Code, e.Phase,
				e.Message)
		}
	}
}
