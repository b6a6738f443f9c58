package plan

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
	"pooler-lab/internal/topology"
)

// theRoom is this repository's, of 600 connections.
func theRoom(t *testing.T) Room {
	t.Helper()
	t.Setenv("COMPOSE_PROFILES", "*")
	t.Setenv("LAB_MAX_CONNECTIONS", "600")
	set, err := topology.Load("../..")
	if err != nil {
		t.Fatal(err)
	}
	l, err := readRoom(set)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// cell is a closed loop over a path without latency.
func cell(path string, clients int) lesson.Cell {
	return lesson.Cell{ID: path, Path: path, Workload: "select", Clients: clients, Protocol: "simple", Role: "app",
		Wanted: 6}
}

// far is the same over a link.
func far(path, link string, ms int) lesson.Cell {
	c := cell(path, 10)
	c.Link, c.Latency = link, lesson.Number(float64(ms))
	return c
}

// with is the cell, changed.
func with(c lesson.Cell, change func(*lesson.Cell)) lesson.Cell {
	change(&c)
	return c
}

// Why a lesson's cells can't alternate stands in testdata/pairs.txt. These are limits that no lesson meets.
func TestWhyNot(t *testing.T) {
	settings := func(component, name, value string) func(*lesson.Cell) {
		return func(c *lesson.Cell) { c.Settings = map[string]map[string]string{component: {name: value}} }
	}
	bouncer, direct := cell("pgbouncer-transaction", 10), cell("direct", 10)
	pool := func(size int) lesson.Cell {
		return with(bouncer, func(c *lesson.Cell) { c.PoolSize = size })
	}
	tests := []struct {
		name   string
		of, to lesson.Cell
		want   string
	}{
		{name: "two paths", of: bouncer, to: direct},
		{name: "one path", of: with(direct, func(c *lesson.Cell) { c.Protocol = "prepared" }), to: direct},
		{name: "two roles", of: with(direct, func(c *lesson.Cell) { c.Role = "app_trust" }), to: direct},
		{name: "a new database", of: with(direct, func(c *lesson.Cell) { c.FreshDatabase = true }), to: bouncer,
			want: "a database made anew is new once"},

		{name: "latency on links of their own", of: far("pgbouncer-transaction", "client-pgbouncer", 5),
			to: far("direct", "client-primary", 10)},
		{name: "latency on one side", of: far("direct", "client-primary", 10), to: direct},
		{name: "too far for slots", of: far("pgbouncer-transaction", "client-pgbouncer", 50),
			to:   far("direct", "client-primary", 10),
			want: "a round trip alone takes 50ms: 20 of them don't fit into a slot of 900ms"},
		{name: "the same latency", of: with(far("direct", "client-primary", 10), func(c *lesson.Cell) { c.Clients = 20 }),
			to: far("direct", "client-primary", 10)},
		{name: "two latencies on one link", of: far("pgbouncer-session", "client-pgbouncer", 5),
			to:   far("pgbouncer-transaction", "client-pgbouncer", 10),
			want: "different latencies on one link, client-pgbouncer"},
		{name: "two bandwidths",
			of: with(far("direct", "client-primary", 10), func(c *lesson.Cell) { c.BandwidthKBs = 1000 }),
			to: far("direct", "client-primary", 10), want: "different bandwidths of one link, client-primary"},
		{name: "a second link of a path", of: far("pgpool-near-app", "pgpool-standby", 5),
			to: far("pgpool-near-app", "pgpool-primary", 10), want: "different latencies on one link, pgpool-primary"},
		{name: "replication", of: with(direct, func(c *lesson.Cell) { c.ReplicationMS = 20 }), to: direct,
			want: "different latencies on replication"},

		{name: "settings of what one crosses", of: with(bouncer, settings("pgbouncer", "query_wait_timeout", "5")),
			to: direct},
		{name: "settings of what both cross", of: with(bouncer, settings("primary", "work_mem", "64MB")), to: direct,
			want: "different settings of primary"},
		{name: "the same settings", of: with(bouncer, settings("primary", "work_mem", "64MB")),
			to: with(direct, settings("primary", "work_mem", "64MB"))},
		{name: "settings that contradict each other", of: with(direct, settings("standby", "hot_standby_feedback", "on")),
			to:   with(cell("standby", 10), settings("standby", "hot_standby_feedback", "off")),
			want: "different settings of standby"},
		{name: "a size that is not the configured one", of: pool(5), to: bouncer,
			want: "pools of 5 and of 20 in one pgbouncer"},
		{name: "the configured size", of: pool(20), to: with(bouncer, func(c *lesson.Cell) { c.Clients = 20 })},
		{name: "a pool on one side", of: pool(5), to: direct},

		{name: "writes on one side", of: with(bouncer, func(c *lesson.Cell) { c.Writes = true }), to: direct,
			want: "the servers are prepared for writes of one cell alone"},
		{name: "filled for one side", of: with(bouncer, func(c *lesson.Cell) { c.FillPools = true }), to: bouncer,
			want: "the pools of pgbouncer are filled for one cell alone"},
		{name: "filled, and another path", of: with(bouncer, func(c *lesson.Cell) { c.FillPools = true }), to: direct},

		{name: "sessions enough for two nodes", of: cell("pgpool", 20), to: cell("direct", 20)},
		{name: "few sessions draw once", of: cell("direct", 19), to: cell("pgpool", 19),
			want: "pgpool draws the nodes of only 19 sessions, once a pair"},
		{name: "one session", of: cell("pgpool-near-app", 1), to: direct,
			want: "pgpool-near-app draws the nodes of only 1 session, once a pair"},

		{name: "a child for each client", of: cell("pgpool", 60), to: cell("pgpool", 40)},
		{name: "more clients than children", of: cell("pgpool", 60), to: cell("pgpool", 41),
			want: "101 connections, and pgpool takes 100"},
		{name: "two services", of: cell("pgpool", 60), to: cell("pgpool-near-app", 60)},
		{name: "a session pool", of: cell("pgbouncer-session", 10), to: cell("pgbouncer-session", 10)},
		{name: "more sessions than its pool has", of: cell("pgbouncer-session", 10), to: cell("pgbouncer-session", 11),
			want: "21 connections, and the session pool of pgbouncer has 20"},
		{name: "pools of two roles", of: cell("pgbouncer-session", 20),
			to: with(cell("pgbouncer-session", 20), func(c *lesson.Cell) { c.Role = "app_trust" })},
		{name: "a transaction pool beside a session pool", of: cell("pgbouncer-session", 20),
			to: cell("pgbouncer-transaction", 500)},
		{name: "too many sessions on one side", of: cell("pgbouncer-session", 21), to: direct,
			want: "21 connections, and the session pool of pgbouncer has 20"},

		{name: "500 and a pool", of: cell("direct", 560), to: cell("pgbouncer-transaction", 5000)},
		{name: "the primary is full", of: cell("direct", 561), to: cell("pgbouncer-transaction", 5000),
			want: "581 connections, and primary has room for 580"},
		{name: "primary and standby", of: cell("direct", 400), to: cell("standby", 400)},
		{name: "children keep what clients had", of: cell("direct", 481), to: cell("pgpool", 20),
			want: "581 connections, and primary has room for 580"},
		{name: "instances with pools", of: with(direct, func(c *lesson.Cell) {
			c.Clients, c.Instances, c.InstancePool = 1000, 20, 20
		}), to: with(cell("direct", 181), func(c *lesson.Cell) { c.Protocol = "prepared" }),
			want: "581 connections, and primary has room for 580"},
		{name: "another database", of: cell("yugabyte", 280), to: cell("direct", 560)},
		{name: "another database is full", of: cell("yugabyte", 261), to: cell("pgbouncer-yugabyte", 100),
			want: "281 connections, and yugabyte has room for 280"},
	}
	lab := theRoom(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := lab.whyNot(ratio{of: &test.of, to: &test.to, metric: "tps"}); got != test.want {
				t.Errorf("it says %q, it should say %q", got, test.want)
			}
		})
	}
}

