package selftest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/run"
	"pooler-lab/internal/topology"
)

// kinds are the figures that can be tried, and the beginnings of the lesson's experiments.
var kinds = []string{"response-time", "rtt", "throughput"}

// options are the flags of 'lab selftest'.
type options struct {
	comparisons, repeats int
	seconds              float64
	seed                 uint32
}

// A failure is what ends a command that found outcomes right too seldom.
type failure struct {
	text string
	code int
}

func (f *failure) Error() string { return f.text }

// ExitCode is 1 where outcomes were wrong or missed the slowdown too often, 2 where too many comparisons were
// inconclusive.
func (f *failure) ExitCode() int { return f.code }

var (
	errWrong        = &failure{"outcomes were wrong too often", 1}
	errMissed       = &failure{"the slowdown was missed too often", 1}
	errInconclusive = &failure{"too many comparisons were inconclusive", 2}
)

// NewCommand makes 'lab selftest'.
func NewCommand() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "selftest [response-time|rtt|throughput]...",
		Short: "Try the lab's method: one path under two names, and a known slowdown of 10 %",
		Long: "Measures the direct path under two names and slowed down by a known 10 %, block after block,\n" +
			"and makes a comparison of every six blocks (--repeats). The two names must show no clear difference,\n" +
			"and the slowdown must be seen, in nine of ten comparisons at least. The last line says whether they do,\n" +
			"and so does the exit status: 1 for outcomes that are wrong or miss the slowdown, 2 for too many that\n" +
			"are inconclusive.\n\n" +
			"It tries the response time of an open loop (response-time), the same with 5 ms of RTT (rtt) and the\n" +
			"iterations a second of a closed loop (throughput): all three without arguments. How many repeats it\n" +
			"takes depends on how much the machine's speed comes and goes: that is printed, too.",
		Example: "  scripts/selftest rtt --comparisons 20",
		RunE: func(c *cobra.Command, args []string) error {
			if !c.Flags().Changed("seed") {
				o.seed = rand.Uint32()
			}
			return try(c.Context(), args, o, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	c.Flags().IntVar(&o.comparisons, "comparisons", 20, "comparisons of each kind")
	c.Flags().IntVar(&o.repeats, "repeats", outcome.Fewest, "repeats of each comparison; fewer than six have no interval")
	c.Flags().Float64Var(&o.seconds, "seconds", 1, "length of each measured window")
	c.Flags().Uint32Var(&o.seed, "seed", 0, "of the order in which cells run: the same one gives the same order")
	return c
}

// try measures, and prints what came out.
func try(ctx context.Context, args []string, o options, out, progress io.Writer) error {
	if o.comparisons < 1 || o.repeats < outcome.Fewest {
		return fmt.Errorf("%d comparisons of %d repeats: give at least 1 of %d", o.comparisons, o.repeats, outcome.Fewest)
	}
	experiments, err := experimentsOf(args)
	if err != nil {
		return err
	}
	blocks := o.comparisons * o.repeats
	doc, err := run.Script(ctx, filepath.Join(topology.Root(), "k6", "selftest.js"),
		lesson.Override{Experiments: experiments, Repeats: &blocks, Seconds: &o.seconds}, uint64(o.seed), out, progress)
	if err != nil {
		return err
	}
	return report(out, Judge(doc, o.repeats), o.repeats)
}

// experimentsOf are the lesson's experiments of some kinds, none for all of them.
func experimentsOf(wanted []string) ([]string, error) {
	var experiments []string
	for _, kind := range wanted {
		if !slices.Contains(kinds, kind) {
			return nil, fmt.Errorf("there is no figure %q to try; there are %s", kind, strings.Join(kinds, ", "))
		}
		for _, name := range []string{"a", "b", "slower"} {
			experiments = append(experiments, kind+"-"+name)
		}
	}
	return experiments, nil
}

// report prints what became of each trial, and as its last line whether outcomes can be trusted here.
func report(out io.Writer, trials []Trial, repeats int) error {
	fmt.Fprintf(out, "\n%-38s %-12s %-22s %s\n", "", "right", "ratio, all blocks", "spread within a block")
	var failed error
	if len(trials) == 0 {
		return errors.New("the run holds no comparison")
	}
	for _, t := range trials {
		fmt.Fprintf(out, "%-38s %-12s %-22s %.1f %%%s\n", t.Plan.Text, fmt.Sprintf("%d of %d", t.Right, len(t.Outcomes)),
			fmt.Sprintf("%s (%s)", metric.RatioText(t.Whole.Center), t.Whole.Text(metric.RatioText)),
			100*t.Spread, t.remark(repeats))
		most := (1 - enough) * float64(len(t.Outcomes))
		switch {
		case t.Holds() || failed == errWrong:
		case float64(t.Wrong()) > most:
			failed = errWrong
		case float64(t.Missed) > most || failed == errMissed:
			failed = errMissed
		default:
			failed = errInconclusive
		}
	}
	fmt.Fprintln(out, "\nselftest: "+conclusions[failed])
	return failed
}

// conclusions are the last line, by what is wrong.
var conclusions = map[error]string{
	nil:      "nine of ten comparisons or more say what is true",
	errWrong: "on this machine, outcomes are wrong in more than one of ten comparisons",
	errMissed: "what is said is true, but repeats differ too much here to find 10 %: more of them do, as noted " +
		"beside each",
	errInconclusive: "too many comparisons are inconclusive: something else used the machine, or it is too small",
}

// knownSlowdown is what the slowed cell's round trips are to the other's: 110 to 100, 44 to 40 or 11 to 10.
const knownSlowdown = 1.1

// remark says what could be expected of a slowdown at its spread, and how many comparisons were inconclusive.
func (t Trial) remark(repeats int) string {
	text := ""
	if t.Wanted != outcome.NoClearDifference && t.Spread > 0 {
		text = fmt.Sprintf(": %d repeats find 10 %% in %.0f of 100 comparisons", repeats,
			100*Found(knownSlowdown, t.Spread, repeats))
		if more := t.repeatsThatFind(); more > repeats {
			text += fmt.Sprintf("; --repeats %d in about %d", more, often)
		}
	}
	if t.Inconclusive > 0 {
		text += fmt.Sprintf("\n  %d inconclusive, the first: %s", t.Inconclusive, t.inconclusive())
	}
	return text
}

// inconclusive is the first comparison that is.
func (t Trial) inconclusive() string {
	for _, c := range t.Outcomes {
		if !c.Outcome.Concludes() {
			return c.String()
		}
	}
	return ""
}
