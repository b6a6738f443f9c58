package metric

import (
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

// balanced is a cell whose repeats sent those shares of 1000 SELECTs to the standby.
func balanced(clients int, opens bool, shares ...float64) *result.Cell {
	c := &result.Cell{Cell: lesson.Cell{Path: "pgpool", Clients: clients, Wanted: len(shares)}}
	for i, share := range shares {
		counters := map[string]float64{"pg_iterations": 1000}
		if opens {
			counters["pg_opening_iterations"] = 1000
		}
		c.Add(result.Repeat{Block: i + 1, Status: result.OK,
			Measured: &result.Measured{Transactions: 1000, TPS: 1000, Counters: counters},
			Shares: []result.Share{{Role: "primary", Selects: int64(1000 * (1 - share))},
				{Role: "standby", Selects: int64(1000 * share)}}})
	}
	return c
}

func TestOneSessionHasNoMedianOfNodes(t *testing.T) {
	for _, test := range []struct {
		name  string
		cell  *result.Cell
		drawn string
		share float64 // where there is a median
	}{
		{"one kept session", balanced(1, false, 0, 1, 1, 0, 0, 1), "3 of 6", 0},
		{"always the same node", balanced(1, false, 1, 1, 1), "3 of 3", 0},
		{"with a few SELECTs that weren't the client's", balanced(1, false, 0.01, 0.98), "1 of 2", 0},
		{"one that reconnects", balanced(1, true, 0.4, 0.5, 0.6), "", 0.5},
		{"one whose statements are spread", balanced(1, false, 0.45, 0.5, 0.55), "", 0.5},
		{"many sessions", balanced(20, false, 0.25, 0.5, 0.75), "", 0.5},
		{"many sessions that all came to one node", balanced(20, false, 1, 1), "", 1},
		{"nothing balanced", balanced(1, false), "", -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			share := found(t, "standby_share")
			if got := share.Drawn(test.cell); got != test.drawn {
				t.Errorf("the session was on the standby in %q repeats, not %q", got, test.drawn)
			}
			got, ok := share.Middle(test.cell)
			if wanted := test.drawn == "" && test.share >= 0; ok != wanted || ok && got != test.share {
				t.Errorf("the median is %v (%v), not %v", got, ok, test.share)
			}
			selects := found(t, "selects_standby")
			if _, ok := selects.Middle(test.cell); ok && test.drawn != "" {
				t.Error("SELECTs on the standby have a median")
			}
			tps := found(t, "tps")
			if v, ok := tps.Middle(test.cell); len(test.cell.Repeats) > 0 && (!ok || v != 1000) {
				t.Errorf("TPS are %v (%v)", v, ok)
			}
		})
	}
}

func TestMeaningSaysThatAnIterationConnects(t *testing.T) {
	openLoop := balanced(2, true, 0.5)
	openLoop.Rate = 11
	const connects = "median response time of an iteration: from before its connect to the end of its last statement"
	for _, test := range []struct {
		name, metric string
		cell         *result.Cell
		want         string
	}{
		{"kept", "p50", balanced(2, false, 0.5),
			"median response time of a transaction, or of a statement outside of one"},
		{"connecting", "p50", balanced(2, true, 0.5), connects},
		{"connecting at a rate", "p50", openLoop,
			"median response time, from an iteration's intended start, its connect included"},
		{"throughput", "tps", openLoop, "transactions a second, each iteration with its connect"},
		{"no part of an iteration", "statement", openLoop,
			"median of a statement, from sending it to the end of its answer"},
		{"one node", "standby_share", balanced(1, false, 1), "in how many repeats the standby answered: a session stays " +
			"on the node drawn for it, so a cell of one session measures one node"},
	} {
		f := found(t, test.metric)
		if got := f.MeaningIn(test.cell); got != test.want {
			t.Errorf("%s: %s means %q, not %q", test.name, test.metric, got, test.want)
		}
	}
}
