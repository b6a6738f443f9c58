package lesson

import (
	"fmt"
	"slices"
	"strings"

	"pooler-lab/internal/suggest"
)

// An Override is what the command line says in place of the lesson. What is nil or empty stays as the lesson
// has it.
type Override struct {
	Experiments   []string  `json:"groups,omitempty"` // only these groups
	Paths         []string  `json:"paths,omitempty"`
	Latencies     []Latency `json:"latencies_ms,omitempty"`
	Workloads     []string  `json:"workloads,omitempty"` // only these workloads
	Clients       []int     `json:"clients,omitempty"`
	Protocols     []string  `json:"protocols,omitempty"`
	Roles         []string  `json:"roles,omitempty"`
	PoolSizes     []int     `json:"pool_sizes,omitempty"`
	Instances     []int     `json:"pods,omitempty"`
	InstancePools []int     `json:"pod_pools,omitempty"`
	Rate          *float64  `json:"rate,omitempty"` // of paced groups: a closed loop stays one
	Seconds       *float64  `json:"seconds,omitempty"`
	Warmup        *float64  `json:"warmup_seconds,omitempty"`
	Repeats       *int      `json:"repeats,omitempty"`
	Full          bool      `json:"full,omitempty"` // the full size; what else stands here changes that
}

// Describe says what o changes of a lesson beside its size, "" where that is nothing.
func (o Override) Describe() string {
	text := ""
	say := func(name string, given bool, value any) {
		if given {
			text += fmt.Sprintf(", %s %v", name, value)
		}
	}
	say("groups", o.Experiments != nil, o.Experiments)
	say("paths", o.Paths != nil, o.Paths)
	say("latencies", o.Latencies != nil, o.Latencies)
	say("workloads", o.Workloads != nil, o.Workloads)
	say("clients", o.Clients != nil, o.Clients)
	say("protocols", o.Protocols != nil, o.Protocols)
	say("roles", o.Roles != nil, o.Roles)
	say("pool sizes", o.PoolSizes != nil, o.PoolSizes)
	say("pods", o.Instances != nil, o.Instances)
	say("pods' pools", o.InstancePools != nil, o.InstancePools)
	say("rate", o.Rate != nil, valueOf(o.Rate))
	say("seconds", o.Seconds != nil, valueOf(o.Seconds))
	say("warm-up", o.Warmup != nil, valueOf(o.Warmup))
	say("repeats", o.Repeats != nil, valueOf(o.Repeats))
	return text[min(len(text), 2):]
}

func valueOf[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// Apply changes the lesson as o says and checks that what came of it can be run.
func (l *Lesson) Apply(o Override) error {
	if err := l.size(o); err != nil {
		return err
	}
	if err := l.keepGroups(o.Experiments); err != nil {
		return err
	}
	if err := l.keepWorkloads(o.Workloads); err != nil {
		return err
	}
	if o.Rate != nil && *o.Rate == 0 {
		return fmt.Errorf("a rate of 0 would make a paced group a closed loop: give a rate above 0, or choose groups with --groups")
	}
	paced := false
	for i := range l.Experiments {
		g := &l.Experiments[i]
		paced = paced || g.Rate > 0
		g.apply(o)
	}
	if o.Rate != nil && !paced {
		return fmt.Errorf("--rate is for paced groups and none of these is: %s", strings.Join(l.groupNames(), ", "))
	}
	return l.validate()
}

// size makes the lesson as large as o says.
func (l *Lesson) size(o Override) error {
	if o.Full {
		return l.enlarge()
	}
	for _, g := range l.Experiments {
		if g.FullOnly && slices.Contains(o.Experiments, g.Name) {
			return fmt.Errorf("group %q is part of the full size alone: add --full", g.Name)
		}
	}
	l.keepDefaultSize()
	return nil
}

func (g *Experiment) apply(o Override) {
	setList(&g.Paths, o.Paths)
	setList(&g.Latencies, o.Latencies)
	setList(&g.Clients, o.Clients)
	setList((*[]string)(&g.Protocol), o.Protocols)
	setList((*[]string)(&g.Roles), o.Roles)
	setList(&g.PoolSizes, o.PoolSizes)
	setList(&g.Instances, o.Instances)
	setList(&g.InstancePools, o.InstancePools)
	set(&g.Seconds, o.Seconds)
	set(&g.Warmup, o.Warmup)
	set(&g.Repeats, o.Repeats)
	if g.Rate > 0 {
		set(&g.Rate, o.Rate)
	}
}

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

func setList[T comparable](to *[]T, from []T) {
	if len(from) == 0 {
		return
	}
	*to = nil
	for _, v := range from {
		if !slices.Contains(*to, v) { // a value given twice would be two cells of one name
			*to = append(*to, v)
		}
	}
}

func (l *Lesson) keepGroups(names []string) error {
	if len(names) == 0 {
		return nil
	}
	all := l.groupNames()
	for _, n := range names {
		if !slices.Contains(all, n) {
			return fmt.Errorf("lesson %s: %w", l.Name, suggest.Unknown("group", n, all))
		}
	}
	l.Experiments = slices.DeleteFunc(l.Experiments, func(g Experiment) bool { return !slices.Contains(names, g.Name) })
	return nil
}

func (l *Lesson) keepWorkloads(names []string) error {
	if len(names) == 0 {
		return nil
	}
	var all []string
	for i := range l.Experiments {
		g := &l.Experiments[i]
		all = append(all, g.Workload...)
		g.Workload = slices.DeleteFunc(slices.Clone(g.Workload), func(w string) bool { return !slices.Contains(names, w) })
	}
	for _, n := range names {
		if !slices.Contains(all, n) {
			slices.Sort(all)
			return fmt.Errorf("lesson %s: %w", l.Name, suggest.Unknown("workload", n, slices.Compact(all)))
		}
	}
	l.Experiments = slices.DeleteFunc(l.Experiments, func(g Experiment) bool { return len(g.Workload) == 0 })
	return nil
}

func (l *Lesson) groupNames() []string {
	var names []string
	for _, g := range l.Experiments {
		names = append(names, g.Name)
	}
	return names
}
