package lesson

import "slices"

// ownPool is how many connections the pool of an application has where the lesson doesn't say.
const ownPool = 10

// cells are those of the experiment over one route.
func (e *Experiment) cells(p PathTraits) []Cell {
	cells := []Cell{{Experiment: e.Name, Path: p.Name, Shared: e.Shared, Wanted: e.Repeats, Planned: e.Repeats}}
	cells = spread(cells, e.Latencies, func(c *Cell, v Value) (ok bool) {
		if v == None {
			c.BandwidthKBs = 0
		}
		c.Latency = v
		c.Link, ok = e.link(p, v)
		return ok
	})
	cells = spread(cells, e.Workload, func(c *Cell, v string) bool { c.Workload = v; return true })
	cells = spread(cells, e.Clients, func(c *Cell, v int) bool { c.Clients = v; return true })
	cells = spread(cells, e.Protocol, func(c *Cell, v string) bool { c.Protocol = v; return true })
	cells = spread(cells, e.Driver, func(c *Cell, v string) bool {
		if v != K6 {
			c.Driver = v
		}
		return v == K6 || !p.OwnPool
	})
	cells = spread(cells, e.Roles, func(c *Cell, v string) bool { c.Role = v; return slices.Contains(p.Roles, v) })
	pools, instances, each := e.PoolSizes, e.Instances, e.InstancePools
	if p.PoolSize == "" {
		pools = nil
	}
	if p.OwnPool && len(instances) == 0 {
		instances = []int{1}
	}
	if len(instances) == 0 {
		each = nil
	}
	cells = spread(cells, orNone(pools), func(c *Cell, v int) bool { c.PoolSize = v; return true })
	cells = spread(cells, orNone(instances), func(c *Cell, v int) bool { c.Instances = v; return true })
	cells = spread(cells, orNone(each), func(c *Cell, v int) bool {
		if v == 0 && c.Instances > 0 {
			v = min((c.Clients+c.Instances-1)/c.Instances, ownPool)
		}
		c.InstancePool = v
		return true
	})
	cells = spread(cells, orNone(e.HotRows), func(c *Cell, v int) bool { c.HotRows = v; return true })
	for i := range cells {
		cells[i].ID = cells[i].id()
	}
	return cells
}

// Over are the experiment's cells over a path and one of its links, at no latency; over the path without toxiproxy
// where link is empty.
func (e Experiment) Over(p PathTraits, link string) []Cell {
	e.Link, e.Latencies = link, []Value{None}
	if link != "" {
		e.Latencies[0] = Number(0)
	}
	p.Plain, p.Links = true, []string{link}
	return e.cells(p)
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
func (e *Experiment) link(p PathTraits, latency Value) (string, bool) {
	switch {
	case latency == None:
		return "", p.Plain
	case e.Link != "":
		return e.Link, slices.Contains(p.Links, e.Link)
	case len(p.Links) == 0:
		return "", false
	}
	return p.Links[0], true
}

// orNone are values, or 0 alone where there are none.
func orNone(values []int) []int {
	if len(values) == 0 {
		return []int{0}
	}
	return values
}
