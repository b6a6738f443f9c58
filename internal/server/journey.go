package server

import (
	"fmt"
	"net"
	"slices"
	"strings"

	"pooler-lab/internal/topology"
)

// A Journey is a path together with the links of it that go through toxiproxy, and who travels.
type Journey struct {
	Path     topology.Path
	Endpoint topology.Endpoint // where its client connects
	Links    []topology.Link   // those that lie in it, none without latency
	Role     string            // of its clients
	PoolSize int               // that PgBouncer has to have, 0 where it doesn't matter
	AskedMS  float64           // latency that its links are asked to add
	// Fresh has its clients in a database made anew. The lab's probe stays out of it, or it would be the first there.
	Fresh bool
}

// NewJourney is p over link and the links that get their latency together with it, or without toxiproxy where
// link is "", as role app.
func NewJourney(set *topology.Set, p topology.Path, link string) (Journey, error) {
	endpoint, err := p.Endpoint(link)
	if err != nil {
		return Journey{}, err
	}
	j := Journey{Path: p, Endpoint: endpoint, Role: app}
	for _, over := range p.Over {
		if !slices.Contains(over.Links, link) {
			continue
		}
		for _, name := range over.Links {
			l, err := set.Link(name)
			if err != nil {
				return Journey{}, err
			}
			j.Links = append(j.Links, l)
		}
		break
	}
	return j, nil
}

// DSN is what the journey's clients connect with, without a password.
func (j Journey) DSN() string {
	if j.Fresh {
		at := j.Endpoint
		at.DBName = fresh
		return at.DSN(j.Role)
	}
	return j.Endpoint.DSN(j.Role)
}

// database is the one in which the nodes count the journey's clients.
func (j Journey) database() string {
	if j.Fresh {
		return fresh
	}
	return "lab"
}

// HasPgBouncer says whether one lies in the path.
func HasPgBouncer(p topology.Path) bool { return slices.ContainsFunc(p.Services, isPgBouncer) }

// Straight says whether the path's client is a PostgreSQL node's own.
func Straight(p topology.Path) bool {
	return len(p.Services) == 1 && (p.Services[0] == primary || p.Services[0] == standby)
}

// entry is the service that answers the client.
func (j Journey) entry() string {
	if j.Endpoint.Host == topology.Proxy && len(j.Links) > 0 {
		return j.Links[0].Service()
	}
	return j.Endpoint.Host
}

func (j Journey) pgbouncer() bool { return isPgBouncer(j.entry()) }
func (j Journey) pgpool() bool    { return isPgpool(j.entry()) }
func (j Journey) yugabyte() bool  { return j.Path.Database == "yugabytedb" }

// proxied says whether toxiproxy is the one that connects to the database, or the client does where the client is
// the database's own.
func (j Journey) proxied() bool {
	return slices.ContainsFunc(j.Links, func(l topology.Link) bool { return !j.pooled() || l.Service() != j.entry() })
}

func (j Journey) pooled() bool { return j.pgbouncer() || j.pgpool() }

// Nodes are the PostgreSQL servers that the journey's queries can reach, to be looked at by others.
func (j Journey) Nodes() []string { return j.nodes() }

// Pooler is the service that pools the journey's connections, "" where there is none.
func (j Journey) Pooler() string {
	if !j.pooled() {
		return ""
	}
	return j.entry()
}

// nodes are the PostgreSQL servers that the journey's queries can reach.
func (j Journey) nodes() []string {
	var names []string
	for _, s := range j.Path.Services {
		if s == primary || s == standby {
			names = append(names, s)
		}
	}
	return names
}

// The PostgreSQL servers' names in compose.yaml.
const (
	primary = "primary"
	standby = "standby"
)

// A pooler is known by the beginning of its service's name: there may be several of a kind.
func isPgBouncer(service string) bool { return strings.HasPrefix(service, "pgbouncer") }
func isPgpool(service string) bool    { return strings.HasPrefix(service, "pgpool") }

// addresses looks up where a service is now. Each name of the lab has one address a network.
func addresses(service string) ([]string, error) {
	found, err := net.LookupHost(service)
	if err != nil {
		return nil, fmt.Errorf("find the address of %s: %w", service, err)
	}
	return found, nil
}
