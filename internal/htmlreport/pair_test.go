package htmlreport

import (
	"math"
	"strings"
	"testing"

	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// sideBySide is the fixture in which the cells of one comparison ran side by side, and those of another can't.
func sideBySide(groups int) *result.Run {
	run := fixture()
	all := outcome.All(run)
	pooled, near := all.Comparisons[1], all.Comparisons[2]
	figures := make([][2]float64, groups)
	for i := range figures {
		noise := 0.06 * math.Sin(float64(5*i)) * math.Cos(float64(i))
		figures[i] = [2]float64{8100 * (1 + noise), 9000 * (1 - noise)}
	}
	for i := range run.Cells {
		c := &run.Cells[i]
		for j := range c.Repeats {
			c.Repeats[j].Block++ // the pair is the first block
		}
		if c.ID == pooled.Of.ID || c.ID == pooled.To.ID {
			c.Paired, c.Wanted = 1, 2
			of := repeat(1, 0.1, 8000, 1)
			c.Repeats = append([]result.Repeat{of}, c.Repeats[:1]...)
		}
	}
	run.Blocks++
	run.Pairs = []result.Pair{{Block: 1, Of: pooled.Of.ID, To: pooled.To.ID, Metrics: []string{"tps"}, Until: 0.05,
		AtMost: 45, Status: result.OK, SlotMS: 230, Groups: groups, Ending: result.Precise,
		Figures: map[string][][2]float64{"tps": figures}}}
	run.Unpaired = []result.Unpaired{{Of: near.Of.ID, To: near.To.ID, Metric: "tps", Reason: "their links differ"}}
	return run
}

func TestAPageShowsPairs(t *testing.T) {
	page, err := Run(sideBySide(38))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"side by side, 38 groups of 4 x 230 ms; ended since the interval is as narrow as asked for",
		"6 blocks, not side by side: their links differ",
		"within groups of slots where the two ran side by side",
		"1 pair of cells side by side, then 6 blocks",
		"ratios of cells that ran side by side have one from 12 groups on",
		"group 38: ",
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("%q is missing on the page", want)
		}
	}
	if n := strings.Count(string(page), `<circle class="group `); n != 38 {
		t.Errorf("%d groups are drawn", n)
	}
}

// TestPairsBesideBlocks puts a run with a pair beside one without.
func TestPairsBesideBlocks(t *testing.T) {
	page, err := Beside(Named{"pairs", sideBySide(38)}, Named{"blocks", fixture()})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(page), "side by side, 38 groups of 4 x 230 ms"); n != 1 {
		t.Errorf("how the ratio was measured stands there %d times", n)
	}
}

// TestAPairThatCameToNothing: the page says why, even where no comparison needs it.
func TestAPairThatCameToNothing(t *testing.T) {
	run := sideBySide(0)
	run.Pairs[0].Status, run.Pairs[0].Reason = result.Blocked, "an iteration of pgpool takes 60 ms"
	run.Lesson.Comparisons = nil
	page, err := Run(run)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"ran in blocks", "an iteration of pgpool takes 60 ms"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("%q is missing on the page", want)
		}
	}
}

// TestTooFewGroups: the page says so, and draws no band.
func TestTooFewGroups(t *testing.T) {
	page, err := Run(sideBySide(8))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "8 of 12 groups") || strings.Contains(string(page), `<rect class="interval`) {
		t.Error("eight groups have an interval, or the page doesn't say that they have none")
	}
}

// TestPairsSupportConclusions: where cells ran side by side, no alert says that figures support none.
func TestPairsSupportConclusions(t *testing.T) {
	for groups, alerted := range map[int]bool{38: false, 8: true} {
		run := sideBySide(groups)
		for i := range run.Cells {
			run.Cells[i].Wanted = min(run.Cells[i].Wanted, 2)
		}
		page, err := Run(run)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(page), "No cell ran six times") != alerted {
			t.Errorf("%d groups: the alert is there: %v", groups, !alerted)
		}
	}
}
