package topology

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The PostgreSQL servers, by their services' names. Each is called what it is after the first start. Which one takes
// writes can change: see Primary.
const (
	PrimaryNode = "primary"
	StandbyNode = "standby"
)

// Nodes are the PostgreSQL servers of the lab.
func Nodes() []string { return []string{PrimaryNode, StandbyNode} }

// IsNode says whether the service is one of them.
func IsNode(service string) bool { return slices.Contains(Nodes(), service) }

// IsDatabase says whether the service is a database: a PostgreSQL node or YugabyteDB. What else a path goes through
// passes its connections on.
func IsDatabase(service string) bool { return IsNode(service) || service == "yugabyte" }

// Straight says whether the path's client is a client of one PostgreSQL node, always the same.
func (p *Path) Straight() bool { return len(p.Services) == 1 && IsNode(p.Services[0]) }

// NodesFolder returns the folder of the volume that tells the PostgreSQL nodes what to be (images/postgres/node).
func NodesFolder() string {
	if folder := os.Getenv("LAB_NODES"); folder != "" {
		return folder
	}
	return "/run/nodes"
}

// Told returns the word in a file of that folder, "" where there is no such file.
func Told(file string) string {
	text, _ := os.ReadFile(filepath.Join(NodesFolder(), file))
	return strings.TrimSpace(string(text))
}

// Primary returns the node that takes writes, or is to.
func Primary() string { return cmp.Or(Told("primary"), PrimaryNode) }

// OtherNode returns the PostgreSQL node beside that one.
func OtherNode(name string) string {
	if name == PrimaryNode {
		return StandbyNode
	}
	return PrimaryNode
}

// followRoles has each path that leads to one PostgreSQL node, without a pooler, lead to the node that now has that
// node's role, where the two have changed places.
func (s *Set) followRoles() {
	if Primary() == PrimaryNode {
		return
	}
	was := *s
	was.Paths = append([]Path(nil), s.Paths...)
	for i := range s.Paths {
		p := &s.Paths[i]
		if !p.Straight() {
			continue
		}
		now := OtherNode(p.Services[0])
		p.Services = []string{now}
		if p.Plain.Socket() {
			p.Unavailable = "its Unix socket is that of " + PrimaryNode + ", and " + now + " is the primary just now"
			continue
		}
		p.Plain.Host, p.Over = now, was.over(now)
	}
}

// over returns the ways with latency of the first path to that node alone.
func (s *Set) over(node string) []Over {
	for _, p := range s.Paths {
		if len(p.Services) == 1 && p.Services[0] == node {
			return p.Over
		}
	}
	return nil
}
