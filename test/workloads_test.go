package test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

// Every workload of every lesson does what it is for: a few clients do it a few times, as an experiment of the lesson
// has it, and nothing goes wrong but what that experiment has a column for. The tour and 12-state, which has no
// workload, are left out: other tests run them.
func TestEveryWorkloadOfEveryLessonRuns(t *testing.T) {
	folder := filepath.Join(root, "k6", "lessons")
	names, err := lesson.Names(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.DeleteFunc(names, func(n string) bool { return n == "00-tour" || n == "12-state" }) {
		t.Run(name, func(t *testing.T) {
			script, err := os.ReadFile(filepath.Join(folder, name+".js"))
			if err != nil {
				t.Fatal(err)
			}
			plan, workloads := fewTimes(t, filepath.Join(folder, name+".yaml"))
			savePlan(t, "96-"+name, plan, string(script))
			r := start(t, "run", "96-"+name).finished(t, 0)
			if r.Status != result.Finished || len(r.Cells) != workloads {
				t.Errorf("the run is %s (%s), with %d cells for %d workloads", r.Status, r.Reason, len(r.Cells), workloads)
			}
			for _, c := range r.Cells {
				checkWork(t, name, c)
			}
		})
	}
}

// An experiment is one of a plan, as it is written.
type experiment map[string]any

// fewTimes is the plan of a lesson with each of its workloads in one cell: fixed work over the first path and role of
// the first experiment that has it. It returns how many those are, too.
func fewTimes(t *testing.T, file string) (plan string, workloads int) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var full struct {
		Defaults    experiment
		Experiments []experiment
		Side        []experiment `yaml:"side_experiments"`
	}
	if err := yaml.Unmarshal(text, &full); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	var few []experiment
	for _, e := range append(full.Experiments, full.Side...) {
		whole := maps.Clone(full.Defaults)
		maps.Copy(whole, e)
		if whole["full_only"] == true || whole["driver"] != nil {
			continue
		}
		for _, workload := range list(whole["workload"]) {
			if name := fmt.Sprint(workload); !seen[name] {
				seen[name] = true
				few = append(few, whole.of(name))
			}
		}
	}
	written, err := yaml.Marshal(map[string]any{"title": "Few times", "question": "Does each workload run?",
		"explanation": "It has to.", "minutes": 1, "experiments": few})
	if err != nil {
		t.Fatal(err)
	}
	return string(written), len(few)
}

// of is the experiment with one workload, in one cell of fixed work.
func (e experiment) of(workload string) experiment {
	one := maps.Clone(e)
	one["name"], one["workload"], one["latencies"] = strings.ToLower(workload), workload, []string{"none"}
	for _, key := range []string{"paths", "protocol", "roles", "pool_sizes", "instances", "instance_pools", "hot_rows"} {
		if all := list(e[key]); len(all) > 0 {
			one[key] = all[:1]
		}
	}
	clients := 2
	for _, instances := range list(one["instances"]) {
		clients = max(clients, instances.(int))
	}
	times := 2
	if own, fixed := one["transactions"].(int); fixed {
		times = min(times, own)
	}
	one["clients"], one["transactions"], one["seconds"], one["warmup_seconds"] = []int{clients}, times, 600, 0
	for _, key := range []string{"rate", "repeats", "full", "full_only", "bandwidth_kb_s", "link", "in_blocks",
		"events", "overload"} {
		delete(one, key)
	}
	return one
}

// list is a value of a plan that may be one or several.
func list(value any) []any {
	switch v := value.(type) {
	case nil:
		return nil
	case []any:
		return v
	}
	return []any{value}
}

// checkWork wants a cell to have got its work done, and its errors to be ones that its own table tells of.
func checkWork(t *testing.T, lesson string, c result.Cell) {
	t.Helper()
	last := c.Last()
	if last == nil {
		t.Errorf("%s: %s is %s: %s", lesson, c.ID, c.Status, reasons(c))
		return
	}
	m := last.Measured
	if len(m.Errors) == 0 && (m.Finish == nil || m.Finish.Finished != c.Clients) {
		t.Errorf("%s: %s got nothing done: %d transactions, finish %+v", lesson, c.ID, m.Transactions, m.Finish)
	}
	for _, e := range m.Errors {
		refused := e.Code == "53300" && slices.Contains(c.Metrics, "refused")
		if !refused && !slices.Contains(c.Metrics, "errors:"+e.Code) {
			t.Errorf("%s: %s has %d errors %s (%s), and no column for them: %s", lesson, c.ID, e.Count, e.Code, e.Phase,
				e.Message)
		}
	}
}
