package selftest

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// A noise is what a made-up machine adds to figures. Shares are standard deviations.
type noise struct {
	block float64 // of all cells of a block alike
	own   float64 // of each repeat for itself
	odd   float64 // share of repeats that take 30 % longer
	drift float64 // from one block to the next
}

// ask makes the comparison of an experiment with the cell 'a'.
func ask(name, experiment string) lesson.Comparison {
	in := func(experiment string) lesson.Selector {
		return lesson.Selector{"experiment": lesson.Word(experiment)}
	}
	return lesson.Comparison{Name: name, Text: name, Metric: "statement", Of: in(experiment), To: in("a")}
}

// made is a run of blocks of three cells: two that are the same and one that takes 10 % longer.
func made(random *rand.Rand, blocks int, n noise) *result.Run {
	run := &result.Run{Blocks: blocks, Lesson: result.Lesson{Comparisons: []lesson.Comparison{ask("response-time-same",
		"b"), ask("response-time-slower", "slower")}}}
	for _, name := range []string{"a", "b", "slower"} {
		run.Cells = append(run.Cells, result.Cell{Cell: lesson.Cell{ID: name, Experiment: name, Path: "direct",
			Workload: "select", Clients: 1}, Status: result.OK})
	}
	for block := 1; block <= blocks; block++ {
		all := random.NormFloat64()*n.block + n.drift*float64(block)
		for i := range run.Cells {
			ms := math.Exp(all + random.NormFloat64()*n.own)
			if random.Float64() < n.odd {
				ms *= 1.3
			}
			if i == 2 {
				ms *= 1.1
			}
			run.Cells[i].Repeats = append(run.Cells[i].Repeats, result.Repeat{Block: block, Status: result.OK,
				Measured: &result.Measured{Trends: map[string]result.Trend{"pg_statement": {Count: 50, Med: ms}}}})
		}
	}
	return run
}

// TestWhatOutcomesWithstand makes thousands of comparisons on noise that is known.
func TestWhatOutcomesWithstand(t *testing.T) {
	const comparisons = 1200
	tests := []struct {
		name        string
		noise       noise
		repeats     int
		same, found [2]float64 // least and most share that is right
	}{
		{"a spread of 5 %, most of it the block's", noise{block: 0.039, own: 0.0316}, 6, [2]float64{0.955, 0.985},
			[2]float64{0.88, 0.93}},
		{"half as much of one's own", noise{block: 0.043, own: 0.025}, 6, [2]float64{0.955, 0.985}, [2]float64{0.965, 0.99}},
		{"a machine that slows down by 3 % a block", noise{own: 0.025, drift: 0.03}, 6, [2]float64{0.955, 0.985},
			[2]float64{0.965, 0.99}},
		{"a spread of 5 % of one's own is too much", noise{own: 0.05}, 6, [2]float64{0.955, 0.985}, [2]float64{0.53, 0.61}},
		{"for six repeats, not for twelve", noise{own: 0.05}, 12, [2]float64{0.95, 0.98}, [2]float64{0.88, 0.94}},
		{"one repeat in twenty is far off", noise{own: 0.02, odd: 0.05}, 6, [2]float64{0.955, 0.985}, [2]float64{0.7, 0.8}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(7, 7))
			run := made(random, comparisons*test.repeats, test.noise)
			for i, trial := range judgedQuickly(run, test.repeats) {
				share := trial
				want := [][2]float64{test.same, test.found}[i]
				if share < want[0] || share > want[1] {
					t.Errorf("%s: %.3f of the comparisons are right, expected are %v", run.Lesson.Comparisons[i].Name, share, want)
				}
			}
		})
	}
}

// judgedQuickly is the share of right outcomes, block ranges cut out beforehand.
func judgedQuickly(run *result.Run, repeats int) []float64 {
	var right [2]int
	n := run.Blocks / repeats
	for i := range n {
		part := &result.Run{Blocks: repeats, Lesson: run.Lesson, Cells: append([]result.Cell{}, run.Cells...)}
		for j := range part.Cells {
			part.Cells[j].Repeats = run.Cells[j].Repeats[i*repeats : (i+1)*repeats]
			for k := range part.Cells[j].Repeats {
				part.Cells[j].Repeats[k].Block = k + 1
			}
		}
		for j, trial := range Judge(part, repeats) {
			right[j] += trial.Right
		}
	}
	return []float64{float64(right[0]) / float64(n), float64(right[1]) / float64(n)}
}

