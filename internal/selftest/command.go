package selftest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/report"
	"pooler-lab/internal/result"
	"pooler-lab/internal/topology"
)

// usualSeed is the same in each self-test, so that nobody can choose the one that suits: the first run counts.
const usualSeed = 20261123

// options are the flags of 'lab selftest'.
type options struct {
	all     bool
	path    string
	minutes float64
	seed    uint32
	from    string
}

// A Runner runs a lesson: see run.Lesson.
type Runner func(ctx context.Context, l *lesson.Lesson, o lesson.Override, seed uint64, progress io.Writer) (
	*result.Run, error)

// NewCommand makes 'lab selftest', which has run measure.
func NewCommand(run Runner) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "selftest [ROW]...",
		Short: "Test the lab's outcomes: one path under two names, and work that is 5 % more",
		Long: "Measures pairs of cells side by side for 20 minutes each and judges each minute for itself. One\n" +
			"path under two names (equal) must show no clear difference in 37 of 40 minutes. Statements with\n" +
			"5 % more work in the server (slower-5) must be found in 34 of 40. The last line says whether\n" +
			"that is so, and so does the exit status: 1 for outcomes that are wrong or miss the slowdown too\n" +
			"often, 2 where too little was measured.\n\n" +
			"Beside each minute it judges what a lesson would have measured of it, which ends once its\n" +
			"interval is narrow enough. 'interval holds it' counts the intervals that hold the ratio of the\n" +
			"whole row.\n\n" +
			"--all adds rows: slower-2, slower-10, response-equal, response-slower-5, connect-equal, and\n" +
			"rtt-equal and rtt-slower-5 at 5 ms of latency. Only those at 5 ms count for the last line, too.\n" +
			"ROW measures that row alone.\n\n" +
			"Ctrl-C ends it: the minutes until then are judged. The seed is always the same unless you give\n" +
			"another: don't choose among several runs. The first one counts.",
		Example: "  scripts/selftest --minutes 5\n" +
			"  scripts/selftest --all --path pgbouncer-transaction\n" +
			"  scripts/selftest --from results/20261123T161200Z-selftest",
		RunE: func(c *cobra.Command, args []string) error {
			if o.from != "" {
				return again(o, args, c.OutOrStdout())
			}
			return measureRows(c.Context(), run, args, o, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	c.Flags().BoolVar(&o.all, "all", false, "all rows")
	c.Flags().StringVar(&o.path, "path", "direct", "the path of the rows")
	c.Flags().Float64Var(&o.minutes, "minutes", 20, "length of each pair, 60 at most; rows of the same cells share one")
	c.Flags().Uint32Var(&o.seed, "seed", usualSeed, "of the order of the slots: the same one gives the same order")
	c.Flags().StringVar(&o.from, "from", "", "measure nothing: judge this run again")
	return c
}

// measureRows runs the pairs, and prints what came out: where they were ended early, of the time until then.
func measureRows(ctx context.Context, run Runner, names []string, o options, out, progress io.Writer) error {
	if o.minutes < 1 || o.minutes > 60 {
		return fmt.Errorf("%g minutes: give 1 to 60", o.minutes)
	}
	chosen, err := chosen(names, o.all)
	if err != nil {
		return err
	}
	l, err := lesson.Read(filepath.Join(topology.Root(), "k6", "selftest.js"))
	if err != nil {
		return err
	}
	l.Comparisons, l.Once = comparisons(chosen, o.path, o.minutes*60), true
	doc, failed := run(ctx, l, lesson.Override{Experiments: experiments(l.Comparisons),
		Values: map[string][]string{"paths": {o.path}}}, uint64(o.seed), progress)
	if doc == nil {
		return failed
	}
	report.Print(out, doc, false)
	trials, without := Judge(doc)
	if err := say(out, trials, without); failed == nil {
		return err
	}
	return failed
}

// again judges a run that is there.
func again(o options, names []string, out io.Writer) error {
	if len(names) > 0 {
		return errors.New("--from judges all rows of a run: name none")
	}
	doc, err := result.Read(filepath.Join(topology.Root(), "results", filepath.Base(o.from)))
	if err != nil {
		return err
	}
	trials, without := Judge(doc)
	return say(out, trials, without)
}
