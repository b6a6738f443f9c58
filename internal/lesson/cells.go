package lesson

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Route is what a lesson has to know about a path to spread its cells over it.
type Route struct {
	Name string
	// Plain says that the path can be measured without toxiproxy. A pooler near the application can't:
	// without latency between it and the database it is the same path as the plain one.
	Plain bool
	Links []string // that latency can be put on; the first is the one used unless a group names another
}

// A Cell is one path x latency x workload x client count x protocol of a group.
type Cell struct {
	ID       string  `json:"id"`
	Group    string  `json:"group"`
	Path     string  `json:"path"`
	Latency  Latency `json:"latency_ms"` // null has no toxiproxy in it
	Link     string  `json:"link"`       // the link under study, empty without toxiproxy
	Workload string  `json:"workload"`
	Clients  int     `json:"clients"`
	Protocol string  `json:"protocol"`
	Rate     float64 `json:"rate"`           // transactions per second over all clients; 0 is a closed loop
	Seconds  float64 `json:"seconds"`        // length of the measured window asked for
	Warmup   float64 `json:"warmup_seconds"` // most that the warm-up may take
	Fill     bool    `json:"fill_pools"`     // pools are filled before it
	Wanted   int     `json:"repeats_wanted"` // how many times it is to run, once a block
}

// Cells spreads the lesson's groups over the routes: paths in the routes' order, then latency, workload,
// clients and protocol as the lesson lists them. A latency that a path can't have makes no cell.
func (l *Lesson) Cells(routes []Route) ([]Cell, error) {
	var cells []Cell
	for _, g := range l.Groups {
		chosen, err := g.routes(routes)
		if err != nil {
			return nil, fmt.Errorf("group %q: %w", g.Name, err)
		}
		for _, r := range chosen {
			cells = append(cells, g.cells(r)...)
		}
	}
	if len(cells) == 0 {
		return nil, errors.New("no cells are left: a path without a link (socket) has no latency to set, " +
			"and a pooler near the application is only measured with one")
	}
	return cells, nil
}

// routes returns those of all that the group asks for.
func (g *Group) routes(all []Route) ([]Route, error) {
	if slices.Contains(g.Paths, "*") {
		return all, nil
	}
	var names []string
	for _, r := range all {
		names = append(names, r.Name)
	}
	for _, p := range g.Paths {
		if !slices.Contains(names, p) {
			return nil, fmt.Errorf("there is no path %q; there are %s", p, strings.Join(names, ", "))
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(r Route) bool { return !slices.Contains(g.Paths, r.Name) }), nil
}

func (g *Group) cells(r Route) []Cell {
	var cells []Cell
	for _, latency := range g.Latencies {
		link, ok := g.link(r, latency)
		if !ok {
			continue
		}
		for _, workload := range g.Workload {
			for _, clients := range g.Clients {
				for _, protocol := range g.Protocol {
					c := Cell{Group: g.Name, Path: r.Name, Latency: latency, Link: link, Workload: workload,
						Clients: clients, Protocol: protocol, Rate: g.Rate, Seconds: g.Seconds, Warmup: g.Warmup,
						Fill: g.FillPools, Wanted: g.Repeats}
					c.ID = c.id()
					cells = append(cells, c)
				}
			}
		}
	}
	return cells
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

// id names the cell within its run; it is part of file names.
func (c Cell) id() string {
	return fmt.Sprintf("%s.%s.%s.%s.%dc.%s", c.Group, c.Path, c.Latency, c.Workload, c.Clients, c.Protocol)
}
