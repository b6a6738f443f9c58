package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"pooler-lab/internal/k6run"
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/server"
	"pooler-lab/internal/suggest"
	"pooler-lab/internal/topology"
)

// A scriptRun is a script's cell and where its clients connect.
type scriptRun struct {
	cell      k6run.Cell
	at        topology.Endpoint
	latencies []lesson.Latency // that the plan has on the link
}

// ofConnection are the settings that every script has.
var ofConnection = []string{"LAB_PATH", "LAB_LINK", "LAB_ROLE"}

// ofCell are the settings that change a cell, by name.
var ofCell = map[string]func(*k6run.Cell, string) error{
	"LAB_PATH":           text(func(c *k6run.Cell) *string { return &c.Path }),
	"LAB_ROLE":           oneOf(func(c *k6run.Cell) *string { return &c.Role }, loginRoles...),
	"LAB_WORKLOAD":       text(func(c *k6run.Cell) *string { return &c.Workload }),
	"LAB_PROTOCOL":       oneOf(func(c *k6run.Cell) *string { return &c.Protocol }, "simple", "extended", "prepared"),
	"LAB_CLIENTS":        whole(func(c *k6run.Cell) *int { return &c.Clients }, 1),
	"LAB_INSTANCES":      whole(func(c *k6run.Cell) *int { return &c.Instances }, 0),
	"LAB_INSTANCE_POOL":  whole(func(c *k6run.Cell) *int { return &c.InstancePool }, 1),
	"LAB_TRANSACTIONS":   whole(func(c *k6run.Cell) *int { return &c.Transactions }, 0),
	"LAB_RATE":           number(func(c *k6run.Cell) *float64 { return &c.Rate }, 0),
	"LAB_SECONDS":        number(func(c *k6run.Cell) *float64 { return &c.Seconds }, shortest),
	"LAB_WARMUP_SECONDS": number(func(c *k6run.Cell) *float64 { return &c.Warmup }, 0),
	"LAB_SEED":           setSeed,
	"LAB_PARAMS":         setParams,
}

// elsewhere says how to have what a script alone can't.
var elsewhere = map[string]string{
	"LAB_LATENCY":            setTheLink,
	"LAB_LATENCY_MS":         setTheLink,
	"LAB_LATENCIES":          setTheLink,
	"LAB_BANDWIDTH_KB_S":     "set the link first: scripts/latency 0 LINK --bandwidth 1000",
	"LAB_REPLICATION_MS":     "set the link first: scripts/latency 20ms primary-standby",
	"LAB_SCALE":              "the data has the scale it was loaded with: LAB_SCALE in .env, then scripts/reset",
	"LAB_DSN":                "LAB_PATH says where to connect",
	"LAB_CELL":               "LAB_PATH, LAB_CLIENTS and so on change the cell",
	"LAB_GROUP":              "it is LAB_EXPERIMENT",
	"LAB_PODS":               "it is LAB_INSTANCES",
	"LAB_POD_POOL":           "it is LAB_INSTANCE_POOL",
	"LAB_POOL_SIZE":          onlyRuns,
	"LAB_SETTINGS":           onlyRuns,
	"LAB_FRESH_DATABASE":     onlyRuns,
	"LAB_FILL_POOLS":         onlyRuns,
	"LAB_WRITES":             onlyRuns,
	"LAB_REPEATS":            onlyRuns,
	"LAB_REPEATS_WANTED":     onlyRuns,
	"LAB_SAMPLES_PER_SECOND": onlyRuns,
}

const (
	setTheLink = "a script goes over the link as it is: set it first, as in scripts/latency 10ms client-primary"
	onlyRuns   = "only the run of a lesson prepares servers: scripts/run"
)

