package lesson

import (
	"slices"
	"strings"
	"testing"
)

// roles are those that a PostgreSQL server knows.
var roles = []string{"app", "app_clear", "app_trust"}

// paths are the kinds of path there are: with a link, without one, only with one, with two that differ.
var paths = []Path{
	{Name: "direct", Plain: true, Links: []string{"client-primary"}, Roles: roles, Straight: true},
	{Name: "app-pool", Plain: true, Links: []string{"client-primary"}, Roles: roles, Straight: true, OwnPool: true},
	{Name: "socket", Plain: true, Roles: roles, Straight: true},
	{Name: "near-app", Links: []string{"pooler-primary", "pooler-standby"}, Roles: roles},
	{Name: "far", Plain: true, Links: []string{"client-far", "far-primary"}, Roles: []string{"app"}, Pooler: "bouncer",
		PoolSize: "pool_size"},
}

func TestCells(t *testing.T) {
	experiment := Experiment{Name: "g", Driver: Words{K6}, Workload: Words{"select"}, Paths: []string{"*"},
		Latencies: []Latency{WithoutProxy},
		Clients:   []int{10}, Protocol: Words{"prepared"}, Roles: Words{"app"}, Seconds: 1, Repeats: 1}
	tests := []struct {
		name   string
		change func(*Experiment)
		want   []string
	}{
		{"without a proxy, a pooler near the application is no path of its own", func(*Experiment) {},
			[]string{"g.direct.none.select.10c.prepared", "g.socket.none.select.10c.prepared",
				"g.far.none.select.10c.prepared"}},
		{"a path without a link has no latency", func(g *Experiment) { g.Latencies = []Latency{Through(10)} },
			[]string{"g.direct.10ms.select.10c.prepared", "g.near-app.10ms.select.10c.prepared",
				"g.far.10ms.select.10c.prepared"}},
		{"through the proxy without latency is another cell than without it",
			func(g *Experiment) { g.Paths, g.Latencies = []string{"direct"}, []Latency{WithoutProxy, Through(0)} },
			[]string{"g.direct.none.select.10c.prepared", "g.direct.0ms.select.10c.prepared"}},
		{"a link that is named leaves the paths that go over it",
			func(g *Experiment) { g.Link, g.Latencies = "far-primary", []Latency{Through(5)} },
			[]string{"g.far.5ms.select.10c.prepared"}},
		{"paths stand in the lab's order", func(g *Experiment) { g.Paths = []string{"socket", "direct"} },
			[]string{"g.direct.none.select.10c.prepared", "g.socket.none.select.10c.prepared"}},
		{"workload, clients and protocol multiply", func(g *Experiment) {
			g.Paths, g.Workload, g.Clients, g.Protocol = []string{"socket"}, Words{"select", "tpcb"}, []int{1, 2},
				Words{"simple", "extended"}
		}, []string{"g.socket.none.select.1c.simple", "g.socket.none.select.1c.extended", "g.socket.none.select.2c.simple",
			"g.socket.none.select.2c.extended",
			"g.socket.none.tpcb.1c.simple", "g.socket.none.tpcb.1c.extended", "g.socket.none.tpcb.2c.simple",
			"g.socket.none.tpcb.2c.extended"}},
		{"a role that a path doesn't know makes no cell",
			func(g *Experiment) { g.Paths, g.Roles = []string{"socket", "far"}, Words{"app", "app_trust"} },
			[]string{"g.socket.none.select.10c.prepared", "g.socket.none.select.10c.prepared.app_trust",
				"g.far.none.select.10c.prepared"}},
		{"without a pooler that has one, a pool has no size",
			func(g *Experiment) { g.Paths, g.PoolSizes = []string{"socket", "far"}, []int{5, 20} },
			[]string{"g.socket.none.select.10c.prepared", "g.far.none.select.10c.prepared.pool5",
				"g.far.none.select.10c.prepared.pool20"}},
		{"a pool within the application is one instance's, of ten connections at most",
			func(g *Experiment) { g.Paths, g.Clients = []string{"direct", "app-pool"}, []int{4, 40} },
			[]string{"g.direct.none.select.4c.prepared", "g.direct.none.select.40c.prepared",
				"g.app-pool.none.select.4c.prepared.1instances.4each", "g.app-pool.none.select.40c.prepared.1instances.10each"}},
		{"or of as many as the experiment says",
			func(g *Experiment) { g.Paths, g.InstancePools = []string{"direct", "app-pool"}, []int{3} },
			[]string{"g.direct.none.select.10c.prepared", "g.app-pool.none.select.10c.prepared.1instances.3each"}},
		{"instances on any path", func(g *Experiment) {
			g.Paths, g.Instances, g.InstancePools = []string{"far"},
				[]int{2, 5}, []int{3, 7}
		},
			[]string{"g.far.none.select.10c.prepared.2instances.3each", "g.far.none.select.10c.prepared.2instances.7each",
				"g.far.none.select.10c.prepared.5instances.3each", "g.far.none.select.10c.prepared.5instances.7each"}},
		{"a fresh database is reached straight", func(g *Experiment) { g.FreshDatabase = true },
			[]string{"g.direct.none.select.10c.prepared", "g.socket.none.select.10c.prepared"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g := experiment
			test.change(&g)
			cells, err := (&Lesson{Experiments: []Experiment{g}}).Cells(paths)
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, c := range cells {
				ids = append(ids, c.ID)
			}
			if !slices.Equal(ids, test.want) {
				t.Errorf("the cells are\n%s\nand should be\n%s", strings.Join(ids, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

func TestCellsRefuse(t *testing.T) {
	g := Experiment{Name: "g", Driver: Words{K6}, Workload: Words{"select"}, Paths: []string{"socket"}, Latencies: []Latency{Through(10)},
		Clients: []int{1}, Protocol: Words{"simple"}, Roles: Words{"app"}}
	if _, err := (&Lesson{Experiments: []Experiment{g}}).Cells(paths); err == nil ||
		!strings.Contains(err.Error(), "no cells are left") {
		t.Errorf("latency on a socket: %v", err)
	}
	g.Paths = []string{"direkt"}
	if _, err := (&Lesson{Experiments: []Experiment{g}}).Cells(paths); err == nil ||
		!strings.Contains(err.Error(), "direct, app-pool, socket") {
		t.Errorf("an unknown path: %v", err)
	}
	g.Paths, g.Latencies, g.FreshDatabase = []string{"far"}, []Latency{WithoutProxy}, true
	if _, err := (&Lesson{Experiments: []Experiment{g}}).Cells(paths); err == nil ||
		!strings.Contains(err.Error(), "far isn't one") {
		t.Errorf("a fresh database through a pooler: %v", err)
	}
	g.FreshDatabase, g.Settings = false, map[string]map[string]string{"bouncer": {"pool_size": "5"}}
	_, err := (&Lesson{Experiments: []Experiment{g}}).Cells(paths)
	if err == nil || !strings.Contains(err.Error(), "settings of bouncer: pool_size is what pool_sizes is for") {
		t.Errorf("a pool's size as a setting: %v", err)
	}
}

// What every cell of an experiment shares is in each of them, and bandwidth where there is a link to narrow.
func TestCellsHaveTheExperimentsFields(t *testing.T) {
	g := Experiment{Name: "g", Driver: Words{K6}, Workload: Words{"tpcb"}, Paths: []string{"direct"},
		Latencies: []Latency{WithoutProxy, Through(0)}, Clients: []int{1},
		Protocol: Words{"simple"}, Roles: Words{"app"}, Writes: true, Transactions: 5, BandwidthKBs: 1000, ReplicationMS: 20,
		Settings: map[string]map[string]string{"standby": {"hot_standby_feedback": "on"}},
		Params:   map[string]any{"rows": 2}, SamplesPerSecond: 50, Metrics: []string{"tps"}}
	cells, err := (&Lesson{Experiments: []Experiment{g}}).Cells(paths)
	if err != nil || len(cells) != 2 {
		t.Fatalf("%d cells, %v", len(cells), err)
	}
	for i, bandwidth := range []int{0, 1000} {
		c := cells[i]
		if !c.Writes || c.Transactions != 5 || c.ReplicationMS != 20 ||
			c.Settings["standby"]["hot_standby_feedback"] != "on" ||
			string(c.Params) != `{"rows":2}` || c.SamplesPerSecond != 50 || len(c.Metrics) != 1 || c.BandwidthKBs != bandwidth {
			t.Errorf("cell %d is %+v", i, c)
		}
	}
}

func TestBlocks(t *testing.T) {
	var cells []Cell
	for i := range 20 {
		cells = append(cells, Cell{Wanted: 1 + i%3})
	}
	blocks := Blocks(cells, 7)
	if len(blocks) != 3 {
		t.Fatalf("%d blocks for three repeats", len(blocks))
	}
	for b, order := range blocks {
		sorted := slices.Sorted(slices.Values(order))
		var want []int
		for i, c := range cells {
			if c.Wanted > b {
				want = append(want, i)
			}
		}
		if !slices.Equal(sorted, want) {
			t.Errorf("block %d runs %v, it should run each of %v once", b+1, sorted, want)
		}
		if slices.Equal(order, want) {
			t.Errorf("block %d isn't shuffled", b+1)
		}
	}
	again, other := Blocks(cells, 7), Blocks(cells, 8)
	if !slices.EqualFunc(blocks, again, slices.Equal[[]int]) {
		t.Error("the same seed gives another order")
	}
	if slices.EqualFunc(blocks, other, slices.Equal[[]int]) {
		t.Error("another seed gives the same order")
	}
}
