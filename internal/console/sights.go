package console

import (
	"sync"
)

// notYet is why nothing is known of what nobody has looked at since the console, or a pause, began.
const notYet = "not measured yet"

// cutOff is why a link that is cut has no round trip.
const cutOff = "cut"

// Sights are what the probes saw last. What a probe no longer looks at is forgotten, not kept as if it were true.
type sights struct {
	mu    sync.Mutex
	links map[string]measurement
	nodes map[string]nodeSight
	waits map[string]waitSight
}

// A measurement is a link's round trip, or why there is none.
type measurement struct {
	ms     *float64
	reason string
}

// A nodeSight is what one probe saw, or why it saw nothing.
type nodeSight struct {
	apply  func(map[string]*Node)
	reason string
}

// A waitSight is what the sessions of a node waited for, or why nobody knows.
type waitSight struct {
	events []Wait
	reason string
}

func newSights() *sights {
	return &sights{links: map[string]measurement{}, nodes: map[string]nodeSight{}, waits: map[string]waitSight{}}
}

func (s *sights) noteLink(name string, m measurement) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.links[name] = m
}

func (s *sights) measured(name string) measurement {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, ok := s.links[name]
	if !ok {
		m.reason = notYet
	}
	return m
}

func (s *sights) node(name string, seen nodeSight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nodes[name] = seen
}

func (s *sights) wait(name string, seen waitSight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waits[name] = seen
}

// forgetLink and its like are for probes that rest.
func (s *sights) forgetLink(name string) { forget(s, s.links, name) }
func (s *sights) forgetNode(name string) { forget(s, s.nodes, name) }
func (s *sights) forgetWait(name string) { forget(s, s.waits, name) }

func forget[V any](s *sights, of map[string]V, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(of, name)
}

// fill writes what is known into nodes that are part of the lab.
func (s *sights) fill(nodes map[string]*Node) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, seen := range s.nodes {
		node := nodes[name]
		switch {
		case node == nil || node.State == Off:
		case seen.apply == nil:
			node.State, node.Reason = Down, seen.reason
		default:
			node.State, node.Reason = Up, ""
			seen.apply(nodes)
		}
	}
}

// waiting returns the waits of the nodes, in their order.
func (s *sights) waiting(names []string) []NodeWaits {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := []NodeWaits{}
	for _, name := range names {
		seen, looked := s.waits[name]
		if !looked {
			seen.reason = notYet
		}
		all = append(all, NodeWaits{Node: name, Events: listed(seen.events), Reason: seen.reason})
	}
	return all
}

// rounded keeps three decimals: microseconds of a figure in milliseconds.
func rounded(v float64) float64 { return float64(int64(v*1000+0.5)) / 1000 }
