package run

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pooler-lab/internal/driver"
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// newPairRunner makes a runner of one pair, whose cells run in one block, too, and would run in three without it.
func newPairRunner(t *testing.T, behaviour string) (*runner, *linksStandIn, *serversStandIn) {
	a, b := slow("a"), plain("b")
	b.Path = "pooled"
	a.Wanted, a.Paired, a.Planned = 2, 1, 3
	b.Wanted, b.Paired, b.Planned = 2, 1, 3
	r, links, servers := newRunner(t, behaviour, a, b)
	servers.roundTrip = 10.2
	r.doc.Pairs = []result.Pair{{Block: 1, Of: "a", To: "b", Metrics: []string{"tps"}, Until: 0.05, AtMost: 10,
		Status: result.Planned}}
	r.doc.Blocks = 2
	return r, links, servers
}

func TestPairEndsOnceItIsPrecise(t *testing.T) {
	r, links, servers := newPairRunner(t, "good")
	var lines []string
	r.progress.out = writerFunc(func(line string) { lines = append(lines, line) })
	servers.counts = []result.Count{{What: "transactions of both", K6: 110, Server: 110, Equal: true}}
	run := ran(t, r, false)
	p := run.Pairs[0]
	if p.Status != result.OK || p.Ending != result.Precise || p.Groups < outcome.EarliestGroups ||
		len(p.Figures["tps"]) != p.Groups || p.SlotMS != 230 || p.MedianMS != [2]float64{1, 2} || p.Started == nil ||
		p.Ended == nil {
		t.Errorf("the pair is %+v", p)
	}
	if f := p.Figures["tps"][0]; math.Abs(f[0]*0.46-81) > 1e-9 || math.Abs(f[1]*0.46-100) > 1e-9 {
		t.Errorf("the first group's figures are %v", f)
	}
	if ratio := outcome.Groups(p.Figures["tps"]); ratio.Lo > 0.81 || ratio.Hi < 0.81 || outcome.HalfWidth(ratio) > 0.05 {
		t.Errorf("the ratio is %+v", ratio)
	}
	if run.Status != result.Finished || run.Unfinished != 0 {
		t.Errorf("the run is %s, %d repeats are missing", run.Status, run.Unfinished)
	}
	for i, c := range run.Cells {
		if c.Status != result.OK || len(c.Repeats) != 2 || c.Repeats[0].Block != 1 || c.Repeats[1].Block != 2 ||
			c.Repeats[0].Position != i+1 {
			t.Fatalf("cell %s is %s: %+v", c.ID, c.Status, c.Repeats)
		}
		first := c.Repeats[0]
		if first.Measured.TPS != 50 || first.Resources.NotMeasured != onlyTogether || len(first.Resources.Containers) > 0 ||
			first.Summary != "k6/pair-1.json" || first.Pooler != nil || len(first.Counts) != 1 {
			t.Errorf("its repeat in the pair is %+v", first)
		}
	}
	counted := result.Counted{Transactions: 55, Prepares: 1, Connections: 1}
	if got := servers.reconciled[0]; !slices.Equal(got, []result.Counted{counted, counted}) {
		t.Errorf("counts of %v were compared", got)
	}
	if got := links.latency["client-primary"]; got != 10 && got != 0 {
		t.Errorf("the link had %g ms", got)
	}
	if _, err := os.Stat(filepath.Join(r.dir, "k6", "pair-1.stop")); err == nil {
		t.Error("the file that ended k6 is still there")
	}
	if !strings.HasPrefix(lines[0], "pair 1/1: direct, 10 ms : pooled, select, 1 client; about ") ||
		!strings.HasPrefix(lines[1], "block 2/2, cell 2/3: ") {
		t.Errorf("it says %q", lines)
	}
}

func TestPairEndsWhenItsTimeIsOver(t *testing.T) {
	t.Setenv("GROUPS_MOST", "30")
	t.Setenv("NOISE", "400")
	r, _, _ := newPairRunner(t, "good")
	p := ran(t, r, false).Pairs[0]
	if p.Status != result.OK || p.Ending != result.TimeOver || p.Groups != 30 {
		t.Errorf("the pair is %s after %d groups: %s", p.Status, p.Groups, p.Ending)
	}
}

