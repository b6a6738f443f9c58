package lesson

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"pooler-lab/internal/wording"
)

// All as the only name of an experiment stands for every experiment of a lesson.
const All = "all"

// An Override is what the command line says in place of the lesson. What is nil or empty stays as the lesson
// has it.
type Override struct {
	Experiments []string `json:"experiments,omitempty"` // only these, or All; none is the main ones
	Workloads   []string `json:"workloads,omitempty"`   // only these
	// Values are by an experiment's key, as typed: clients 1, 10. A rate is of the open loops, or where there is none of
	// all. With repeats nothing runs side by side.
	Values  map[string][]string `json:"values,omitempty"`
	Until   *Percent            `json:"until,omitempty"`    // of all comparisons
	AtMost  *float64            `json:"at_most,omitempty"`  // seconds, of each comparison
	NoPairs bool                `json:"no_pairs,omitempty"` // all cells run in blocks
	Full    bool                `json:"full,omitempty"`     // the full size; what else stands here changes that
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
	openLoops := slices.ContainsFunc(l.Experiments, func(e Experiment) bool { return e.Rate > 0 })
	for i := range l.Experiments {
		if err := l.Experiments[i].apply(o.Values, openLoops); err != nil {
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
	l.NoPairs = o.NoPairs || len(o.Values["repeats"]) > 0
	l.Comparisons = slices.Clone(l.Comparisons)
	if o.Until != nil {
		l.Until = *o.Until
	}
	if o.AtMost != nil {
		if err := check("", schemaOfAtMost, &yaml.Node{Kind: yaml.ScalarNode, Value: fmt.Sprint(*o.AtMost)}); err != nil {
			return fmt.Errorf("seconds for a comparison at most: %w", err)
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
			return fmt.Errorf("lesson %s: %w", l.Name, wording.Unknown("experiment", name, append(l.names(), All)))
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
			return fmt.Errorf("lesson %s: %w", l.Name, wording.Unknown("workload", n, slices.Compact(all)))
		}
	}
	l.Experiments = kept
	return nil
}

// A KeyError says that what was given for a key of an experiment can't stand there.
type KeyError struct {
	Key string
	error
}

func (e *KeyError) Unwrap() error { return e.error }

// apply gives the experiment values in the place of its own, by key. Where some experiments are open loops, a rate is
// theirs alone.
func (e *Experiment) apply(values map[string][]string, openLoops bool) error {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if key == "rate" && openLoops && e.Rate == 0 {
			continue
		}
		value, err := typed(key, values[key])
		if err != nil {
			return &KeyError{key, fmt.Errorf("%s: %w", key, err)}
		}
		before := scalars(valueOf(e.plan, key))
		if err := e.set(key, value); err != nil {
			return err
		}
		e.noteChange(key, before)
	}
	return nil
}

// noteChange notes what the lesson has for the key, where that is another thing. How long and how often cells run makes
// them no other ones.
func (e *Experiment) noteChange(key string, before []string) {
	i := slices.IndexFunc(dimensions, func(d Dimension) bool { return d.Key == key && d.Axis != "" })
	if len(before) == 0 && usual[key] != "" {
		before = []string{usual[key]}
	}
	sorted := func(values []string) []string { return slices.Sorted(slices.Values(values)) }
	if i < 0 || slices.Equal(sorted(before), sorted(scalars(valueOf(e.plan, key)))) {
		return
	}
	if e.Changed == nil {
		e.Changed = map[string][]string{}
	}
	e.Changed[dimensions[i].Name] = before
}

// MadeOther says whether Apply has made the cell another one in the dimension. had is what its experiment's Changed
// has: a cell with one of these values is one of the lesson's own.
func (d Dimension) MadeOther(c *Cell, had map[string][]string) bool {
	was, changed := had[d.Name]
	return changed && !slices.Contains(was, "*") && !slices.Contains(was, d.Of(c).String())
}

// Had are the values that Apply changed of the cell's experiment, as the lesson has them.
func (l *Lesson) Had(c *Cell) map[string][]string {
	i := slices.IndexFunc(l.Experiments, func(e Experiment) bool { return e.Name == c.Experiment })
	if i < 0 {
		return nil
	}
	return l.Experiments[i].Changed
}

// scalars are a node's values: its own, or those of a list.
func scalars(node *yaml.Node) (all []string) {
	if node == nil {
		return []string{}
	}
	if node.Kind == yaml.ScalarNode {
		return []string{node.Value}
	}
	for _, n := range node.Content {
		all = append(all, n.Value)
	}
	return all
}

// set puts value in the place of what the experiment has under key.
func (e *Experiment) set(key string, value any) error {
	entry := new(yaml.Node)
	if err := entry.Encode(map[string]any{key: value}); err != nil {
		return &KeyError{key, err}
	}
	e.plan = with(e.plan, entry)
	if err := e.decode(); err != nil {
		return &KeyError{key, err}
	}
	return nil
}

// typed is what was typed for a key of an experiment as a plan has it. In a list each value stands once: given twice,
// it would be two cells of one name.
func typed(key string, words []string) (any, error) {
	i := slices.IndexFunc(dimensions, func(d Dimension) bool { return d.Key == key && !d.lone })
	if i < 0 && key != "workload" {
		var value any
		err := yaml.Unmarshal([]byte(strings.Join(words, ",")), &value)
		return value, err
	}
	var values []any
	for _, word := range words {
		var value any = word
		if i >= 0 {
			number := strings.TrimSuffix(word, dimensions[i].unit)
			if n, err := strconv.Atoi(number); err == nil {
				value = n
			} else if n, err := strconv.ParseFloat(number, 64); err == nil {
				value = n
			}
		}
		if !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	return values, nil
}

// MadeOne says whether two cells are alike only since Apply made one of them another one. Of each it takes what its
// experiment's Changed has.
func MadeOne(of, to *Cell, ofHad, toHad map[string][]string) bool {
	return of.SameBut(to, "experiment", "repeats_wanted", "seconds", "warmup_seconds") &&
		slices.ContainsFunc(dimensions, func(d Dimension) bool {
			return !slices.Equal(ofHad[d.Name], toHad[d.Name]) && (d.MadeOther(of, ofHad) || d.MadeOther(to, toHad))
		})
}