// newScriptRun is the cell that a script runs: its plan's, changed by what was given.
func newScriptRun(set *topology.Set, given k6Arguments, plan *lesson.Lesson) (scriptRun, error) {
	run := scriptRun{cell: k6run.Cell{Cell: lesson.Cell{
		Path: "direct", Role: user, Protocol: "prepared", Clients: 10, Seconds: 5, Warmup: 1}}}
	wanted := ""
	if plan != nil {
		e, err := experimentOf(plan, given.settings["LAB_EXPERIMENT"])
		if err != nil {
			return run, err
		}
		wanted = e.Link
		run.cell, run.latencies = cellOf(e), e.Latencies
	} else if given.settings["LAB_EXPERIMENT"] != "" {
		return run, fmt.Errorf("LAB_EXPERIMENT: %w", errNoPlan)
	}
	if err := change(&run.cell, given); err != nil {
		return run, err
	}
	return run, run.connect(set, given, wanted)
}

// experimentOf finds the plan's experiment of that name, the first one where none is named. What its servers would have
// to be prepared for, only a run of the lesson does.
func experimentOf(plan *lesson.Lesson, name string) (*lesson.Experiment, error) {
	var names []string
	for i := range plan.Experiments {
		e := &plan.Experiments[i]
		names = append(names, e.Name)
		if name != e.Name && name != "" {
			continue
		}
		if key := needsARun(e); key != "" {
			return nil, fmt.Errorf("experiment %s sets %s, which only a run of the lesson does: scripts/run %s --experiments %s",
				e.Name, key, plan.Name, e.Name)
		}
		return e, nil
	}
	return nil, suggest.Unknown("experiment", name, names)
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
	case !slices.ContainsFunc(e.Roles, logsIn):
		return "roles"
	}
	return ""
}

// loginRoles are the roles that can log in whenever they want: app_trust may only while a lesson's run lets it.
var loginRoles = []string{"app", "app_clear"}

func logsIn(role string) bool { return slices.Contains(loginRoles, role) }

// cellOf is the first cell of an experiment.
func cellOf(e *lesson.Experiment) k6run.Cell {
	role := e.Roles[slices.IndexFunc(e.Roles, logsIn)]
	c := k6run.Cell{Cell: lesson.Cell{Path: e.Paths[0], Role: role, Workload: e.Workload[0], Protocol: e.Protocol[0],
		Clients: e.Clients[0], Rate: e.Rate, Seconds: e.Seconds, Warmup: e.Warmup, Transactions: e.Transactions}}
	if c.Path == "*" {
		c.Path = "direct"
	}
	if len(e.Instances) > 0 {
		c.Instances = e.Instances[0]
	}
	if len(e.InstancePools) > 0 {
		c.InstancePool = e.InstancePools[0]
	}
	if params, err := json.Marshal(e.Params); err == nil && string(params) != "null" {
		c.Params = params
	}
	return c
}

// change gives the cell what was given for it.
func change(c *k6run.Cell, given k6Arguments) error {
	for _, name := range slices.Sorted(maps.Keys(given.settings)) {
		if name == "LAB_LINK" || name == "LAB_EXPERIMENT" {
			continue
		}
		set, ok := ofCell[name]
		instead, isElsewhere := elsewhere[name]
		switch {
		case ok:
			if err := set(c, given.settings[name]); err != nil {
				return fmt.Errorf("%s=%s: %w", name, given.settings[name], err)
			}
		case isElsewhere && given.ofLab:
			return fmt.Errorf("%s can't be given to a script: %s", name, instead)
		case given.ofLab:
			return unknownSetting(name)
		}
	}
	if c.Transactions > 0 && c.Rate > 0 {
		return errors.New("a cell has a rate or a number of transactions, not both: give LAB_RATE=0 or LAB_TRANSACTIONS=0")
	}
	return nil
}

// unknownSetting is the error for a name that is no setting.
func unknownSetting(name string) error {
	known := append(slices.Sorted(maps.Keys(ofCell)), "LAB_LINK", "LAB_EXPERIMENT")
	lower := strings.Fields(strings.ToLower(strings.Join(known, " ")))
	hint := ""
	if closest := suggest.Closest(name, lower); closest != "" {
		hint = " did you mean " + strings.ToUpper(closest) + "?"
	}
	return fmt.Errorf("unknown setting %s:%s there are %s", name, hint, strings.Join(known, ", "))
}

