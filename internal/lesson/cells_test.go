package lesson

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// roles are those that a PostgreSQL server knows.
var roles = []string{"app", "app_clear", "app_trust"}

// paths are the kinds of path there are: with a link, without one, only with one, with two that differ.
var paths = []PathTraits{
	{Name: "direct", Plain: true, Links: []string{"client-primary"}, Roles: roles, Straight: true},
	{Name: "app-pool", Plain: true, Links: []string{"client-primary"}, Roles: roles, Straight: true, OwnPool: true,
		NamedOnly: true},
	{Name: "socket", Plain: true, Roles: roles, Straight: true},
	{Name: "near-app", Links: []string{"pooler-primary", "pooler-standby"}, Roles: roles},
	{Name: "far", Plain: true, Links: []string{"client-far", "far-primary"}, Roles: []string{"app"}, Pooler: "bouncer",
		PoolSize: "pool_size"},
}

// oneCell is an experiment of a cell on each path, with a change.
func oneCell(change func(*Experiment)) *Lesson {
	e := Experiment{Name: "g", Driver: Words{K6}, Workload: Words{"select"}, Paths: []string{"*"},
		Latencies: []Value{None},
		Clients:   []int{10}, Protocol: Words{"prepared"}, Roles: Words{"app"}, Repeats: 1}
	change(&e)
	return &Lesson{Experiments: []Experiment{e}}
}

