package selftest

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// made is a run of the rows equal and slower-5 with so many groups of 1.5 s each. What is slower takes 5 % longer, and
// the ratios of groups scatter by a standard deviation that is a share of them.
func made(seed uint64, groups int, scatter float64) *result.Run {
	random := rand.New(rand.NewPCG(seed, 5))
	chosen, err := chosen(nil, false)
	if err != nil {
		panic(err)
	}
	run := new(result.Run)
	run.Lesson.Comparisons = comparisons(chosen, "direct", 1.5*float64(groups))
	for _, name := range []string{"a", "b", "slower-5"} {
		run.Cells = append(run.Cells, result.Cell{Cell: lesson.Cell{ID: name, Experiment: name, Path: "direct"},
			Status: result.OK})
	}
	for i, of := range []string{"b", "slower-5"} {
		figures := make([][2]float64, groups)
		for g := range figures {
			figures[g] = [2]float64{math.Exp(random.NormFloat64()*scatter) * chosen[i].ratio, 1}
		}
		run.Pairs = append(run.Pairs, result.Pair{Block: i + 1, Of: of, To: "a", Metrics: []string{"tps"},
			Status: result.OK, Seconds: 1.5 * float64(groups), Ending: result.TimeOver, Groups: groups,
			Figures: map[string][][2]float64{"tps": figures}})
		for c := range run.Cells {
			if id := run.Cells[c].ID; id == of || id == "a" {
				run.Cells[c].Repeats = append(run.Cells[c].Repeats, result.Repeat{Block: i + 1, Status: result.OK,
					Measured: &result.Measured{Transactions: 1000, TPS: 100}})
			}
		}
	}
	return run
}

// An outcome is the one that a lesson's comparison comes to with the same groups.
func TestOutcomesAreThoseOfComparisons(t *testing.T) {
	seen := map[outcome.Outcome]int{}
	for seed := range uint64(40) {
		run := made(seed, 40, 0.1)
		trials, _ := Judge(run)
		for i, plan := range run.Lesson.Comparisons {
			got, want := trials[i].Each[0], outcome.Compare(run, plan)
			if got.Outcome != want.Outcome || got.Ratio != want.Ratio.Interval {
				t.Errorf("it is %s, a comparison's is %s", got.Outcome, want)
			}
			seen[got.Outcome]++
		}
	}
	if seen[outcome.Lower] == 0 || seen[outcome.NoClearDifference] == 0 {
		t.Errorf("the outcomes seen are %v", seen)
	}
}

// A pair that was ended early has whole minutes until then: how long its clients took to get ready doesn't matter. One
// whose cells are the other way round is read so.
func TestJudgeWhatThereIs(t *testing.T) {
	run := made(1, 110, 0.01) // 2:45 minutes
	started := time.Date(2026, 11, 23, 16, 0, 0, 0, time.UTC)
	ended := started.Add(245 * time.Second)
	run.Pairs[0].Status, run.Pairs[0].Ending, run.Pairs[0].AtMost = result.Interrupted, "", 1200
	run.Pairs[0].Started, run.Pairs[0].Ended = &started, &ended
	run.Pairs[1].Of, run.Pairs[1].To = run.Pairs[1].To, run.Pairs[1].Of
	trials, without := Judge(run)
	if len(trials) != 2 || len(without) > 0 {
		t.Fatalf("%d trials, and without: %q", len(trials), without)
	}
	if n := len(trials[0].Each); n != 2 || math.Abs(trials[0].PerGroup-1.5) > 0.01 {
		t.Errorf("%d minutes of groups of %.2f s, expected are 2 of 1.5", n, trials[0].PerGroup)
	}
	if trials[1].Whole.Center < 1 || trials[1].right(trials[1].Each) != 0 || trials[1].wrong(trials[1].Each) != 2 {
		t.Errorf("the figures of a pair the other way round make %v, %d wrong", trials[1].Whole,
			trials[1].wrong(trials[1].Each))
	}
	run.Pairs = run.Pairs[:1]
	run.Unpaired = []result.Unpaired{{Of: "slower-5", To: "a", Metric: "tps", Reason: "too slow for a slot"}}
	trials, without = Judge(run)
	if len(trials) != 1 || len(without) != 1 || !strings.HasSuffix(without[0], "side by side: too slow for a slot") {
		t.Errorf("%d trials, and without: %q", len(trials), without)
	}
}

func TestParts(t *testing.T) {
	for _, test := range []struct {
		all    float64
		groups int
		parts  int
	}{{1200, 799, 20}, {1199.3, 799, 20}, {754, 502, 12}, {59.5, 39, 1}, {45, 30, 0}} {
		cut := parts(make([][2]float64, test.groups), test.all)
		sum := 0
		for _, part := range cut {
			sum += len(part)
			if want := float64(test.groups) * perVerdict / test.all; math.Abs(float64(len(part))-want) > 1.01*want/60+1 {
				t.Errorf("%g s of %g have %d groups", perVerdict, test.all, len(part))
			}
		}
		if len(cut) != test.parts || sum > test.groups {
			t.Errorf("%g s have %d parts with %d groups, expected are %d", test.all, len(cut), sum, test.parts)
		}
	}
}

