package plan

import (
	"testing"
	"time"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

// docOf is a run of these cells, and of a pair of the first two where pair is set.
func docOf(pair bool, cells ...lesson.Cell) *result.Run {
	doc := &result.Run{Blocks: 1}
	for _, c := range cells {
		doc.Cells = append(doc.Cells, result.Cell{Cell: c})
	}
	if pair {
		doc.Pairs = []result.Pair{{Block: 1, Of: cells[0].ID, To: cells[1].ID, Until: 0.05, AtMost: 58.5,
			Status: result.Planned}}
		doc.Blocks = 2
		doc.Cells[0].Paired, doc.Cells[1].Paired = 1, 1
	}
	return doc
}

// timed is a cell with a window of so many seconds.
func timed(id string, seconds float64, wanted int) lesson.Cell {
	return lesson.Cell{ID: id, Experiment: "größe", Path: "direct", Workload: "select", Clients: 10,
		Shared: lesson.Shared{Seconds: seconds}, Wanted: wanted}
}

func TestEstimate(t *testing.T) {
	work := timed("w", 98.5, 2)
	work.Transactions = 5
	ended := func(e *Estimate, sort int, plan, took time.Duration) {
		e.left[sort] -= plan
		e.ended[sort] += plan
		e.took[sort] += took
	}
	tests := []struct {
		name     string
		doc      *result.Run
		expected time.Duration
		ends     func(*Estimate)
		want     string
	}{
		{"windows, and 1.5 s for each trial", docOf(false, timed("a", 8.5, 3)), 0, nil, "about 0:30"},
		{"a pair, and what its cells run alone", docOf(true, timed("a", 8.5, 2), timed("b", 8.5, 2)), 0, nil, "1:20 at most"},
		{"fixed work", docOf(false, timed("a", 8.5, 3), work), 0, nil, "3:50 at most"},
		{"as the author says", docOf(false, timed("a", 8.5, 3), work), 70 * time.Second, nil, "about 1:10"},
		{"no more than is planned", docOf(false, work), time.Hour, nil, "about 3:20"},
		{"trials that took twice their time", docOf(false, timed("a", 8.5, 8)), 0, func(e *Estimate) {
			ended(e, windows, 20*time.Second, 40*time.Second)
		}, "about 1:30"}, // (20 + 40) of (20 + 20), of 60
		{"work that ended early", docOf(false, timed("a", 8.5, 1), work), 60 * time.Second, func(e *Estimate) {
			ended(e, atMost, 100*time.Second, 10*time.Second)
		}, "about 0:25"}, // 10; (0.25 x 50 + 10) of (50 + 100), of 100
	}
	for _, test := range tests {
		e := NewEstimate(test.doc, test.expected)
		if test.ends != nil {
			test.ends(&e)
		}
		if got := e.String(); got != test.want {
			t.Errorf("%s: %s, it should be %s", test.name, got, test.want)
		}
	}
}
