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

// sideBySide is the run of pooling in which the cells of its first comparison ran side by side, and those of its second
// can't.
func sideBySide(groups int) *result.Run {
	run := pooling()
	all := outcome.All(run).Comparisons
	figures := make([][2]float64, groups)
	for i := range figures {
		figures[i] = [2]float64{20 + math.Sin(float64(i)), 18}
	}
	many, once := all[0], all[1]
	many.Of.Paired, many.To.Paired = 1, 1
	many.Of.Repeats, many.To.Repeats = many.Of.Repeats[:2], many.To.Repeats[:2]
	run.Pairs = []result.Pair{{Block: 1, Of: many.Of.ID, To: many.To.ID, Metrics: []string{"tps"}, Status: result.OK,
		SlotMS: 330, Groups: groups, Ending: result.TimeOver, Figures: map[string][][2]float64{"tps": figures}}}
	run.Unpaired = []result.Unpaired{{Of: once.Of.ID, To: once.To.ID, Metric: "connect", Reason: "one client has no pool"}}
	return run
}

func TestVerdictOfPairs(t *testing.T) {
	run := sideBySide(25)
	got := strings.Join(strings.Fields(Verdict(run, outcome.All(run))), " ")
	for _, want := range []string{
		"or within a group of slots where they ran side by side",
		"higher 1.1",
		"(tps; side by side, 25 groups of 4 x 330 ms)",
		"(connect; 1 block, not side by side: one client has no pool): 1 of 6 common repeats",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

func TestAPairThatCameToNothing(t *testing.T) {
	run := sideBySide(0)
	run.Pairs[0].Status, run.Pairs[0].Reason = result.Failed, "k6 ended with code 107"
	if got := detailed(run); !strings.Contains(got, "Planned side by side, but run in blocks:") ||
		!strings.Contains(got, ": k6 ended with code 107") {
		t.Errorf("it says\n%s", got)
	}
}

// TestOnceBesideAnother: a cell that ran once, beside another one, isn't among those that support no conclusion.
func TestOnceBesideAnother(t *testing.T) {
	run := sideBySide(25)
	before := once(run)
	for i := range run.Cells {
		if c := &run.Cells[i]; c.Paired > 0 {
			c.Wanted = 1
		}
	}
	if after := once(run); after != before {
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
		!strings.HasSuffix(lines[1], ",ok,330,tps,1,20,18,1.1111111111111112") {
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
