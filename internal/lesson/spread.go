package lesson

import (
	"fmt"
	"slices"
)

// ownPool is how many connections the pool of an application has where the lesson doesn't say.
const ownPool = 10

// cells are those of the group over one route.
func (g *Group) cells(r Route) []Cell {
	cells := []Cell{{Group: g.Name, Path: r.Name, Rate: g.Rate, Seconds: g.Seconds, Warmup: g.Warmup, Fill: g.FillPools,
		Wanted: g.Repeats, Writes: g.Writes, Transactions: g.Transactions, ReplicationMS: g.ReplicationMS,
		FreshDatabase: g.FreshDatabase, Settings: g.Settings, Params: g.Params, WaitsHz: g.WaitsHz, Figures: g.Figures}}
	cells = spread(cells, g.Latencies, func(c *Cell, v Latency) (ok bool) {
		if v.Proxied() {
			c.BandwidthKBs = g.BandwidthKBs
		}
		c.Latency = v
		c.Link, ok = g.link(r, v)
		return ok
	})
	cells = spread(cells, g.Workload, func(c *Cell, v string) bool { c.Workload = v; return true })
	cells = spread(cells, g.Clients, func(c *Cell, v int) bool { c.Clients = v; return true })
	cells = spread(cells, g.Protocol, func(c *Cell, v string) bool { c.Protocol = v; return true })
	cells = spread(cells, g.Roles, func(c *Cell, v string) bool { c.Role = v; return slices.Contains(r.Roles, v) })
	cells = spread(cells, g.poolSizes(r), func(c *Cell, v int) bool { c.PoolSize = v; return true })
	cells = spread(cells, g.pods(r), func(c *Cell, v int) bool { c.Pods = v; return true })
	cells = spread(cells, g.podPools(r), func(c *Cell, v int) bool {
		if v == 0 && c.Pods > 0 {
			v = min((c.Clients+c.Pods-1)/c.Pods, ownPool)
		}
		c.PodPool = v
		return true
	})
	for i := range cells {
		cells[i].ID = cells[i].id()
	}
	return cells
}

// spread makes of each cell one with each value; a value that set refuses makes none.
func spread[T any](cells []Cell, values []T, set func(*Cell, T) bool) []Cell {
	var more []Cell
	for _, c := range cells {
		for _, v := range values {
			if one := c; set(&one, v) {
				more = append(more, one)
			}
		}
	}
	return more
}

// link returns the link that a cell of latency over r studies, and whether there can be such a cell.
func (g *Group) link(r Route, latency Latency) (string, bool) {
	switch {
	case !latency.Proxied():
		return "", r.Plain
	case g.Link != "":
		return g.Link, slices.Contains(r.Links, g.Link)
	case len(r.Links) == 0:
		return "", false
	}
	return r.Links[0], true
}

func (g *Group) poolSizes(r Route) []int {
	if !r.PgBouncer || len(g.PoolSizes) == 0 {
		return []int{0}
	}
	return g.PoolSizes
}

// pods are one on a path whose application has a pool, and none elsewhere, unless the group says.
func (g *Group) pods(r Route) []int {
	switch {
	case len(g.Pods) > 0:
		return g.Pods
	case r.OwnPool:
		return []int{1}
	}
	return []int{0}
}

func (g *Group) podPools(r Route) []int {
	if len(g.PodPools) == 0 || len(g.Pods) == 0 && !r.OwnPool {
		return []int{0}
	}
	return g.PodPools
}

// id names the cell within its run; it is part of file names.
func (c Cell) id() string {
	id := fmt.Sprintf("%s.%s.%s.%s.%dc.%s", c.Group, c.Path, c.Latency, c.Workload, c.Clients, c.Protocol)
	if c.Role != "app" {
		id += "." + c.Role
	}
	if c.PoolSize > 0 {
		id += fmt.Sprintf(".pool%d", c.PoolSize)
	}
	if c.Pods > 0 {
		id += fmt.Sprintf(".%dpods%d", c.Pods, c.PodPool)
	}
	return id
}
