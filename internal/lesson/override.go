package lesson

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"pooler-lab/internal/suggest"
)

// All as the only name of an experiment stands for every experiment of a lesson.
const All = "all"

// An Override is what the command line says in place of the lesson. What is nil or empty stays as the lesson
// has it.
type Override struct {
	Experiments []string            `json:"experiments,omitempty"` // only these, or All; none is the main ones
	Workloads   []string            `json:"workloads,omitempty"`   // only these
	Values      map[string][]string `json:"values,omitempty"`      // by an experiment's key, as typed: clients 1, 10
	Rate        *float64            `json:"rate,omitempty"`        // of open loops: a closed loop stays one
	Seconds     *float64            `json:"seconds,omitempty"`
	Warmup      *float64            `json:"warmup_seconds,omitempty"`
	Repeats     *int                `json:"repeats,omitempty"`  // in blocks: then nothing runs side by side
	Until       *Percent            `json:"until,omitempty"`    // of all comparisons
	AtMost      *float64            `json:"at_most,omitempty"`  // seconds, of each comparison
	NoPairs     bool                `json:"no_pairs,omitempty"` // all cells run in blocks
	Full        bool                `json:"full,omitempty"`     // the full size; what else stands here changes that
}

// Describe says what o changes of a lesson beside its size, "" where that is nothing.
func (o Override) Describe() string {
	var parts []string
	list := func(name string, values []string) {
		if len(values) > 0 {
			parts = append(parts, name+" "+strings.Join(values, ","))
		}
	}
	list("experiments", o.Experiments)
	list("workloads", o.Workloads)
	for _, d := range dimensions {
		list(strings.ReplaceAll(d.Option(), "-", " "), o.Values[d.Key])
	}
	for _, n := range o.numbers() {
		parts = append(parts, fmt.Sprintf("%s %v", strings.ReplaceAll(n.key, "_", " "), n.value))
	}
	if o.Until != nil {
		parts = append(parts, "until "+o.Until.String())
	}
	if o.AtMost != nil {
		parts = append(parts, fmt.Sprintf("at most %g s", *o.AtMost))
	}
	if o.NoPairs {
		parts = append(parts, "no pairs")
	}
	return strings.Join(parts, ", ")
}

// A setting is one number in the place of what an experiment has under key.
type setting struct {
	key   string
	value any
}

func (o Override) numbers() (all []setting) {
	for _, n := range []struct {
		key   string
		value *float64
	}{{"rate", o.Rate}, {"seconds", o.Seconds}, {"warmup_seconds", o.Warmup}} {
		if n.value != nil {
			all = append(all, setting{n.key, *n.value})
		}
	}
	if o.Repeats != nil {
		all = append(all, setting{"repeats", *o.Repeats})
	}
	return all
}

// Apply makes the lesson as o says and checks that what came of it can be run.
func (l *Lesson) Apply(o Override) error {
	if o.Full && l.Full == nil {
		return fmt.Errorf("lesson %s has no full size: it is as large as it gets without --full", l.Name)
	}
	if err := l.keepExperiments(o); err != nil {
		return err
	}
	if o.Full {
		if err := l.enlarge(); err != nil {
			return err
		}
	}
	if err := l.keepWorkloads(o.Workloads); err != nil {
		return err
	}
	if err := l.checkRate(o); err != nil {
		return err
	}
	for i := range l.Experiments {
		if err := l.Experiments[i].apply(o); err != nil {
			return err
		}
	}
	if err := l.setPrecision(o); err != nil {
		return err
	}
	return l.validate()
}

// setPrecision puts what the command line says of pairs in the place of what the lesson and its comparisons say.
func (l *Lesson) setPrecision(o Override) error {
	l.NoPairs = o.NoPairs || o.Repeats != nil
	l.Comparisons = slices.Clone(l.Comparisons)
	if o.Until != nil {
		l.Until = *o.Until
	}
	if o.AtMost != nil {
		if !(*o.AtMost >= leastAtMost && *o.AtMost <= longestAtMost) { // nor is it NaN
			return fmt.Errorf("at most %v s for a comparison: write %d to %d", *o.AtMost, leastAtMost, longestAtMost)
		}
		l.AtMost = *o.AtMost
	}
	for i := range l.Comparisons {
		if o.Until != nil {
			l.Comparisons[i].Until = 0
		}
		if o.AtMost != nil {
			l.Comparisons[i].AtMost = 0
		}
	}
	return nil
}

