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

	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
	"pooler-lab/internal/trial"
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
		if first.Measured.TPS != 50 || first.Resources.NotMeasured == "" || len(first.Resources.Containers) > 0 ||
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
	if _, err := os.Stat(filepath.Join(r.lab.Folder, "k6", "pair-1.stop")); err == nil {
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
		go onceThere(filepath.Join(r.lab.Folder, trial.K6Folder, "signals"), interrupt)
		if err := r.run(ctx); err == nil {
			t.Error("an interrupted run has no error")
		}
		run := written(t, r.lab.Folder)
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
