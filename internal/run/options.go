package run

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"pooler-lab/internal/lesson"
)

// runFlags are the options of 'lab run' as they are typed.
type runFlags struct {
	experiments, workloads []string
	values                 map[string]*[]string // by dimension's key
	until                  string
	atMost                 float64
	noPairs                bool
	full, dry              bool
	details                bool
	seed                   uint32
}

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
}

// override is what the options change of the lesson.
func (f *runFlags) override(c *cobra.Command) (lesson.Override, error) {
	o := lesson.Override{Experiments: f.experiments, Workloads: f.workloads, Values: map[string][]string{},
		NoPairs: f.noPairs, Full: f.full}
	for key, values := range f.values {
		if len(*values) > 0 {
			o.Values[key] = *values
		}
	}
	changed := c.Flags().Changed
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
	if (o.NoPairs || changed("repeats")) && (o.Until != nil || o.AtMost != nil) {
		return o, errors.New("--until and --at-most are for comparisons side by side, and with --no-pairs or --repeats " +
			"there are none")
	}
	return o, nil
}
