// Package topology knows the ways a query can take from client to database, and the links that latency can be put on.
package topology

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"pooler-lab/internal/wording"
)

// Set holds all paths and links, in the order of their files.
type Set struct {
	Paths []Path
	Links []Link
	Root  string // the folder that holds compose.yaml and configs
}

// Path is a way a query can take from client to database.
type Path struct {
	Name     string   `yaml:"name" json:"name"`
	Meaning  string   `yaml:"meaning" json:"meaning"`
	Database string   `yaml:"database" json:"database"` // postgresql or yugabytedb
	Services []string `yaml:"services" json:"services"` // Compose services in the order of travel, without toxiproxy
	Pools    string   `yaml:"pools" json:"pools"`       // none, session, transaction or statement
	// Pooler is the kind of the first service where that is one: see internal/pooler.
	Pooler   string `yaml:"pooler" json:"pooler,omitempty"`
	Balances bool   `yaml:"balances" json:"balances"` // reads are spread over primary and standby
	// ApplicationPool says that clients share connections which their application keeps open: a pool within it.
	ApplicationPool bool `yaml:"application_pool" json:"application_pool,omitempty"`
	// NamedOnly says that a lesson takes the path only where it names it: "*" doesn't mean it. So it is where the lab
	// isn't asked for one of its services.
	NamedOnly bool `yaml:"named_only" json:"named_only,omitempty"`

	// Plain is where a client connects without latency; Endpoint("") returns it.
	Plain Endpoint `yaml:"endpoint" json:"endpoint"`
	// WithoutLatency names the path that this one is while no latency is put on it; "" if it stands for itself.
	// Plain is that path's then.
	WithoutLatency string `yaml:"without_latency" json:"without_latency,omitempty"`
	// Over lists the ways with latency; none for a path without a link.
	Over []Over `yaml:"over" json:"over"`
	// Unavailable is why the path can't be used in this lab, "" where it can.
	Unavailable string `yaml:"-" json:"unavailable"`
}

// Over is a path with latency: the links that lie in it, which get their latency together, and where a client
// then connects.
type Over struct {
	Links    []string `yaml:"links" json:"links"`
	Endpoint Endpoint `yaml:"endpoint" json:"endpoint"`
}

// Root returns the folder that holds compose.yaml and configs: $LAB_ROOT, or /lab as in the lab's container.
func Root() string {
	if root := os.Getenv("LAB_ROOT"); root != "" {
		return root
	}
	return "/lab"
}

// Find returns the path of that name; the error names the closest one and lists all.
func (s *Set) Find(name string) (Path, error) {
	for _, p := range s.Paths {
		if p.Name == name {
			return p, nil
		}
	}
	return Path{}, wording.Unknown("path", name, s.PathNames())
}

// Link returns the link of that name; the error names the closest one and lists all.
func (s *Set) Link(name string) (Link, error) {
	for _, l := range s.Links {
		if l.Name == name {
			return l, nil
		}
	}
	return Link{}, wording.Unknown("link", name, s.LinkNames())
}

// PathNames returns the names of all paths, in the order of configs/paths.yaml.
func (s *Set) PathNames() []string {
	names := make([]string, len(s.Paths))
	for i, p := range s.Paths {
		names[i] = p.Name
	}
	return names
}

// LinkNames returns the names of all links, in the order of configs/toxiproxy.json.
func (s *Set) LinkNames() []string {
	names := make([]string, len(s.Links))
	for i, l := range s.Links {
		names[i] = l.Name
	}
	return names
}

// HostPort returns the port of 127.0.0.1 on the host that the link is published on, 0 where none is known.
// LAB_HOST_PORTS is the published range, "first-last"; links have its ports in the order of their own.
func (s *Set) HostPort(link string) int {
	first, last, ok := strings.Cut(os.Getenv("LAB_HOST_PORTS"), "-")
	from, badFirst := strconv.Atoi(first)
	to, badLast := strconv.Atoi(last)
	l, unknown := s.Link(link)
	if !ok || badFirst != nil || badLast != nil || unknown != nil {
		return 0
	}
	lowest := l.Port()
	for _, other := range s.Links {
		lowest = min(lowest, other.Port())
	}
	if port := from + l.Port() - lowest; port <= to {
		return port
	}
	return 0
}

// PathsOver returns the names of the paths that can travel over that link.
func (s *Set) PathsOver(link string) []string {
	var names []string
	for _, p := range s.Paths {
		if slices.ContainsFunc(p.Over, func(o Over) bool { return slices.Contains(o.Links, link) }) {
			names = append(names, p.Name)
		}
	}
	return names
}

// Endpoint returns where a client connects so that the path goes over link, or without latency if link is "".
// The error says which links the path has.
func (p Path) Endpoint(link string) (Endpoint, error) {
	if link == "" {
		return p.Plain, nil
	}
	var has []string
	for _, o := range p.Over {
		if slices.Contains(o.Links, link) {
			return o.Endpoint, nil
		}
		has = append(has, o.Links...)
	}
	if len(has) == 0 {
		return Endpoint{}, fmt.Errorf("path %s has no link: no latency can be put on it", p.Name)
	}
	return Endpoint{}, fmt.Errorf("path %s doesn't go over link %q; it can go over %s",
		p.Name, link, strings.Join(has, ", "))
}

// Links returns the links that the path's name stands for, those of its first way with latency; none for a path
// without a link.
func (p Path) Links() []string {
	if len(p.Over) == 0 {
		return nil
	}
	return p.Over[0].Links
}

// PoolerService returns the service that pools the path's connections, "" where none does.
func (p Path) PoolerService() string {
	if p.Pooler == "" {
		return ""
	}
	return p.Services[0]
}

// Services returns those that the paths which can be used in this lab go through, toxiproxy left out.
func (s *Set) Services() []string {
	var all []string
	for _, p := range s.Paths {
		if p.Unavailable == "" {
			all = append(all, p.Services...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Proxies returns the services that pass connections on to databases and pool none.
func (s *Set) Proxies() []string {
	var all []string
	for _, p := range s.Paths {
		if first := p.Services[0]; p.Unavailable == "" && p.Pooler == "" && !IsDatabase(first) {
			all = append(all, first)
		}
	}
	return all
}

// PoolerKind returns the kind of pooler that the service is on any path, "" where it is none.
func (s *Set) PoolerKind(service string) string {
	for _, p := range s.Paths {
		if p.PoolerService() == service {
			return p.Pooler
		}
	}
	return ""
}

// Poolers returns the kind of each service that pools connections on a path that can be used in this lab, by the
// service's name.
func (s *Set) Poolers() map[string]string {
	kinds := map[string]string{}
	for _, p := range s.Paths {
		if p.Pooler != "" && p.Unavailable == "" {
			kinds[p.PoolerService()] = p.Pooler
		}
	}
	return kinds
}
