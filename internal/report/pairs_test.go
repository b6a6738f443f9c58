package report

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// sideBySide is the run of latency in which the cells of one comparison ran side by side, and those of another can't.
func sideBySide(groups int) *result.Run {
	run := latency()
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

// TestPairsAreShown: the page draws each group, and the terminal says how a ratio was measured.
func TestPairsAreShown(t *testing.T) {
	run := sideBySide(38)
	page, text := page(t, run), oneLine(Text(run, true))
	for _, want := range []string{
		"side by side, 38 groups of 4 x 230 ms",
		"6 blocks, not side by side: their links differ",
		"or within a group of slots where they ran side by side",
		"1 pair of cells side by side, then 6 blocks",
		"ratios of cells that ran side by side have one from 12 groups on",
	} {
		if !strings.Contains(page, want) || !strings.Contains(text, want) {
			t.Errorf("%q is missing on the page or in\n%s", want, text)
		}
	}
	for _, want := range []string{"ended since the interval is as narrow as asked for", "group 38: "} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing on the page", want)
		}
	}
	if n := strings.Count(page, `<circle class="group `); n != 38 {
		t.Errorf("%d groups are drawn", n)
	}
}

// TestAPairThatCameToNothing: it says why, even where no comparison needs it.
func TestAPairThatCameToNothing(t *testing.T) {
	run := sideBySide(0)
	run.Pairs[0].Status, run.Pairs[0].Reason = result.Blocked, "an iteration of pgpool takes 60 ms"
	run.Lesson.Comparisons = nil
	for name, text := range map[string]string{"the page": page(t, run), "the terminal": oneLine(Text(run, true))} {
		if !strings.Contains(text, "ran in blocks") || !strings.Contains(text, "an iteration of pgpool takes 60 ms") {
			t.Errorf("%s doesn't say why the pair ran in blocks", name)
		}
	}
}

// TestTooFewGroups: the page says so, and draws no band.
func TestTooFewGroups(t *testing.T) {
	page := page(t, sideBySide(8))
	if !strings.Contains(page, "8 of 12 groups") || strings.Contains(page, `<rect class="interval`) {
		t.Error("eight groups have an interval, or the page doesn't say that they have none")
	}
}

// TestFewDoesntMeanPairs: a cell that ran once, beside another one, isn't among those that support no conclusion.
func TestFewDoesntMeanPairs(t *testing.T) {
	run := sideBySide(25)
	before := few(run)
	for i := range run.Cells {
		if c := &run.Cells[i]; c.Paired > 0 {
			c.Wanted = 1
		}
	}
	if after := few(run); after != before {
		t.Errorf("with paired cells that ran once it reads\n%s\nand without them\n%s", after, before)
	}
}

func TestPairsCSV(t *testing.T) {
	run := sideBySide(21)
	dir := t.TempDir()
	if err := Write(dir, run); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, PairsFile))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != 22 || lines[0] != "run,block,of,to,status,slot_ms,metric,group,of_figure,to_figure,ratio" ||
		!strings.HasSuffix(lines[1], "") {
		t.Errorf("it has %d lines: %s", len(lines), strings.Join(lines[:2], "\n"))
	}
	run.Pairs = nil
	other := t.TempDir()
	if err := Write(other, run); err != nil {
		t.Fatal(err)
	}
	if exists(filepath.Join(other, PairsFile)) {
		t.Error("a run without pairs has a file of them")
	}
}
