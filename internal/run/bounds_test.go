package run

import (
	"maps"
	"slices"
	"testing"

	"pooler-lab/internal/result"
)

// What flags can have done stands in run.json, and nothing where nothing has a bound.
func TestBoundsOfARepeat(t *testing.T) {
	tests := []struct {
		name, behaviour string
		counts          []result.Count
		deaf            error
		tps             result.Bound
		errors          bool // has a bound
	}{
		{name: "no flag", behaviour: "good"},
		{name: "one transaction in 55", behaviour: "good", counts: []result.Count{{What: "transactions", K6: 55, Server: 56}},
			tps: result.Bound{0.9821, 1.0182}, errors: true},
		{name: "two errors, and 0.9 s without a statement", behaviour: "errors", tps: result.Bound{0.9615, 10}},
		{name: "nobody could count", behaviour: "errors", deaf: errDown},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, _, servers := newRunner(t, test.behaviour, plain("a"))
			servers.counts, servers.deaf = test.counts, test.deaf
			if err := r.run(t.Context()); err != nil {
				t.Fatal(err)
			}
			c := written(t, r.dir).Cells[0]
			last := c.Repeats[len(c.Repeats)-1]
			if got := last.Bounds["tps"]; got != test.tps {
				t.Errorf("TPS is within %v, it should be %v", got, test.tps)
			}
			if _, ok := last.Bounds["errors"]; ok != test.errors {
				t.Errorf("the bounds are of %v", slices.Sorted(maps.Keys(last.Bounds)))
			}
		})
	}
}
