package lesson

import (
	"slices"
	"strings"
	"testing"
)

// routes are the kinds of path there are: with a link, without one, only with one, with two that differ.
var routes = []Route{
	{Name: "direct", Plain: true, Links: []string{"client-primary"}},
	{Name: "socket", Plain: true},
	{Name: "near-app", Links: []string{"pooler-primary", "pooler-standby"}},
	{Name: "far", Plain: true, Links: []string{"client-far", "far-primary"}},
}

func TestCells(t *testing.T) {
	group := Group{Name: "g", Workload: Words{"select"}, Paths: []string{"*"}, Latencies: []Latency{WithoutProxy},
		Clients: []int{10}, Protocol: Words{"prepared"}, Seconds: 1, Repeats: 1}
	tests := []struct {
		name   string
		change func(*Group)
		want   []string
	}{
		{"without a proxy, a pooler near the application is no path of its own", func(*Group) {},
			[]string{"g.direct.none.select.10c.prepared", "g.socket.none.select.10c.prepared", "g.far.none.select.10c.prepared"}},
		{"a path without a link has no latency", func(g *Group) { g.Latencies = []Latency{Through(10)} },
			[]string{"g.direct.10ms.select.10c.prepared", "g.near-app.10ms.select.10c.prepared", "g.far.10ms.select.10c.prepared"}},
		{"through the proxy without latency is another cell than without it",
			func(g *Group) { g.Paths, g.Latencies = []string{"direct"}, []Latency{WithoutProxy, Through(0)} },
			[]string{"g.direct.none.select.10c.prepared", "g.direct.0ms.select.10c.prepared"}},
		{"a link that is named leaves the paths that go over it",
			func(g *Group) { g.Link, g.Latencies = "far-primary", []Latency{Through(5)} },
			[]string{"g.far.5ms.select.10c.prepared"}},
		{"paths stand in the routes' order", func(g *Group) { g.Paths = []string{"socket", "direct"} },
			[]string{"g.direct.none.select.10c.prepared", "g.socket.none.select.10c.prepared"}},
		{"workload, clients and protocol multiply", func(g *Group) {
			g.Paths, g.Workload, g.Clients, g.Protocol = []string{"socket"}, Words{"select", "tpcb"}, []int{1, 2}, Words{"simple", "extended"}
		}, []string{"g.socket.none.select.1c.simple", "g.socket.none.select.1c.extended", "g.socket.none.select.2c.simple", "g.socket.none.select.2c.extended",
			"g.socket.none.tpcb.1c.simple", "g.socket.none.tpcb.1c.extended", "g.socket.none.tpcb.2c.simple", "g.socket.none.tpcb.2c.extended"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g := group
			test.change(&g)
			cells, err := (&Lesson{Groups: []Group{g}}).Cells(routes)
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
	g := Group{Name: "g", Workload: Words{"select"}, Paths: []string{"socket"}, Latencies: []Latency{Through(10)}, Clients: []int{1}, Protocol: Words{"simple"}}
	if _, err := (&Lesson{Groups: []Group{g}}).Cells(routes); err == nil || !strings.Contains(err.Error(), "no cells are left") {
		t.Errorf("latency on a socket: %v", err)
	}
	g.Paths = []string{"direkt"}
	if _, err := (&Lesson{Groups: []Group{g}}).Cells(routes); err == nil || !strings.Contains(err.Error(), "direct, socket") {
		t.Errorf("an unknown path: %v", err)
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
