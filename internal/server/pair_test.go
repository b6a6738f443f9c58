package server

import (
	"testing"

	"pooler-lab/internal/pooler"
	"pooler-lab/internal/result"
	"pooler-lab/test/testkit"
)

// Two cells load the same servers: what both reach counted the sum.
func TestCountsOfAPair(t *testing.T) {
	first := result.Counted{Transactions: 500, Prepares: 5, Connections: 5}
	second := result.Counted{Transactions: 1000, Prepares: 10, Connections: 10}
	const both = "transactions of both cells of the pair, "
	type node map[string]pooler.NodeCounters
	type is map[string]bool // whether each count agrees
	tests := []struct {
		name    string
		paths   [2]string
		nodes   node
		own     [2]pooler.Own
		counted [2]int64 // transactions of each pooler's own count
		servers [2]int64 // that each pooler held at the end
		want    [2]is
	}{
		{"direct and PgBouncer, which opened three", [2]string{"direct", "pgbouncer-transaction"},
			node{"primary": {Commits: 500 + 5 + 5 + 1000 + 10 + 3 + 3, Sessions: 5 + 3}}, [2]pooler.Own{}, [2]int64{0, 1010},
			[2]int64{0, 3}, [2]is{{both + "xact_commit of primary": true},
				{"transactions, SHOW STATS of PgBouncer": true, both + "xact_commit of primary": true}}},
		{"the other way round, and one is missing", [2]string{"pgbouncer-transaction", "direct"},
			node{"primary": {Commits: 500 + 5 + 3 + 1 + 1000 + 10 + 10, Sessions: 10 + 3}}, [2]pooler.Own{}, [2]int64{504, 0},
			[2]int64{3, 0}, [2]is{{"transactions, SHOW STATS of PgBouncer": false, both + "xact_commit of primary": false},
				{both + "xact_commit of primary": false}}},
		{"two cells through the same pool", [2]string{"pgbouncer-transaction", "pgbouncer-transaction"},
			node{"primary": {Commits: 1500 + 15 + 3 + 3, Sessions: 3}}, [2]pooler.Own{}, [2]int64{1515, 1515}, [2]int64{3, 3},
			[2]is{{both + "SHOW STATS of PgBouncer": true, both + "xact_commit of primary": true},
				{both + "SHOW STATS of PgBouncer": true, both + "xact_commit of primary": true}}},
		{"transaction pooling and session pooling", [2]string{"pgbouncer-transaction", "pgbouncer-session-near-app"},
			node{"primary": {Commits: 500 + 5 + 2*3 + 1000 + 10 + 10 + 10 + 7, Sessions: 3 + 7}}, [2]pooler.Own{},
			[2]int64{505, 1010}, [2]int64{3, 7},
			[2]is{{"transactions, SHOW STATS of PgBouncer": true, both + "xact_commit of primary": true},
				{"transactions, SHOW STATS of PgBouncer": true, both + "xact_commit of primary": true}}},
		// 11 clients of Pgpool-II on two nodes, 11 DISCARD ALLs and as many that are unsure, 11 statements of the probe
		{"direct and Pgpool-II", [2]string{"direct", "pgpool"},
			node{"primary": {Commits: 500 + 5 + 5 + 11 + 11, Sessions: 5 + 11}, "standby": {Commits: 1000 + 10 + 11 + 11}},
			[2]pooler.Own{{}, {Connections: 1, Statements: 11}}, [2]int64{}, [2]int64{},
			[2]is{{both + "xact_commit of primary and standby": true}, {both + "xact_commit of primary and standby": true}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l, err := New(labSet())
			testkit.OK(t, err)
			var sides []pooler.Side
			for i, name := range test.paths {
				link := ""
				if name == "pgbouncer-session-near-app" {
					link = "pgbouncer-primary"
				}
				p := pathOf(t, name, link)
				side := Side{Route: p, before: tally{own: test.own[i]}}
				after := tally{nodes: test.nodes, pooler: pooler.Counters{Transactions: test.counted[i]}}
				load := side.since(after, [2]result.Counted{first, second}[i])
				load.Servers = test.servers[i]
				sides = append(sides, pooler.Side{Pooler: l.pooler(p), Use: p.use(), Load: load})
			}
			for i, counts := range pooler.Counts(sides) {
				got := is{}
				for _, c := range counts {
					got[c.What] = c.Equal
				}
				if len(got) != len(test.want[i]) {
					t.Errorf("side %d counts %+v", i, counts)
				}
				for what, equal := range test.want[i] {
					if agrees, has := got[what]; !has || agrees != equal {
						t.Errorf("side %d: %q agrees: %v, there: %v, in %+v", i, what, agrees, has, counts)
					}
				}
			}
		})
	}
}
