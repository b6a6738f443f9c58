package run

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"pooler-lab/internal/lesson"
)

// runFlags are the options of 'lab run' as they are typed.
type runFlags struct {
	experiments, workloads []string
	values                 map[string]*[]string // by dimension's key
	rate, seconds, warmup  float64
	repeats                int
	until                  string
	atMost                 float64
	noPairs                bool
	full, dry              bool
	details                bool
	seed                   uint32
}

// renamed are options of earlier versions, and what they are called now.
var renamed = map[string]string{"groups": "experiments", "pods": "instances", "pod-pools": "instance-pools"}

func (f *runFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringSliceVar(&f.experiments, "experiments", nil,
		"these experiments of the lesson, side experiments too, or all")
	flags.StringSliceVar(&f.workloads, "workloads", nil, "only these workloads")
	f.values = map[string]*[]string{}
	for _, d := range lesson.Dimensions() {
		if d.Key != "" {
			f.values[d.Key] = flags.StringSlice(d.Option(), nil, d.Help)
		}
	}
	flags.Float64Var(&f.rate, "rate", 0, "iterations per second of open loops, over all clients")
	flags.Float64Var(&f.seconds, "seconds", 0, "length of each measured window")
	flags.Float64Var(&f.warmup, "warmup", 0, "least seconds that the clients of a closed loop warm up")
	flags.IntVar(&f.repeats, "repeats", 0, "how often to run each cell, in blocks: nothing runs side by side then")
	flags.StringVar(&f.until, "until", "",
		"how precise comparisons side by side have to be, such as 3%: half the interval's width, as a share of the ratio")
	flags.Float64Var(&f.atMost, "at-most", 0, "most seconds that each comparison side by side may take")
	flags.BoolVar(&f.noPairs, "no-pairs", false,
		"run nothing side by side: each cell as often as its experiment repeats it")
	flags.BoolVar(&f.full, "full", false,
		"the lesson's full size, as the study had it: it says beforehand what that takes")
	flags.BoolVar(&f.dry, "dry-run", false, "say what would run, how long it takes and what it needs, and run nothing")
	flags.BoolVar(&f.details, "details", false, "print ratios, round trips, flags and what they mean, too")
	flags.Uint32Var(&f.seed, "seed", 0, "of the order in which cells run: the same one gives the same order")
	for _, old := range slices.Sorted(maps.Keys(renamed)) {
		flags.StringSlice(old, nil, "")
		_ = flags.MarkHidden(old)
	}
}

// override is what the options change of the lesson.
func (f *runFlags) override(c *cobra.Command) (lesson.Override, error) {
	for _, old := range slices.Sorted(maps.Keys(renamed)) {
		if c.Flags().Changed(old) {
			return lesson.Override{}, fmt.Errorf("--%s is called --%s now", old, renamed[old])
		}
	}
	o := lesson.Override{Experiments: f.experiments, Workloads: f.workloads, Full: f.full}
	for key, values := range f.values {
		if len(*values) == 0 {
			continue
		}
		if o.Values == nil {
			o.Values = map[string][]string{}
		}
		o.Values[key] = *values
	}
	o.NoPairs = f.noPairs
	changed := c.Flags().Changed
	if changed("rate") {
		o.Rate = &f.rate
	}
	if changed("seconds") {
		o.Seconds = &f.seconds
	}
	if changed("warmup") {
		o.Warmup = &f.warmup
	}
	if changed("repeats") {
		o.Repeats = &f.repeats
	}
	if changed("until") {
		until, err := lesson.ParsePercent(f.until)
		if err != nil {
			return o, fmt.Errorf("--until: %w", err)
		}
		o.Until = &until
	}
	if changed("at-most") {
		o.AtMost = &f.atMost
	}
	if (o.NoPairs || o.Repeats != nil) && (o.Until != nil || o.AtMost != nil) {
		return o, errors.New("--until and --at-most are for comparisons side by side, and with --no-pairs or --repeats " +
			"there are none")
	}
	return o, nil
}