// connect finds out where the clients connect: over the path's first link, unless another one or none was asked for.
func (r *scriptRun) connect(set *topology.Set, given k6Arguments, wanted string) error {
	p, err := set.Find(r.cell.Path)
	if err != nil {
		return err
	}
	if off := p.Unavailable(); off != "" {
		return fmt.Errorf("path %s can't be used: %s", p.Name, off)
	}
	link, asked := given.settings["LAB_LINK"]
	switch {
	case link == "none":
		link = ""
	case asked:
	case wanted != "":
		link = wanted
	case len(p.Links()) > 0:
		link = p.Links()[0]
	}
	if r.at, err = p.Endpoint(link); err != nil {
		return fmt.Errorf("LAB_LINK: %w", err)
	}
	r.cell.Link, r.cell.DSN = link, r.at.DSN(r.cell.Role)
	if p.ApplicationPool && r.cell.Instances == 0 {
		r.cell.Instances = 1
	}
	if r.cell.Instances > 0 && r.cell.InstancePool == 0 {
		r.cell.InstancePool = min((r.cell.Clients+r.cell.Instances-1)/r.cell.Instances, mostOwnPool)
	}
	connections := max(r.cell.Clients, r.cell.Instances*r.cell.InstancePool)
	r.cell.Deadline = k6run.GettingReady(connections) + r.cell.Warmup + r.cell.Seconds + slack
	return nil
}

// shortest is the least length of a window, in seconds: that of a scenario of k6.
const shortest = 1

// mostOwnPool is how many connections the pool of an application has where nobody says, and slack is how many seconds a
// script may take beside its window.
const (
	mostOwnPool = 10
	slack       = 20
)

// env is what a script is told.
func (r scriptRun) env() ([]string, error) {
	env, err := k6run.Trial{Cells: []k6run.Cell{r.cell}}.Env()
	env = append(env, "LAB_PATH="+r.cell.Path, "LAB_LINK="+r.cell.Link)
	return append(env, r.at.Env(r.cell.Role, server.Password(r.cell.Role))...), err
}

func text(of func(*k6run.Cell) *string) func(*k6run.Cell, string) error {
	return func(c *k6run.Cell, value string) error {
		*of(c) = value
		return nil
	}
}

func oneOf(of func(*k6run.Cell) *string, known ...string) func(*k6run.Cell, string) error {
	return func(c *k6run.Cell, value string) error {
		if !slices.Contains(known, value) {
			return fmt.Errorf("it can be %s", strings.Join(known, ", "))
		}
		*of(c) = value
		return nil
	}
}

func whole(of func(*k6run.Cell) *int, least int) func(*k6run.Cell, string) error {
	return func(c *k6run.Cell, value string) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < least {
			return fmt.Errorf("give a whole number from %d on", least)
		}
		*of(c) = n
		return nil
	}
}

func number(of func(*k6run.Cell) *float64, least float64) func(*k6run.Cell, string) error {
	return func(c *k6run.Cell, value string) error {
		n, err := strconv.ParseFloat(value, 64)
		if err != nil || n < least || math.IsInf(n, 0) {
			return fmt.Errorf("give a number from %g on", least)
		}
		*of(c) = n
		return nil
	}
}

func setSeed(c *k6run.Cell, value string) error {
	n, err := strconv.ParseUint(value, 10, 32)
	if err != nil {
		return fmt.Errorf("give a whole number below %d", int64(1)<<32)
	}
	c.Seed = uint32(n)
	return nil
}

func setParams(c *k6run.Cell, value string) error {
	var params map[string]any
	if err := json.Unmarshal([]byte(value), &params); err != nil || params == nil {
		return errors.New(`give an object, such as '{"rows": 10}'`)
	}
	c.Params = json.RawMessage(value)
	return nil
}