// keepExperiments leaves out the experiments that nobody asked for, and notes which they are.
func (l *Lesson) keepExperiments(o Override) error {
	all := slices.Equal(o.Experiments, []string{All})
	for _, name := range o.Experiments {
		i := slices.Index(l.names(), name)
		switch {
		case i < 0 && !all:
			return fmt.Errorf("lesson %s: %w", l.Name, suggest.Unknown("experiment", name, append(l.names(), All)))
		case i >= 0 && l.Experiments[i].FullOnly && !o.Full:
			return fmt.Errorf("experiment %s is part of the full size alone: add --full", name)
		}
	}
	var kept []Experiment
	for _, e := range l.Experiments {
		asked := all || slices.Contains(o.Experiments, e.Name) || len(o.Experiments) == 0 && !e.Side
		if asked && (o.Full || !e.FullOnly) {
			kept = append(kept, e)
			continue
		}
		l.LeftOut = append(l.LeftOut, e.Name)
		if e.FullOnly && !o.Full {
			l.OnlyInFull = append(l.OnlyInFull, e.Name)
		}
	}
	l.Experiments = kept
	return nil
}

func (l *Lesson) keepWorkloads(names []string) error {
	if len(names) == 0 {
		return nil
	}
	var all []string
	var kept []Experiment
	for _, e := range l.Experiments {
		all = append(all, e.Workload...)
		some := slices.DeleteFunc(slices.Clone(e.Workload), func(w string) bool { return !slices.Contains(names, w) })
		if len(some) == 0 {
			continue
		}
		if err := e.set("workload", []string(some)); err != nil {
			return err
		}
		kept = append(kept, e)
	}
	for _, n := range names {
		if !slices.Contains(all, n) {
			slices.Sort(all)
			return fmt.Errorf("lesson %s: %w", l.Name, suggest.Unknown("workload", n, slices.Compact(all)))
		}
	}
	l.Experiments = kept
	return nil
}

// checkRate refuses a rate that no experiment can have.
func (l *Lesson) checkRate(o Override) error {
	switch {
	case o.Rate == nil:
		return nil
	case *o.Rate == 0:
		return errors.New("a rate of 0 would make an open loop a closed one: give a rate above 0, or choose experiments " +
			"with --experiments")
	case !slices.ContainsFunc(l.Experiments, func(e Experiment) bool { return e.Rate > 0 }):
		return fmt.Errorf("--rate is for open loops and none of these is one: %s", strings.Join(l.names(), ", "))
	}
	return nil
}

// A KeyError says that what was given for a key of an experiment can't stand there.
type KeyError struct {
	Key string
	error
}

func (e *KeyError) Unwrap() error { return e.error }

// apply gives the experiment what the command line has in the place of its own.
func (e *Experiment) apply(o Override) error {
	for _, key := range slices.Sorted(maps.Keys(o.Values)) {
		if len(o.Values[key]) == 0 {
			continue
		}
		value, err := typed(key, o.Values[key])
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		if err := e.set(key, value); err != nil {
			return err
		}
	}
	for _, n := range o.numbers() {
		if n.key == "rate" && e.Rate == 0 {
			continue
		}
		if v, ok := n.value.(float64); ok && (math.IsNaN(v) || math.IsInf(v, 0)) {
			return fmt.Errorf("%s is %v, a number is needed", n.key, v)
		}
		if err := e.set(n.key, n.value); err != nil {
			return err
		}
	}
	return nil
}

// set puts value in the place of what the experiment has under key.
func (e *Experiment) set(key string, value any) error {
	node, err := entry(key, value)
	if err != nil {
		return err
	}
	e.plan = with(e.plan, node)
	if err := e.decode(); err != nil {
		return &KeyError{key, err}
	}
	return nil
}

// typed is what was typed for a key of an experiment as a plan has it. In a list each value stands once: given twice,
// it would be two cells of one name.
func typed(key string, words []string) (any, error) {
	i := slices.IndexFunc(dimensions, func(d Dimension) bool { return d.Key == key })
	if i < 0 && key != "workload" {
		var value any
		err := yaml.Unmarshal([]byte(strings.Join(words, ",")), &value)
		return value, err
	}
	var values []any
	for _, word := range words {
		var value any = word
		if i >= 0 {
			if n, err := strconv.Atoi(strings.TrimSuffix(word, dimensions[i].unit)); err == nil {
				value = n
			}
		}
		if !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	return values, nil
}
