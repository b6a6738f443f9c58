package lesson

import (
	"fmt"
	"slices"
)

// ownPool is how many connections the pool of an application has where the lesson doesn't say.
const ownPool = 10

// cells are those of the group over one route.
func (g *Experiment) cells(r Route) []Cell {
	cells := []Cell{{Experiment: g.Name, Path: r.Name, Rate: g.Rate, Seconds: g.Seconds, Warmup: g.Warmup, Fill: g.FillPools,
		Wanted: g.Repeats, Writes: g.Writes, Transactions: g.Transactions, ReplicationMS: g.ReplicationMS,
		FreshDatabase: g.FreshDatabase, Settings: g.Settings, Params: g.Params, WaitsHz: g.WaitsHz, Metrics: g.Metrics}}
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
	cells = spread(cells, g.pods(r), func(c *Cell, v int) bool { c.Instances = v; return true })
	cells = spread(cells, g.podPools(r), func(c *Cell, v int) bool {
		if v == 0 && c.Instances > 0 {
			v = min((c.Clients+c.Instances-1)/c.Instances, ownPool)
		}
		c.InstancePool = v
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
func (g *Experiment) link(r Route, latency Latency) (string, bool) {
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

func (g *Experiment) poolSizes(r Route) []int {
	if !r.PgBouncer || len(g.PoolSizes) == 0 {
		return []int{0}
	}
	return g.PoolSizes
}

// pods are one on a path whose application has a pool, and none elsewhere, unless the group says.
func (g *Experiment) pods(r Route) []int {
	switch {
	case len(g.Instances) > 0:
		return g.Instances
	case r.OwnPool:
		return []int{1}
	}
	return []int{0}
}

func (g *Experiment) podPools(r Route) []int {
	if len(g.InstancePools) == 0 || len(g.Instances) == 0 && !r.OwnPool {
		return []int{0}
	}
	return g.InstancePools
}

// id names the cell within its run; it is part of file names.
func (c Cell) id() string {
	id := fmt.Sprintf("%s.%s.%s.%s.%dc.%s", c.Experiment, c.Path, c.Latency, c.Workload, c.Clients, c.Protocol)
	if c.Role != "app" {
		id += "." + c.Role
	}
	if c.PoolSize > 0 {
		id += fmt.Sprintf(".pool%d", c.PoolSize)
	}
	if c.Instances > 0 {
		id += fmt.Sprintf(".%dpods%d", c.Instances, c.InstancePool)
	}
	return id
}