func TestFoundAgreesWithTheSimulation(t *testing.T) {
	for _, test := range []struct {
		own     float64 // of a cell
		repeats int
		want    float64
	}{{0.0316, 6, 0.90}, {0.05, 6, 0.57}, {0.05, 12, 0.91}, {0, 6, 1}, {0.02, 5, 0}} {
		if got := Found(1.1, test.own*math.Sqrt2, test.repeats); math.Abs(got-test.want) > 0.015 {
			t.Errorf("at %v, %d repeats find 10 %% in %.3f of comparisons, it should be %.2f", test.own, test.repeats, got,
				test.want)
		}
	}
}

func TestJudge(t *testing.T) {
	run := made(rand.New(rand.NewPCG(1, 1)), 13, noise{own: 0.005}) // the last block is left over
	run.Cells[1].Repeats[8].Flags = []result.Flag{{Kind: result.FlagHost}}
	trials := Judge(run, 6)
	if len(trials) != 2 || len(trials[0].Outcomes) != 2 || len(trials[1].Outcomes) != 2 {
		t.Fatalf("the trials are %+v", trials)
	}
	same, slower := trials[0], trials[1]
	if same.Inconclusive != 1 || same.Outcomes[1].Outcome != outcome.Inconclusive || same.Holds() {
		t.Errorf("a flagged comparison counts: %+v", same.Outcomes)
	}
	if slower.Right != 2 || !slower.Holds() || math.Abs(slower.Whole.Center-1.1) > 0.01 || slower.Spread < 0.003 ||
		slower.Spread > 0.012 {
		t.Errorf("a slowdown of 10 %% is %d of 2 times seen, %.3f in all, spread %.4f", slower.Right, slower.Whole.Center,
			slower.Spread)
	}
}

func TestReport(t *testing.T) {
	outcomes := make([]outcome.Comparison, 20)
	for _, test := range []struct {
		name                        string
		right, inconclusive, missed int
		last                        string
		want                        error
	}{
		{"enough are right", 18, 0, 2, "selftest: nine of ten comparisons or more say what is true", nil},
		{"three are wrong", 17, 0, 0, "selftest: on this machine, outcomes are wrong in more than one of ten comparisons",
			errWrong},
		{"the slowdown is missed", 14, 3, 3,
			"selftest: what is said is true, but repeats differ too much here to find 10 %: more of them do, as noted beside " +
				"each", errMissed},
		{"too many are inconclusive", 12, 8, 0,
			"selftest: too many comparisons are inconclusive: something else used the machine, or it is too " +
				"small", errInconclusive},
	} {
		var out strings.Builder
		trials := []Trial{{Outcomes: outcomes, Right: 20, Wanted: outcome.NoClearDifference},
			{Outcomes: outcomes, Right: test.right, Inconclusive: test.inconclusive, Missed: test.missed, Wanted: outcome.Higher,
				Spread: 0.02}}
		if err := report(&out, trials, 6); err != test.want {
			t.Errorf("%s: the error is %v", test.name, err)
		}
		if !strings.HasSuffix(out.String(), "\n"+test.last+"\n") ||
			!strings.Contains(out.String(), "6 repeats find 10 % in 100 of 100 comparisons") {
			t.Errorf("%s:\n%s", test.name, out.String())
		}
	}
}

func TestRepeatsThatFind(t *testing.T) {
	for spread, want := range map[float64]int{0.03: 6, 0.08: 20, 0.1: 30, 3: 0} {
		if got := (Trial{Spread: spread}).repeatsThatFind(); got != want {
			t.Errorf("at a spread of %v: %d repeats, it should be %d", spread, got, want)
		}
	}
}

func TestHolds(t *testing.T) {
	for right, want := range map[int]bool{18: true, 17: false, 20: true} {
		if got := (Trial{Right: right, Outcomes: make([]outcome.Comparison, 20)}).Holds(); got != want {
			t.Errorf("%d of 20: %v", right, got)
		}
	}
}
