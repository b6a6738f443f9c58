package lesson

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Limits of what a lesson or the command line may ask for: beyond them it is a typing error.
const (
	maxClients      = 10000
	maxSeconds      = 3600
	maxRepeats      = 1000
	maxRate         = 1_000_000
	maxLatencyMS    = 60000
	maxPool         = 1000
	maxPods         = 1000
	maxTransactions = 1_000_000
	maxBandwidth    = 10_000_000 // KB a second
	maxWaitsHz      = 1000
	minScenario     = 1 // seconds that k6 wants a warm-up and its window to take together
)

var (
	// protocols are the ways in which k6/x/pg can send a statement.
	protocols = []string{"simple", "extended", "prepared"}
	// roles are the ways in which a client can log in.
	roles = []string{"app", "app_clear", "app_trust"}
	// components have settings that a group can turn.
	components = []string{"primary", "standby", "pgbouncer"}

	settingName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
)

func (l *Lesson) validate() error {
	if l.Name == "" || l.Title == "" || l.Question == "" {
		return errors.New("options.ext.lab needs a lesson, a title and a question")
	}
	if len(l.Experiments) == 0 {
		return errors.New("options.ext.lab has no groups, so there is nothing to measure")
	}
	var names []string
	for _, g := range l.Experiments {
		if slices.Contains(names, g.Name) {
			return fmt.Errorf("two groups are called %q", g.Name)
		}
		names = append(names, g.Name)
		if err := g.validate(); err != nil {
			return fmt.Errorf("group %q: %w", g.Name, err)
		}
		if l.Full == nil && (g.FullOnly || len(g.Full) > 0) {
			return fmt.Errorf("group %q is larger in the full size, and the lesson doesn't say what that needs: full is missing", g.Name)
		}
	}
	return nil
}

func (g *Experiment) validate() error {
	if !plainName(g.Name) {
		return errors.New("name must be lower-case letters, digits and hyphens")
	}
	if len(g.Workload) == 0 || len(g.Paths) == 0 || len(g.Latencies) == 0 || len(g.Clients) == 0 {
		return errors.New("workload, paths, latencies and clients each need a value")
	}
	for _, part := range []func() error{g.validateTimes, g.validateClients, g.validatePools, g.validateNetwork, g.validateSettings, g.validateRest} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// within says whether v lies between two limits or on one; what isn't a number doesn't.
func within(v, least, most float64) bool { return v >= least && v <= most }

func (g *Experiment) validateTimes() error {
	switch {
	case !within(g.Rate, 0, maxRate):
		return fmt.Errorf("rate is %v per second, allowed are 0 (closed loop) to %d", g.Rate, maxRate)
	case !within(g.Seconds, 0, maxSeconds) || g.Seconds == 0:
		return fmt.Errorf("seconds is %v, allowed are more than 0 and at most %d", g.Seconds, maxSeconds)
	case !within(g.Warmup, 0, maxSeconds):
		return fmt.Errorf("warmup_seconds is %v, allowed are 0 to %d", g.Warmup, maxSeconds)
	case g.Seconds+g.Warmup < minScenario:
		return fmt.Errorf("seconds and warmup_seconds are %v together, k6 wants %d at least", g.Seconds+g.Warmup, minScenario)
	case g.Repeats < 1 || g.Repeats > maxRepeats:
		return fmt.Errorf("repeats is %d, allowed are 1 to %d", g.Repeats, maxRepeats)
	case g.Transactions < 0 || g.Transactions > maxTransactions:
		return fmt.Errorf("transactions is %d, allowed are 1 to %d for each client, or 0 for a window of seconds", g.Transactions, maxTransactions)
	case g.Transactions > 0 && g.Rate > 0:
		return errors.New("transactions and rate exclude each other: fixed work is done in a closed loop")
	}
	return nil
}

func (g *Experiment) validateClients() error {
	if err := eachWithin("clients", g.Clients, maxClients); err != nil {
		return err
	}
	if err := eachOf("protocol", g.Protocol, protocols); err != nil {
		return err
	}
	return eachOf("role", g.Roles, roles)
}

func (g *Experiment) validatePools() error {
	for _, list := range []struct {
		name   string
		values []int
		most   int
	}{{"pool_sizes", g.PoolSizes, maxPool}, {"pods", g.Instances, maxPods}, {"pod_pools", g.InstancePools, maxPool}} {
		if err := eachWithin(list.name, list.values, list.most); err != nil {
			return err
		}
	}
	if len(g.Instances) > 0 && slices.Max(g.Instances) > slices.Min(g.Clients) {
		return fmt.Errorf("pods is %d and clients %d: each pod needs a client at least", slices.Max(g.Instances), slices.Min(g.Clients))
	}
	return nil
}

func (g *Experiment) validateNetwork() error {
	switch {
	case g.BandwidthKBs < 0 || g.BandwidthKBs > maxBandwidth:
		return fmt.Errorf("bandwidth_kb_s is %d, allowed are 1 to %d, or 0 for no limit", g.BandwidthKBs, maxBandwidth)
	case g.BandwidthKBs > 0 && !slices.ContainsFunc(g.Latencies, Latency.Proxied):
		return errors.New("bandwidth_kb_s is for cells through toxiproxy: latencies needs a number, 0 at least")
	case g.ReplicationMS < 0 || g.ReplicationMS > maxLatencyMS:
		return fmt.Errorf("replication_ms is %d, allowed are 1 to %d, or 0 for replication straight from the primary", g.ReplicationMS, maxLatencyMS)
	}
	return nil
}

func (g *Experiment) validateSettings() error {
	for component, settings := range g.Settings {
		if !slices.Contains(components, component) {
			return fmt.Errorf("settings are of %q, allowed are %s", component, strings.Join(components, ", "))
		}
		for name, value := range settings {
			switch {
			case !settingName.MatchString(name):
				return fmt.Errorf("settings of %s: %q is no name of one", component, name)
			case value == "" || strings.ContainsAny(value, "'\\\n;"):
				return fmt.Errorf("settings of %s: %s is %q, a plain value is needed", component, name, value)
			case component == "pgbouncer" && name == "default_pool_size":
				return errors.New("settings of pgbouncer: default_pool_size is what pool_sizes is for")
			case strings.HasPrefix(name, "primary_"):
				return fmt.Errorf("settings of %s: %s is how the standby follows the primary, see replication_ms", component, name)
			}
		}
	}
	return nil
}

func (g *Experiment) validateRest() error {
	if params := bytes.TrimSpace(g.Params); len(params) > 0 && params[0] != '{' {
		return fmt.Errorf("params is %s, an object is needed", params)
	}
	if !within(g.WaitsHz, 0, maxWaitsHz) {
		return fmt.Errorf("waits_hz is %v, allowed are 0 (the default) to %d looks a second", g.WaitsHz, maxWaitsHz)
	}
	return nil
}

func eachWithin(name string, values []int, most int) error {
	for _, n := range values {
		if n < 1 || n > most {
			return fmt.Errorf("%s is %d, allowed are 1 to %d", name, n, most)
		}
	}
	return nil
}

func eachOf(name string, values, allowed []string) error {
	for _, v := range values {
		if !slices.Contains(allowed, v) {
			return fmt.Errorf("%s is %q, allowed are %s", name, v, strings.Join(allowed, ", "))
		}
	}
	return nil
}

// plainName says whether s can be part of a cell's id and so of a file's name.
func plainName(s string) bool {
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' {
			return false
		}
	}
	return s != ""
}