// YugabyteDB takes as many connections as it does by itself.
func TestNothingSetsYugabytesConnections(t *testing.T) {
	text, err := os.ReadFile("../../compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "ysql_max_connections") || strings.Contains(string(text), "ysql_pg_conf") {
		t.Error("compose.yaml may set how many connections YugabyteDB takes: yugabyteConnections has to follow")
	}
}

// picks is a selector of a cell of these tests.
func picks(path string) lesson.Selector { return lesson.Selector{"path": lesson.Word(path)} }

func TestPairs(t *testing.T) {
	cells := []lesson.Cell{cell("direct", 20), cell("pgbouncer-transaction", 20), cell("pgpool", 20), cell("standby", 20),
		cell("socket", 20)}
	half := 0.5
	l := &lesson.Lesson{About: lesson.About{Comparisons: []lesson.Comparison{
		{Name: "a", Metric: "tps", Of: picks("pgbouncer-transaction"), To: picks("direct"), Until: 0.03},
		{Name: "b", Metric: "p50", Of: picks("direct"), To: picks("pgbouncer-transaction"), AtMost: 90},
		{Name: "c", Metric: "backends", Of: picks("pgbouncer-transaction"), To: picks("direct")},
		{Name: "d", Metric: "tps", Of: picks("pgpool"), To: picks("direct"), Until: 0.10, AtMost: 40},
		{Name: "nothing", Metric: "tps", Of: picks("nowhere"), To: picks("direct")},
	},
		Findings: []lesson.Finding{{All: []lesson.Condition{
			{Metric: "mean", Of: picks("pgpool"), To: picks("direct"), Is: "less"},
			{Metric: "tps", Of: picks("standby"), To: picks("direct"), Is: "less"},
			{Metric: "backends", Of: picks("direct"), To: picks("pgbouncer-transaction"), Is: "less"},
		}}},
		Study: &lesson.Study{Findings: []lesson.Finding{{All: []lesson.Condition{
			{Metric: "tps", Of: picks("pgpool"), Is: "more", Than: &half},
			{Metric: "tps", Of: picks("socket"), To: picks("standby"), Is: "more"},
		}}}}}, Until: 0.04, AtMost: 50}
	p := &Plan{Lesson: l, Cells: slices.Clone(cells)}
	p.pairUp(theRoom(t))
	want := []result.Pair{
		{Of: "pgbouncer-transaction", To: "direct", Metrics: []string{"tps", "p50"}, Until: 0.03, AtMost: 90},
		{Of: "pgpool", To: "direct", Metrics: []string{"tps", "mean"}, Until: 0.10, AtMost: 40},
		{Of: "standby", To: "direct", Metrics: []string{"tps"}, Until: 0.04, AtMost: 50},
		{Of: "socket", To: "standby", Metrics: []string{"tps"}, Until: 0.04, AtMost: 50},
	}
	for i := range want {
		want[i].Status = result.Planned
	}
	if !reflect.DeepEqual(p.pairs, want) {
		t.Errorf("the pairs are\n%+v, they should be\n%+v", p.pairs, want)
	}
	unpaired := []result.Unpaired{{Of: "pgbouncer-transaction", To: "direct", Metric: "backends",
		Reason: "backends is not seen slot by slot"}}
	if !slices.Equal(p.unpaired, unpaired) {
		t.Errorf("without a pair are %+v, they should be %+v", p.unpaired, unpaired)
	}
	// The first two are compared by what blocks show, and of the third a figure is judged by itself.
	for i, want := range [][3]int{{9, 3, 6}, {7, 1, 6}, {7, 1, 6}, {3, 2, 6}, {2, 1, 6}} {
		if c := p.Cells[i]; [3]int{c.Wanted, c.Paired, c.Planned} != want {
			t.Errorf("%s runs %d times, %d of them in pairs, and %d without; it should be %v", c.ID, c.Wanted, c.Paired,
				c.Planned, want)
		}
	}
	l.NoPairs = true
	without := &Plan{Lesson: l, Cells: slices.Clone(cells)}
	without.pairUp(theRoom(t))
	if len(without.pairs)+len(without.unpaired) != 0 || !reflect.DeepEqual(without.Cells, cells) {
		t.Errorf("without pairs there are %+v", without)
	}
}