// Cells that can't alternate, or didn't, run in blocks as often as their experiment says.
func TestPairThatComesToNothingLeavesItsCellsToBlocks(t *testing.T) {
	facts := []result.Fact{{What: "the pool mode", Said: "session", Want: "transaction"}}
	for name, test := range map[string]struct {
		behaviour string
		facts     []result.Fact
		status    result.Status
		reason    string
		cells     result.Status
	}{
		"an iteration takes too long": {"slow", nil, result.Blocked, "an iteration of direct, 10 ms takes 60ms", result.OK},
		"a side never begins":         {"never", nil, result.Failed, "no client of pooled is ready", result.OK},
		"clients are gone":            {"gone", nil, result.Failed, "no client of pooled is left", result.OK},
		"a group can't be read":       {"nonsense", nil, result.Failed, "read k6's groups: group 3: ", result.OK},
		"k6 fails": {"broken", nil, result.Failed, "k6 ended with code 107: ReferenceError: pg is not defined",
			result.Failed},
		"a path leads elsewhere": {"good", facts, result.Failed,
			"pooled: the path doesn't lead where it says: the pool mode is session", result.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			r, _, servers := newPairRunner(t, test.behaviour)
			servers.facts = test.facts
			run := ran(t, r, test.cells == result.Failed)
			if p := run.Pairs[0]; p.Status != test.status || !strings.HasPrefix(p.Reason, test.reason) {
				t.Errorf("the pair is %s: %s", p.Status, p.Reason)
			}
			for _, c := range run.Cells {
				var blocks []int
				for _, repeat := range c.Repeats {
					blocks = append(blocks, repeat.Block)
				}
				if c.Status != test.cells || c.Wanted != 3 || c.Paired != 0 || !slices.Equal(blocks, []int{2, 3, 4}) {
					t.Errorf("cell %s is %s, in blocks %v, wanted %d times", c.ID, c.Status, blocks, c.Wanted)
				}
			}
			if run.Blocks != 4 || run.Unfinished != 0 || r.progress.at.Done != r.progress.at.Of {
				t.Errorf("%d blocks, %d repeats are missing, %d of %d are done", run.Blocks, run.Unfinished, r.progress.at.Done,
					r.progress.at.Of)
			}
		})
	}
}

// A link that somebody changed under a pair makes it run again.
func TestADisturbedPairRunsAgain(t *testing.T) {
	r, links, _ := newPairRunner(t, "good")
	links.swap = func(snapshot int, latency map[string]float64) {
		if snapshot == 4 { // the run takes one at its start, the attempt one to set, one before its load and one after it
			latency["client-standby"] += 5
		}
	}
	run := ran(t, r, false)
	if p := run.Pairs[0]; p.Status != result.OK || p.File != "k6/pair-1-attempt2.groups" {
		t.Errorf("the pair is %+v", p)
	}
	for _, c := range run.Cells {
		var all []string
		for _, repeat := range c.Repeats {
			all = append(all, fmt.Sprintf("%d.%d %s", repeat.Block, repeat.Attempt, repeat.Status))
		}
		if want := []string{"1.1 rejected", "1.2 ok", "2.1 ok"}; !slices.Equal(all, want) ||
			!strings.Contains(c.Repeats[0].Reason, "someone changed a link meanwhile: client-standby") {
			t.Errorf("the repeats of %s are %v", c.ID, all)
		}
	}
}

// A self-test's first attempt counts: what another one might go without is flagged alone.
func TestAPairThatIsMeasuredOnce(t *testing.T) {
	for once, file := range map[bool]string{false: "k6/pair-1-attempt2.groups", true: "k6/pair-1.groups"} {
		r, _, servers := newPairRunner(t, "good")
		r.once = once
		servers.counts = []result.Count{{What: "transactions of both", K6: 110, Server: 111}}
		run := ran(t, r, false)
		if p := run.Pairs[0]; p.Status != result.OK || p.File != file ||
			!slices.Contains(run.Cells[0].Flags(), result.FlagCounts) {
			t.Errorf("once: %v: the pair is %s, its flags are %v", once, p.File, run.Cells[0].Flags())
		}
	}
}

// What stops a run lets the group under way end, and looks at the pair as at any other one. Where k6 doesn't end in
// time, its groups are kept, and nobody has looked.
func TestCtrlCInAPair(t *testing.T) {
	for behaviour, looked := range map[string]bool{"waits": true, "stuck": false} {
		r, _, servers := newPairRunner(t, behaviour)
		servers.counts = []result.Count{{What: "transactions of both", K6: 110, Server: 111}}
		ctx, interrupt := context.WithCancel(t.Context())
		defer interrupt()
		go onceThere(filepath.Join(r.dir, k6Folder, "signals"), interrupt)
		if err := r.run(ctx); err == nil {
			t.Error("an interrupted run has no error")
		}
		run := written(t, r.dir)
		p := run.Pairs[0]
		if p.Status != result.Interrupted || p.Groups != 5 || len(p.Figures["tps"]) != 5 ||
			p.Ending != string(result.Interrupted) || run.Unfinished != 4 {
			t.Errorf("%s: the pair is %+v, %d repeats are missing", behaviour, p, run.Unfinished)
		}
		for _, c := range run.Cells {
			if len(c.Repeats) != 1 || c.Repeats[0].Status != result.Interrupted || (c.Repeats[0].Measured != nil) != looked ||
				c.Repeats[0].Flagged(result.FlagCounts) != looked {
				t.Errorf("%s: the repeats of %s are %+v", behaviour, c.ID, c.Repeats)
			}
		}
	}
}

