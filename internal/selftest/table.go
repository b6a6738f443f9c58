package selftest

import (
	"fmt"
	"io"
	"strconv"

	"pooler-lab/internal/outcome"
	"pooler-lab/internal/shared"
)

// The least shares of outcomes that have to be right, rounded down: where nothing differs 37 of 40, and where work is
// 5 % more 34 of 40. Intervals that hold the truth in 95 of 100 cases reach the former in 86 of 100 self-tests, and
// 18 of 20 in 92.
const (
	leastEqual = 37. / 40
	leastFound = 34. / 40
	fewest     = 5 // outcomes of each kind: of fewer, a share says nothing
)

// A failure is what ends a command that can't say that outcomes are to be trusted.
type failure struct {
	text string
	code int
}

func (f *failure) Error() string { return f.text }

// ExitCode is 1 where outcomes were wrong or missed the slowdown too often, 2 where too little was measured.
func (f *failure) ExitCode() int { return f.code }

var (
	errWrong   = &failure{"outcomes were wrong too often", 1}
	errMissed  = &failure{"the slowdown was missed too often", 1}
	errNothing = &failure{"too little was measured", 2}
)

// conclusions are the last line, by what is wrong.
var conclusions = map[error]string{
	nil:        "outcomes can be trusted on this machine",
	errWrong:   "on this machine, too many outcomes say what isn't true",
	errMissed:  "outcomes that find a difference are right on this machine, but a difference of 5 % is missed too often",
	errNothing: "too little was measured: it takes 5 outcomes where nothing differs, and 5 where work is 5 % more",
}

// say prints what became of each trial, and as its last line whether outcomes can be trusted here.
func say(out io.Writer, trials []Tested, without []string) error {
	table(out, trials)
	for _, t := range trials {
		for _, remark := range t.remarks() {
			fmt.Fprintf(out, "%s: %s\n", t.Row.Text, remark)
		}
	}
	for _, w := range without {
		fmt.Fprintln(out, w)
	}
	equal, found := share(trials, true), share(trials, false)
	failed := failureOf(equal, found)
	fmt.Fprintf(out, "\nselftest: %s (no difference: %s right; 5 %% slower: %s found)\n", conclusions[failed], equal,
		found)
	if failed != nil {
		return failed
	}
	return nil
}

// table has two lines of outcomes a trial: those of all of a comparison's time, and those that ended by width.
func table(out io.Writer, trials []Tested) {
	if len(trials) == 0 {
		return
	}
	fmt.Fprintf(out, "\n"+layout, "", "right", "wrong", "half width", "seconds", "interval holds the ratio of all")
	for _, t := range trials {
		fmt.Fprintf(out, "%s: expected %.3f, measured in all %s, %.0f groups a minute\n", t.Row.Text, t.Expected,
			written(t.Whole), 60/t.PerGroup)
		t.line(out, fmt.Sprintf("%g s each", perVerdict), t.Each)
		t.line(out, fmt.Sprintf("ended at %g %% or %g s", 100*until, atMost), t.Early)
	}
}

// layout is that of a line: what it is of, and its figures.
const layout = "  %-24s%-10s%7s%12s%9s   %s\n"

func (t Tested) line(out io.Writer, name string, verdicts []Verdict) {
	of := func(count int) string { return tally{right: count, of: len(verdicts)}.String() }
	fmt.Fprintf(out, layout, name, of(t.right(verdicts)), strconv.Itoa(t.wrong(verdicts)), halfWidth(verdicts),
		fmt.Sprintf("%.0f", meanSeconds(verdicts)), of(t.holding(verdicts)))
}

// written is a ratio to a thousandth: a self-test measures long enough for that.
func written(i outcome.Interval) string {
	return fmt.Sprintf("%.3f (%s)", i.Center, i.Text(func(v float64) string { return fmt.Sprintf("%.3f", v) }))
}

// remarks are what else is to be known of a trial.
func (t Tested) remarks() (all []string) {
	if n := count(t.Each, func(v Verdict) bool { return !v.Outcome.Concludes() }); n > 0 {
		all = append(all, fmt.Sprintf("%d of %d have too few groups for an interval", n, len(t.Each)))
	}
	if t.Whole.Known() && (t.Expected < t.Whole.Lo || t.Expected > t.Whole.Hi) {
		all = append(all, "the interval of all that was measured doesn't hold the expected ratio")
	}
	if t.Doubt != "" {
		all = append(all, "a lesson's comparison would be inconclusive: "+t.Doubt)
	}
	return all
}

// halfWidth is the median of the intervals' half widths.
func halfWidth(verdicts []Verdict) string {
	var widths []float64
	for _, v := range verdicts {
		if v.Ratio.Known() {
			widths = append(widths, outcome.HalfWidth(v.Ratio))
		}
	}
	middle, ok := shared.Median(widths)
	if !ok {
		return "none"
	}
	return fmt.Sprintf("%.1f %%", 100*middle)
}

func meanSeconds(verdicts []Verdict) float64 {
	sum := 0.0
	for _, v := range verdicts {
		sum += v.Seconds
	}
	return sum / max(1, float64(len(verdicts)))
}

// A tally is how many outcomes were right, and how many wrong, of those that count.
type tally struct{ right, wrong, of int }

func (t tally) String() string { return fmt.Sprintf("%d of %d", t.right, t.of) }

func (t tally) below(least float64) bool { return t.right < int(least*float64(t.of)+1e-9) }

// share counts the outcomes of the rows that count: of those where nothing differs, or of those where something does.
func share(trials []Tested, equal bool) (t tally) {
	for _, trial := range trials {
		if trial.Counts && equal == (trial.Wanted == outcome.NoClearDifference) {
			t.right += trial.right(trial.Each)
			t.wrong += trial.wrong(trial.Each)
			t.of += len(trial.Each)
		}
	}
	return t
}

func failureOf(equal, found tally) error {
	switch {
	case equal.of < fewest || found.of < fewest:
		return errNothing
	case equal.below(leastEqual), float64(found.wrong) > (1-leastEqual)*float64(found.of):
		return errWrong
	case found.below(leastFound):
		return errMissed
	}
	return nil
}
