package console

import (
	"context"
	"os"
	"slices"
	"time"

	"pooler-lab/internal/link"
	"pooler-lab/internal/pooler"
	"pooler-lab/internal/sample"
	"pooler-lab/internal/server"
	"pooler-lab/internal/topology"
)

// waitsWindow is how long the last moments are for which waits are shown.
const waitsWindow = 5 * time.Second

// A source is the lab as the console sees it: what it reads, and what it acts with.
type source struct {
	Set       *topology.Set
	Presets   link.Presets
	Links     Links
	Probe     func(topology.Link) LinkProbe
	Nodes     map[string]NodeProbe
	Waits     map[string]*sample.Rolling // of databases
	K6, Lab   string                     // programs
	Scale     func(context.Context) (int, error)
	CloseIdle func(context.Context) // has poolers close what the live load has left open
}

// Links are where latencies are swapped.
type Links interface {
	Proxy(ctx context.Context, link string) (link.Proxy, error)
	Started(context.Context) (time.Time, error) // toxiproxy
	Set(ctx context.Context, link string, s link.Settings) error
	Cut(ctx context.Context, link string) error
	Restore(ctx context.Context, link string) error
	Reset(ctx context.Context, link string) error
	Replicates(primaryConninfo string) string
}

// A LinkProbe measures one link on a connection that it keeps.
type LinkProbe interface {
	Sample(context.Context) (time.Duration, error)
	Close()
}

// A NodeProbe asks one node how it is.
type NodeProbe interface {
	// Ask returns what it saw, as a change of the nodes that it says something of.
	Ask(context.Context) (func(map[string]*Node), error)
	Close()
}

// sourceOfLab is the lab itself, whose files are below root.
func sourceOfLab(root string) (*source, error) {
	set, err := topology.Load(root)
	if err != nil {
		return nil, err
	}
	presets, err := link.LoadPresets(root)
	if err != nil {
		return nil, err
	}
	links, err := link.NewSwitch(set, link.New(link.APIURL(), set.LinkNames()...))
	if err != nil {
		return nil, err
	}
	poolers, err := pooler.All(set)
	if err != nil {
		return nil, err
	}
	own, err := os.Executable()
	if err != nil {
		own = "lab"
	}
	s := &source{
		Set:       set,
		Presets:   presets,
		Links:     links,
		Nodes:     map[string]NodeProbe{},
		Waits:     map[string]*sample.Rolling{},
		Probe:     func(l topology.Link) LinkProbe { return link.NewProbe(topology.Proxy, l) },
		K6:        "k6",
		Lab:       own,
		Scale:     server.Scale,
		CloseIdle: func(ctx context.Context) { closeIdle(ctx, set) },
	}
	for _, name := range services(set) {
		switch {
		case topology.IsNode(name):
			s.Nodes[name] = &database{server.NewNode(name), name}
			password := topology.LabPassword()
			s.Waits[name] = sample.NewRolling(name, topology.NodeDSN(name), password, topology.Roles(), waitsWindow)
		case name == "yugabyte":
			s.Nodes[name] = &database{server.NewNode(name), name}
		case poolers[name] != nil:
			s.Nodes[name] = &poolerProbe{pooler: poolers[name], name: name, servers: serversOf(set, name)}
		}
	}
	return s, nil
}

// serversOf are the services that a pooler connects to, in the order of its configuration.
func serversOf(set *topology.Set, pooler string) []string {
	for _, p := range set.Paths {
		if p.PoolerService() == pooler {
			return p.Services[1:]
		}
	}
	return nil
}

// closeIdle has poolers close the server connections that the live load has left open: a lesson waits for those.
func closeIdle(ctx context.Context, set *topology.Set) {
	poolers, err := pooler.All(set)
	if err != nil {
		return // as at the start of the console, which tells
	}
	for _, p := range poolers {
		_ = p.CloseIdle(ctx)
		p.Close()
	}
}

// services are the poolers and databases of the lab's paths, each once, in the order of the map. What else connections
// go through has no state that the console could ask for.
func services(set *topology.Set) []string {
	var poolers, databases []string
	for _, p := range set.Paths {
		for _, s := range p.Services {
			switch {
			case slices.Contains(poolers, s) || slices.Contains(databases, s):
			case set.PoolerKind(s) != "":
				poolers = append(poolers, s)
			case topology.IsDatabase(s):
				databases = append(databases, s)
			}
		}
	}
	return append(poolers, databases...)
}