func TestEarly(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	spread := func(by float64) (figures [][2]float64) {
		for range 40 {
			figures = append(figures, [2]float64{math.Exp(random.NormFloat64() * by), 1})
		}
		return figures
	}
	for _, test := range []struct {
		figures  [][2]float64
		perGroup float64
		want     int
	}{
		{spread(0.01), 1.5, outcome.EarliestGroups}, {spread(0.5), 1.5, 30}, {spread(0.5), 0.1, 40},
		{spread(0.01), 3, outcome.EarliestGroups}, {spread(0.01)[:7], 3, 7},
	} {
		if n := len(early(test.figures, test.perGroup)); n != test.want {
			t.Errorf("it ended after %d groups of %g s, expected are %d", n, test.perGroup, test.want)
		}
	}
}

// verdicts has so many outcomes of a sort.
func verdicts(o outcome.Outcome, n int) []Verdict {
	return slices.Repeat([]Verdict{{Outcome: o, Seconds: 60}}, n)
}

func TestReport(t *testing.T) {
	trial := func(wanted outcome.Outcome, right int, other outcome.Outcome) Tested {
		each := append(verdicts(wanted, right), verdicts(other, 20-right)...)
		return Tested{Counts: true, Wanted: wanted, Each: each, Early: each, PerGroup: 1.5, Expected: 1}
	}
	few := func(t Tested) Tested {
		t.Each, t.Early = t.Each[:4], t.Early[:4]
		return t
	}
	none, lower, higher := outcome.NoClearDifference, outcome.Lower, outcome.Higher
	for _, test := range []struct {
		name   string
		trials []Tested
		want   error
		counts string
	}{
		{"enough are right", []Tested{trial(none, 18, lower), trial(lower, 17, none)}, nil,
			"(no difference: 18 of 20 right; 5 % slower: 17 of 20 found)"},
		{"too many false alarms", []Tested{trial(none, 17, lower), trial(lower, 20, none)}, errWrong, "17 of 20 right"},
		{"both latencies together", []Tested{trial(none, 20, lower), trial(lower, 20, none), trial(none, 17, lower),
			trial(lower, 14, none)}, nil, "(no difference: 37 of 40 right; 5 % slower: 34 of 40 found)"},
		{"the slowdown is missed", []Tested{trial(none, 20, lower), trial(lower, 16, none)}, errMissed, "16 of 20 found"},
		{"it is found the wrong way round", []Tested{trial(none, 20, lower), trial(lower, 16, higher)}, errWrong,
			"16 of 20 found"},
		{"too few groups", []Tested{trial(none, 20, lower), trial(lower, 16, outcome.NoInterval)}, errMissed,
			"4 of 20 have too few groups for an interval"},
		{"four are too few", []Tested{few(trial(none, 20, lower)), few(trial(lower, 20, none))}, errNothing, "4 of 4 found"},
		{"nothing equal", []Tested{trial(lower, 20, none)}, errNothing, "0 of 0 right"},
		{"nothing", nil, errNothing, "0 of 0 found"},
	} {
		var out strings.Builder
		err := say(&out, test.trials, []string{"connect: it was not measured"})
		if err != test.want {
			t.Errorf("%s: the error is %v", test.name, err)
		}
		if !strings.Contains(out.String(), "\nselftest: "+conclusions[test.want]+" (") ||
			!strings.Contains(out.String(), test.counts) || !strings.Contains(out.String(), "connect: it was not") {
			t.Errorf("%s:\n%s", test.name, out.String())
		}
	}
}

// The rows name experiments of the plan, and what they compare differs by the share that they say.
func TestRowsAreOfThePlan(t *testing.T) {
	l, err := lesson.Read("../../k6/selftest.js")
	if err != nil {
		t.Fatal(err)
	}
	more := map[string]any{}
	for _, e := range l.Experiments {
		more[e.Name] = e.Params["more"]
	}
	for _, r := range rows {
		if _, ok := more[r.to]; !ok || more[r.to] != nil {
			t.Errorf("%s: the plan has no experiment %s without more reads", r.name, r.to)
		}
		share := 1.
		if percent, ok := more[r.of].(int); ok {
			share += float64(percent) / 100
		}
		if _, ok := more[r.of]; !ok || math.Abs(r.ratio*share-1) > 1e-9 && math.Abs(r.ratio-share) > 1e-9 {
			t.Errorf("%s: expected is a ratio of %.3f, and the plan's %s takes %.3f as long", r.name, r.ratio, r.of, share)
		}
	}
}

func TestChosen(t *testing.T) {
	for _, test := range []struct {
		rows []string
		all  bool
		want int
	}{{nil, false, 2}, {nil, true, len(rows)}, {[]string{"slower-2"}, false, 1}} {
		if got, err := chosen(test.rows, test.all); err != nil || len(got) != test.want {
			t.Errorf("%v, all %v: %v, %v", test.rows, test.all, got, err)
		}
	}
	if _, err := chosen([]string{"slower-3"}, false); err == nil || !strings.Contains(err.Error(), "slower-2") {
		t.Errorf("an unknown row: %v", err)
	}
	if all := comparisons(rows[:1], "direct", 60); !slices.Equal(experiments(all), []string{"a", "b"}) {
		t.Errorf("it compares %v", all)
	}
}
