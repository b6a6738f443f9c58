package topology

import (
	"os"
	"path/filepath"
	"strings"
)

// The PostgreSQL servers, by their services' names. Each is called what it is after the first start. Which one takes
// writes can change: see Primary.
const (
	PrimaryNode = "primary"
	StandbyNode = "standby"
)

// NodesFolder returns the folder of the volume that tells the PostgreSQL nodes what to be (images/postgres/node).
func NodesFolder() string {
	if folder := os.Getenv("LAB_NODES"); folder != "" {
		return folder
	}
	return "/run/nodes"
}

// Primary returns the node that takes writes, or is to.
func Primary() string {
	text, err := os.ReadFile(filepath.Join(NodesFolder(), "primary"))
	if name := strings.TrimSpace(string(text)); err == nil && name != "" {
		return name
	}
	return PrimaryNode
}

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
		if len(p.Services) != 1 || p.Services[0] != PrimaryNode && p.Services[0] != StandbyNode {
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