func TestCells(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Experiment)
		want   []string
	}{
		{"without a proxy, a pooler near the application is no path of its own", func(*Experiment) {},
			[]string{"direct.none.select.10c.prepared", "socket.none.select.10c.prepared",
				"far.none.select.10c.prepared"}},
		{"a path without a link has no latency", func(g *Experiment) { g.Latencies = []Value{Number(10)} },
			[]string{"direct.10ms.select.10c.prepared", "near-app.10ms.select.10c.prepared",
				"far.10ms.select.10c.prepared"}},
		{"through the proxy without latency is another cell than without it",
			func(g *Experiment) { g.Paths, g.Latencies = []string{"direct"}, []Value{None, Number(0)} },
			[]string{"direct.none.select.10c.prepared", "direct.0ms.select.10c.prepared"}},
		{"a link that is named leaves the paths that go over it",
			func(g *Experiment) { g.Link, g.Latencies = "far-primary", []Value{Number(5)} },
			[]string{"far.5ms.select.10c.prepared"}},
		{"paths stand in the lab's order", func(g *Experiment) { g.Paths = []string{"socket", "direct"} },
			[]string{"direct.none.select.10c.prepared", "socket.none.select.10c.prepared"}},
		{"workload, clients and protocol multiply", func(g *Experiment) {
			g.Paths, g.Workload, g.Clients, g.Protocol = []string{"socket"}, Words{"select", "tpcb"}, []int{1, 2},
				Words{"simple", "extended"}
		}, []string{"socket.none.select.1c.simple", "socket.none.select.1c.extended", "socket.none.select.2c.simple",
			"socket.none.select.2c.extended",
			"socket.none.tpcb.1c.simple", "socket.none.tpcb.1c.extended", "socket.none.tpcb.2c.simple",
			"socket.none.tpcb.2c.extended"}},
		{"a role that a path doesn't know makes no cell",
			func(g *Experiment) { g.Paths, g.Roles = []string{"socket", "far"}, Words{"app", "app_trust"} },
			[]string{"socket.none.select.10c.prepared", "socket.none.select.10c.prepared.app_trust",
				"far.none.select.10c.prepared"}},
		{"without a pooler that has one, a pool has no size",
			func(g *Experiment) { g.Paths, g.PoolSizes = []string{"socket", "far"}, []int{5, 20} },
			[]string{"socket.none.select.10c.prepared", "far.none.select.10c.prepared.pool5",
				"far.none.select.10c.prepared.pool20"}},
		{"a pool within the application is one instance's, of ten connections at most",
			func(g *Experiment) { g.Paths, g.Clients = []string{"direct", "app-pool"}, []int{4, 40} },
			[]string{"direct.none.select.4c.prepared", "direct.none.select.40c.prepared",
				"app-pool.none.select.4c.prepared.1instances.4each", "app-pool.none.select.40c.prepared.1instances.10each"}},
		{"or of as many as the experiment says",
			func(g *Experiment) { g.Paths, g.InstancePools = []string{"direct", "app-pool"}, []int{3} },
			[]string{"direct.none.select.10c.prepared", "app-pool.none.select.10c.prepared.1instances.3each"}},
		{"instances on any path", func(g *Experiment) {
			g.Paths, g.Instances, g.InstancePools = []string{"far"},
				[]int{2, 5}, []int{3, 7}
		},
			[]string{"far.none.select.10c.prepared.2instances.3each", "far.none.select.10c.prepared.2instances.7each",
				"far.none.select.10c.prepared.5instances.3each", "far.none.select.10c.prepared.5instances.7each"}},
		{"a fresh database is reached straight", func(g *Experiment) { g.FreshDatabase = true },
			[]string{"direct.none.select.10c.prepared", "socket.none.select.10c.prepared"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cells, err := oneCell(test.change).Cells(paths)
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, c := range cells {
				ids = append(ids, strings.TrimPrefix(c.ID, "g."))
			}
			if !slices.Equal(ids, test.want) {
				t.Errorf("the cells are\n%s\nand should be\n%s", strings.Join(ids, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

func TestCellsRefuse(t *testing.T) {
	for want, change := range map[string]func(*Experiment){
		"no cells are left":        func(e *Experiment) { e.Paths, e.Latencies = []string{"socket"}, []Value{Number(10)} },
		"direct, app-pool, socket": func(e *Experiment) { e.Paths = []string{"direkt"} },
		"far isn't one":            func(e *Experiment) { e.Paths, e.FreshDatabase = []string{"far"}, true },
		"settings of bouncer: pool_size is what pool_sizes is for": func(e *Experiment) {
			e.Settings = map[string]map[string]string{"bouncer": {"pool_size": "5"}}
		},
	} {
		if _, err := oneCell(change).Cells(paths); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, it should speak of %q", err, want)
		}
	}
}

// There is a bandwidth where there is a link to narrow.
func TestBandwidthOfCells(t *testing.T) {
	cells, err := oneCell(func(e *Experiment) {
		e.Paths, e.Latencies, e.BandwidthKBs = []string{"direct"}, []Value{None, Number(0)}, 1000
	}).Cells(paths)
	if err != nil || len(cells) != 2 || cells[0].BandwidthKBs != 0 || cells[1].BandwidthKBs != 1000 {
		t.Errorf("the cells are %+v, %v", cells, err)
	}
}

// The cells of an experiment with events run at once, in each block; the others alone.
func TestBlocksOfEvents(t *testing.T) {
	at := func(experiment string, events ...Event) Cell {
		return Cell{Experiment: experiment, Wanted: 2, Shared: Shared{Events: events}}
	}
	kill := Event{At: 1, Do: "kill primary"}
	cells := []Cell{at("a", kill), at("b"), at("a", kill), at("b"), at("c", kill)}
	for _, trials := range Blocks(cells, 7) {
		slices.SortFunc(trials, slices.Compare)
		if want := [][]int{{0, 2}, {1}, {3}, {4}}; !reflect.DeepEqual(trials, want) {
			t.Errorf("a block has the trials %v, wanted %v", trials, want)
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
	for b, trials := range blocks {
		order, want := slices.Concat(trials...), []int{}
		for i, c := range cells {
			if c.Wanted > b {
				want = append(want, i)
			}
		}
		if !slices.Equal(slices.Sorted(slices.Values(order)), want) || slices.Equal(order, want) {
			t.Errorf("block %d runs %v, it should run each of %v once, shuffled", b+1, order, want)
		}
	}
	if !reflect.DeepEqual(blocks, Blocks(cells, 7)) || reflect.DeepEqual(blocks, Blocks(cells, 8)) {
		t.Error("the order isn't the seed's alone")
	}
}
