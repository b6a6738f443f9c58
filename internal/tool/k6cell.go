package tool

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"pooler-lab/internal/generator"
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/topology"
	"pooler-lab/internal/wording"
)

// A scriptRun is a script's cell and where its clients connect.
type scriptRun struct {
	cell  lesson.Cell
	at    topology.Endpoint
	scale int    // of the data
	seed  uint32 // of random numbers; 0: others in each run
}

// ofConnection are the settings that every script has.
var ofConnection = []string{"LAB_PATH", "LAB_LINK", "LAB_ROLE"}

// keys are the keys of an experiment in whose place a setting stands.
var keys = map[string]string{
	"LAB_PATH":           "paths",
	"LAB_ROLE":           "roles",
	"LAB_WORKLOAD":       "workload",
	"LAB_PROTOCOL":       "protocol",
	"LAB_CLIENTS":        "clients",
	"LAB_INSTANCES":      "instances",
	"LAB_INSTANCE_POOL":  "instance_pools",
	"LAB_HOT_ROWS":       "hot_rows",
	"LAB_TRANSACTIONS":   "transactions",
	"LAB_RATE":           "rate",
	"LAB_SECONDS":        "seconds",
	"LAB_WARMUP_SECONDS": "warmup_seconds",
	"LAB_PARAMS":         "params",
}

// ownSettings are those that are in no experiment.
var ownSettings = []string{"LAB_EXPERIMENT", "LAB_LINK", "LAB_SEED"}

// noPlan is the plan of a script that has none beside it.
const noPlan = `
title: A script
question: What does it measure?
explanation: It says so itself.
minutes: 1
experiments:
  - {name: script, workload: default, paths: [direct], latencies: [none], clients: [10], seconds: 5, warmup_seconds: 1}
`

// newScriptRun is the cell that a script runs: the first one of an experiment of its plan, changed by what was given.
func newScriptRun(set *topology.Set, given k6Arguments, plan *lesson.Lesson) (run scriptRun, err error) {
	name := given.settings["LAB_EXPERIMENT"]
	switch {
	case plan == nil && name != "":
		return run, errors.New("LAB_EXPERIMENT: the script has no plan beside it, and so no experiments")
	case plan == nil:
		if plan, err = lesson.Parse("script.yaml", []byte(noPlan)); err != nil {
			return run, err
		}
	}
	if name == "" {
		name = plan.Experiments[0].Name
	}
	full := slices.ContainsFunc(plan.Experiments, func(e lesson.Experiment) bool { return e.Name == name && e.FullOnly })
	o := lesson.Override{Experiments: []string{name}, Full: full, Values: map[string][]string{"driver": {lesson.K6}}}
	if err := read(given, o.Values, &run.seed); err != nil {
		return run, err
	}
	if err := plan.Apply(o); err != nil {
		return run, named(err, given)
	}
	return run, run.connect(set, given, plan)
}

// read takes over the settings: those of an experiment as keys of it, and the seed.
func read(given k6Arguments, of map[string][]string, seed *uint32) error {
	for _, name := range slices.Sorted(maps.Keys(given.settings)) {
		value := given.settings[name]
		key, isKey := keys[name]
		switch {
		case !given.ofLab && !slices.Contains(ofConnection, name):
		case isKey:
			of[key] = []string{value}
		case name == "LAB_SEED":
			n, err := strconv.ParseUint(value, 10, 32)
			if err != nil {
				return fmt.Errorf("%s=%s: give a whole number below %d", name, value, int64(1)<<32)
			}
			*seed = uint32(n)
		case !slices.Contains(ownSettings, name):
			return fmt.Errorf("%w; a script finds links and servers as they are: scripts/latency sets links, and only the run "+
				"of a lesson prepares servers", wording.Unknown("setting", name,
				slices.Concat(slices.Sorted(maps.Keys(keys)), ownSettings)))
		}
	}
	return nil
}

// named is an error of the plan with the setting that it comes from, where it comes from one.
func named(err error, given k6Arguments) error {
	var wrong *lesson.KeyError
	for _, name := range slices.Sorted(maps.Keys(given.settings)) {
		if errors.As(err, &wrong) && wrong.Key == keys[name] {
			return fmt.Errorf("%s=%s: %w", name, given.settings[name], err)
		}
	}
	return err
}

// needsARun names what of an experiment a script alone can't have, "" where it can have all.
func needsARun(e *lesson.Experiment) string {
	switch {
	case len(e.PoolSizes) > 0:
		return "pool_sizes"
	case len(e.Settings) > 0:
		return "settings"
	case e.ReplicationMS > 0:
		return "replication_ms"
	case e.BandwidthKBs > 0:
		return "bandwidth_kb_s"
	case e.FreshDatabase:
		return "fresh_database"
	}
	return ""
}

// loginRoles are the roles that can log in whenever they want: app_trust may only while a lesson's run lets it.
var loginRoles = []string{"app", "app_clear"}

// connect makes the cell of the plan's first experiment, and finds out where its clients connect: over the path's first
// link, unless another one or none was asked for.
func (r *scriptRun) connect(set *topology.Set, given k6Arguments, plan *lesson.Lesson) error {
	e := &plan.Experiments[0]
	name := e.Paths[0]
	if name == "*" {
		name = "direct"
	}
	p, err := usable(set, name)
	if err != nil {
		return err
	}
	link, asked := given.settings["LAB_LINK"]
	switch {
	case link == "none":
		link = ""
	case asked:
	case e.Link != "":
		link = e.Link
	case len(p.Links()) > 0:
		link = p.Links()[0]
	}
	if r.at, err = p.Endpoint(link); err != nil {
		return fmt.Errorf("LAB_LINK: %w", err)
	}
	cells := e.Over(lesson.PathTraits{Name: p.Name, OwnPool: p.ApplicationPool, Roles: loginRoles}, link)
	lacks := needsARun(e)
	if len(cells) == 0 {
		lacks = "roles"
	}
	if lacks != "" {
		return fmt.Errorf("experiment %s sets %s, which only a run of the lesson does: scripts/run %s --experiments %s",
			e.Name, lacks, plan.Name, e.Name)
	}
	r.cell = cells[0]
	return nil
}

// env is what a script is told.
func (r scriptRun) env() ([]string, error) {
	c := r.cell
	env, err := generator.Job{Cells: []generator.Task{{Cell: c, DSN: r.at.DSN(c.Role), Scale: r.scale, Seed: r.seed,
		Deadline: generator.BesideWindow(c) + c.Seconds}}}.Env()
	env = append(append(env, "LAB_PATH="+c.Path, "LAB_LINK="+c.Link), generator.GOGC(c.Clients)...)
	return append(env, r.at.Env(c.Role, topology.Password(c.Role))...), err
}
