package lesson

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/grafana/sobek"
	"gopkg.in/yaml.v3"

	"pooler-lab/internal/wording"
)

// PlanOf is the file of the plan that belongs to a script; of a plan it is the plan.
func PlanOf(script string) string { return strings.TrimSuffix(script, filepath.Ext(script)) + ".yaml" }

// Read reads the plan beside a script, and checks that the script exports the workloads that the plan names. A plan
// whose experiments have scenarios has no script.
func Read(script string) (*Lesson, error) {
	file := PlanOf(script)
	plan, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the lesson's plan: %w", err)
	}
	l, err := Parse(file, plan)
	if err != nil {
		return nil, err
	}
	if !l.hasWorkloads() {
		l.File, l.SHA256 = file, digest(plan)
		return l, nil
	}
	text, err := os.ReadFile(script)
	if err != nil {
		return nil, fmt.Errorf("read the lesson's script: %w", err)
	}
	workloads, err := exports(script, string(text))
	if err != nil {
		return nil, err
	}
	if err := l.checkWorkloads(file, workloads); err != nil {
		return nil, err
	}
	if err := l.checkPgbench(file, workloads); err != nil {
		return nil, err
	}
	l.File, l.SHA256 = script, digest(slices.Concat(plan, text))
	return l, nil
}

// digest is the text's SHA-256, in hex.
func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Parse reads a plan. Errors name file and line.
func Parse(file string, plan []byte) (*Lesson, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(plan, &document); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(document.Content) == 0 {
		return nil, fmt.Errorf("%s: the plan is empty", file)
	}
	return fromNode(file, document.Content[0])
}

func fromNode(file string, root *yaml.Node) (*Lesson, error) {
	if err := check(file, schemaOfPlan, root); err != nil {
		return nil, err
	}
	l := &Lesson{About: About{Name: strings.TrimSuffix(filepath.Base(file), ".yaml")}}
	if err := root.Decode(l); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	l.Prediction, l.Explanation = strings.TrimSpace(l.Prediction), strings.TrimSpace(l.Explanation)
	defaults := valueOf(root, "defaults")
	for _, key := range []string{"experiments", "side_experiments"} {
		list := valueOf(root, key)
		if list == nil {
			continue
		}
		for _, node := range list.Content {
			e := Experiment{Side: key == "side_experiments", plan: with(defaults, node)}
			e.full = valueOf(e.plan, "full")
			if err := e.decode(); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", file, node.Line, err)
			}
			l.Experiments = append(l.Experiments, e)
		}
	}
	if err := l.validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if err := l.validateFull(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return l, nil
}

// usual is what an experiment has for a key that its plan doesn't give.
var usual = map[string]string{"protocol": "prepared", "driver": K6, "roles": usualRole}

// decode gives the experiment the fields that its plan has, once the schema has nothing against them.
func (e *Experiment) decode() error {
	name := valueOf(e.plan, "name").Value
	if err := check("", schemaOfExperiment, e.plan); err != nil {
		if valueOf(e.plan, "scenarios") != nil && strings.HasSuffix(err.Error(), refused) {
			err = fmt.Errorf("%w beside scenarios: they are what two clients do, and nothing else", err)
		}
		return fmt.Errorf("experiment %s: %w", name, err)
	}
	fresh := Experiment{Repeats: 1,
		Protocol: Words{usual["protocol"]}, Driver: Words{usual["driver"]}, Roles: Words{usual["roles"]}}
	fresh.Side, fresh.Changed, fresh.plan, fresh.full = e.Side, e.Changed, e.plan, e.full
	if err := e.plan.Decode(&fresh); err != nil {
		return fmt.Errorf("experiment %s: %w", name, err)
	}
	if fresh.Scenarios != nil {
		fresh.Workload, fresh.Driver, fresh.Protocol = Words{"scenarios"}, Words{Itself}, Words{"simple"}
		fresh.Clients = []int{2}
	}
	*e = fresh
	return nil
}

// hasWorkloads says whether clients of the lesson run its script.
func (l *Lesson) hasWorkloads() bool {
	return slices.ContainsFunc(l.Experiments, func(e Experiment) bool { return e.Scenarios == nil })
}

// exports are the names that a script exports itself, without its default and its options.
func exports(file, script string) (names []string, err error) {
	nothing := func(any, string) (sobek.ModuleRecord, error) { return sobek.ParseModule("", "", nil) } // of export *
	module, err := sobek.ParseModule(file, script, nothing)
	if err != nil {
		return nil, fmt.Errorf("read the lesson's script: %w", err)
	}
	module.GetExportedNames(func(all []string) { names = all })
	return slices.DeleteFunc(names, func(n string) bool { return n == "default" || n == "options" }), nil
}

// checkWorkloads returns an error for the first workload that the script doesn't export.
func (l *Lesson) checkWorkloads(file string, known []string) error {
	for _, e := range l.Experiments {
		for _, name := range e.Workload {
			if e.Scenarios == nil && !slices.Contains(known, name) {
				return fmt.Errorf("%s:%d: experiment %s: %w: each workload is a function that the script exports",
					file, valueOf(e.plan, "workload").Line, e.Name, wording.Unknown("workload", name, known))
			}
		}
	}
	return nil
}
