package server

import (
	"fmt"
	"net"
	"slices"

	"pooler-lab/internal/pooler"
	"pooler-lab/internal/topology"
)

// A Route is a path as a cell uses it: which of its links go through toxiproxy, and who connects.
type Route struct {
	topology.Path
	At       topology.Endpoint // where its client connects
	Crossed  []topology.Link   // links that lie in it, none without latency
	Role     string            // of its clients
	PoolSize int               // that its pooler has to have, 0 where it doesn't matter
	SetMS    float64           // latency that is set on its links
	// Fresh has its clients in a database made anew. The lab's probe stays out of it, or it would be the first there.
	Fresh bool

	kind pooler.Kind // of its pooler, where it has one
}

// NewRoute is p over link and the links that get their latency together with it, or without toxiproxy where link is
// "", as role app.
func NewRoute(set *topology.Set, p topology.Path, link string) (Route, error) {
	at, err := p.Endpoint(link)
	if err != nil {
		return Route{}, err
	}
	path := Route{Path: p, At: at, Role: topology.App}
	if p.Pooler != "" {
		if path.kind, err = pooler.Find(p.Pooler); err != nil {
			return Route{}, fmt.Errorf("path %s: %w", p.Name, err)
		}
	}
	for _, over := range p.Over {
		if !slices.Contains(over.Links, link) {
			continue
		}
		for _, name := range over.Links {
			l, err := set.Link(name)
			if err != nil {
				return Route{}, err
			}
			path.Crossed = append(path.Crossed, l)
		}
		break
	}
	return path, nil
}

// DSN is what the path's clients connect with, without a password.
func (p Route) DSN() string {
	at := p.At
	if p.Fresh {
		at.DBName = fresh
	}
	return at.DSN(p.Role)
}

// counted is the database in which the nodes count the path's clients.
func (p Route) counted() string {
	if p.Fresh {
		return fresh
	}
	return "lab"
}

// postgreSQL says whether the lab's PostgreSQL nodes are at the path's end, whose sessions and counts it can ask for.
func (p Route) postgreSQL() bool { return p.Database == "postgresql" }

// pooled says whether the path's client is a pooler's.
func (p Route) pooled() bool { return p.Pooler != "" }

// proxied says whether toxiproxy is the one that connects to the database, or the client does where the client is
// the database's own.
func (p Route) proxied() bool {
	return slices.ContainsFunc(p.Crossed, func(l topology.Link) bool {
		return !p.pooled() || l.Service() != p.PoolerService()
	})
}

// Nodes are the PostgreSQL servers that the path's queries can reach.
func (p Route) Nodes() []string {
	return slices.DeleteFunc(slices.Clone(p.Services), func(s string) bool { return !topology.IsNode(s) })
}

// use is how the path's pooler is used.
func (p Route) use() pooler.Use {
	return pooler.Use{
		Role: p.Role, Password: topology.Password(p.Role), DSN: p.DSN(), Database: p.At.DBName, Mode: p.Pools,
		PoolSize: p.PoolSize, Nodes: p.Nodes(), Proxied: p.proxied(), PostgreSQL: p.postgreSQL(),
	}
}

// The PostgreSQL servers' names in compose.yaml.
const (
	primary = topology.PrimaryNode
	standby = topology.StandbyNode
)

// addresses looks up where a service is now. Each name of the lab has one address a network.
func addresses(service string) ([]string, error) {
	found, err := net.LookupHost(service)
	if err != nil {
		return nil, fmt.Errorf("find the address of %s: %w", service, err)
	}
	return found, nil
}