// A pair goes on until it is steady. Its time begins then.
func TestWhyAPairEnds(t *testing.T) {
	level := func(n int) (figures [][2]float64) {
		for i := range n {
			figures = append(figures, [2]float64{80 + 2*float64(i%3), 100})
		}
		return figures
	}
	falls := func(n int) (figures [][2]float64) {
		for i := range n {
			figures = append(figures, [2]float64{200 - 2*float64(i), 100})
		}
		return figures
	}
	for name, test := range map[string]struct {
		figures [][2]float64
		seconds float64 // that they took
		until   float64
		ending  string
		warming int
	}{
		"too few for an interval":  {level(11), 20, 0.05, "", 0},
		"too few to end so soon":   {level(19), 20, 0.05, "", 0},
		"precise":                  {level(20), 20, 0.05, result.Precise, 0},
		"not precise":              {level(20), 20, 0.001, "", 0},
		"not precise in time":      {level(20), 39, 0.001, result.TimeOver, 0},
		"it drifts":                {falls(20), 60, 0.5, "", 0},
		"precise once steady":      {append(falls(8), level(30)...), 38, 0.5, result.Precise, 8},
		"steady, and time goes on": {append(falls(8), level(30)...), 48, 0.001, "", 8},
		"its time is over":         {append(falls(8), level(30)...), 76, 0.001, result.TimeOver, 8},
	} {
		pair := &result.Pair{Metrics: []string{"tps"}, Until: test.until, AtMost: 40, Seconds: test.seconds,
			Groups: len(test.figures), Figures: map[string][][2]float64{"tps": test.figures}}
		ending := (&follower{pair: pair}).ending()
		if ending != test.ending || pair.Warming != test.warming ||
			math.Abs(pair.WarmingSeconds-test.seconds*float64(test.warming)/float64(len(test.figures))) > 1e-9 {
			t.Errorf("%s: it ends by %q after %d groups that don't count, %v s", name, ending, pair.Warming,
				pair.WarmingSeconds)
		}
	}
}

// A line is read once k6 has written it to its end.
func TestWholeGroupsAreRead(t *testing.T) {
	r, _, _ := newPairRunner(t, "good")
	made := newTrial(&r.doc.Pairs[0], 1, 1, 1, r.doc.Cells[0].Cell, r.doc.Cells[1].Cell)
	pair := made.pair
	pair.Figures = map[string][][2]float64{}
	f := &follower{sides: made.sides, pair: pair, file: driver.Follower{File: filepath.Join(t.TempDir(), "groups")}}
	const group = `{"number": 1, "sides": [{"seconds": 2, "counters": {"pg_transactions": 8}}, {"seconds": 2,
 "counters": {"pg_transactions": 4}}]}`
	line := strings.ReplaceAll(group, "\n", "") + "\n"
	for _, step := range []struct {
		text string
		want int
	}{{"", 0}, {line[:40], 0}, {line, 1}, {line + line + line[:9], 2}} {
		if step.text != "" {
			if err := os.WriteFile(f.file.File, []byte(step.text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if f.read(); f.err != nil || pair.Groups != step.want {
			t.Errorf("of %q, %d groups are read: %v", step.text, pair.Groups, f.err)
		}
	}
	if want := [][2]float64{{4, 2}, {4, 2}}; !slices.Equal(pair.Figures["tps"], want) {
		t.Errorf("the figures are %v", pair.Figures)
	}
}

// Cells are named by what they differ by, whatever that is.
func TestNamesOfAPair(t *testing.T) {
	one := plain("one")
	pooled, prepared, elsewhere := one, one, one
	pooled.Path, prepared.Protocol, elsewhere.Experiment = "pooled", "prepared", "h"
	for want, other := range map[string]lesson.Cell{
		"direct : pooled, select, 1 client":                             pooled,
		"simple protocol : prepared protocol, direct, select, 1 client": prepared,
		"g : h, direct, select, 1 client":                               elsewhere,
	} {
		if got := pairName(one, other); got != want {
			t.Errorf("a pair is called %q, it should be %q", got, want)
		}
	}
}
