package report

import (
	"bytes"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
	"pooler-lab/test/testkit"
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

// TestPairsAreShown: the page draws each group, and says as the terminal does how a ratio was measured.
func TestPairsAreShown(t *testing.T) {
	for _, test := range []struct {
		groups int
		change func(*result.Run)
		both   []string // what the page and the terminal say
		page   []string
		none   string // what the page doesn't have
	}{
		{38, nil, []string{"side by side, 38 groups of 4 x 230 ms", "6 blocks, not side by side: their links differ",
			"or within a group of slots where they ran side by side", "1 pair of cells side by side, then 6 blocks",
			"ratios of cells that ran side by side have one from 12 groups on"},
			[]string{"ended since the interval is as narrow as asked for", "group 38: ", `<rect class="interval`}, "group 39: "},
		{8, nil, []string{"8 of 12 groups"}, nil, `<rect class="interval`},
		{0, func(r *result.Run) { // one that came to nothing says why, even where no comparison needs it
			r.Pairs[0].Status, r.Pairs[0].Reason = result.Blocked, "an iteration of pgpool takes 60 ms"
			r.Lesson.Comparisons = nil
		}, []string{"ran in blocks", "an iteration of pgpool takes 60 ms"}, nil, "group 1: "},
	} {
		run := sideBySide(test.groups)
		if test.change != nil {
			test.change(run)
		}
		page, text := page(t, run), oneLine(Text(run, true))
		for _, want := range test.both {
			if !strings.Contains(page, want) || !strings.Contains(text, want) {
				t.Errorf("%q is missing on the page or in\n%s", want, text)
			}
		}
		for _, want := range test.page {
			if !strings.Contains(page, want) {
				t.Errorf("%q is missing on the page", want)
			}
		}
		if strings.Contains(page, test.none) {
			t.Errorf("with %d groups the page has %s", test.groups, test.none)
		}
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

// TestFiles: a run leaves its page and its values, and those of its pairs where it has some.
func TestFiles(t *testing.T) {
	run := sideBySide(21)
	for _, pairs := range []bool{true, false} {
		dir := t.TempDir()
		testkit.OK(t, Write(dir, run))
		for name, want := range map[string]bool{HTMLFile: true, CSVFile: true, PairsFile: pairs} {
			if exists(filepath.Join(dir, name)) != want {
				t.Errorf("a run with pairs (%v) left %s: %v", pairs, name, !want)
			}
		}
		run.Pairs = nil
	}
	var out bytes.Buffer
	testkit.OK(t, PairsCSV(&out, sideBySide(21)))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 22 || lines[0] != "run,block,of,to,status,slot_ms,metric,group,of_figure,to_figure,ratio" {
		t.Errorf("the pairs' file has %d lines: %s", len(lines), strings.Join(lines[:2], "\n"))
	}
}