func TestOrdered(t *testing.T) {
	pairs := []result.Pair{{Of: "a"}, {Of: "b"}, {Of: "c"}, {Of: "d"}, {Of: "e"}, {Of: "f"}}
	orders := map[string]bool{}
	for seed := range uint64(20) {
		order := ""
		for i, q := range ordered(pairs, seed) {
			order += q.Of
			if q.Block != i+1 {
				t.Errorf("pair %d is block %d", i+1, q.Block)
			}
		}
		orders[order] = true
		if letters := strings.Split(order, ""); strings.Join(slices.Sorted(slices.Values(letters)), "") != "abcdef" {
			t.Errorf("seed %d has the pairs %s", seed, order)
		}
	}
	if !reflect.DeepEqual(ordered(pairs, 7), ordered(pairs, 7)) || len(orders) < 15 || pairs[0].Of != "a" {
		t.Errorf("the order isn't the seed's alone: %d orders of 20 seeds", len(orders))
	}
}

// A run refuses what its lesson hasn't asked for and the lab is too small for, and says which setting to raise.
func TestRoomOfACommandLine(t *testing.T) {
	l := theRoom(t)
	changed := lesson.Experiment{Name: "own", Changed: map[string][]string{"clients": {"10"}}}
	for name, test := range map[string]struct {
		cell lesson.Cell
		want string
	}{
		"it fits": {cell("direct", 580), ""},
		"more than the server takes": {cell("direct", 600),
			"experiment own: direct, select, 600 clients: 600 connections, and primary has room for 580. Ask for less, or " +
				"raise LAB_MAX_CONNECTIONS in .env"},
		"instances and their pools": {with(cell("direct", 600), func(c *lesson.Cell) {
			c.Instances, c.InstancePool = 30, 20
		}), "600 connections, and primary has room for 580"},
		"many clients share a pool":  {cell("pgbouncer-transaction", 1000), ""},
		"more than the pooler takes": {cell("pgpool", 200), "200 connections, and pgpool takes 100"},
		"a large pool of the pooler": {with(cell("pgbouncer-transaction", 1000), func(c *lesson.Cell) { c.PoolSize = 700 }),
			"700 connections, and primary has room for 580"},
	} {
		t.Run(name, func(t *testing.T) {
			test.cell.Experiment = "own"
			p := &Plan{Lesson: &lesson.Lesson{Experiments: []lesson.Experiment{changed}}, Cells: []lesson.Cell{test.cell},
				Room: l}
			err := p.CheckRoom()
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("it says %v", err)
			}
			p.Lesson.Experiments[0].Changed = nil
			if err := p.CheckRoom(); err != nil {
				t.Errorf("a lesson asks for it on purpose, and it says %v", err)
			}
			p.Lesson.Experiments[0].Changed = map[string][]string{"path": {"*"}}
			if err := p.CheckRoom(); err != nil {
				t.Errorf("another path makes no cell larger, and it says %v", err)
			}
		})
	}
}
