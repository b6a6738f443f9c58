package report

import (
	"strings"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

// A chart says which cells it has no place for, and what is drawn there; so does the plan of a run beforehand.
func TestCellsThatAChartHasNoPlaceFor(t *testing.T) {
	run := newRun()
	run.Lesson.Charts = []lesson.Chart{{Title: "Throughput", Kind: "bars", Metric: "tps", X: "latency_ms",
		Of: pick(`{"experiment": "throughput"}`)}}
	for _, path := range []string{"direct", "pgpool", "standby"} {
		add(run, "throughput", path, lesson.None, measured(1, 0.1, 9000, 0, 1))
	}
	const want = "Drawn of cells in one place: direct. The tables alone have 2 cells: pgpool; standby."
	if drawn := NewPage(run).Charts; len(drawn) != 1 || drawn[0].Note != want {
		t.Errorf("the charts are %+v", drawn)
	}
	if terms := NotDrawn(run); len(terms) != 1 || terms[0] != (Term{"Throughput", want}) {
		t.Errorf("not drawn is %v", terms)
	}
	run.Lesson.Charts[0].Series = "path"
	if terms := NotDrawn(run); terms != nil {
		t.Errorf("not drawn is %v, where each has a place", terms)
	}
}

// A chart's title says what an option has made of its cells, and a caption that isn't so any more isn't shown.
func TestTitlesOfChangedCells(t *testing.T) {
	run := newRun()
	run.Lesson.Charts = []lesson.Chart{{Title: "Throughput", Kind: "bars", Metric: "tps", X: "path"}}
	run.Lesson.Experiments = []result.Experiment{{Name: "throughput", Changed: map[string][]string{"clients": {"10"}}}}
	c := add(run, "throughput", "direct", lesson.None, measured(1, 0.1, 9000, 0, 1))
	c.Clients = 25
	drawn := NewPage(run).Charts
	if len(drawn) != 1 || !strings.Contains(drawn[0].Data.Caption, "Throughput, 25 clients") {
		t.Errorf("the charts are %+v", drawn)
	}
}
