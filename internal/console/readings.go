package console

import (
	"sync"
	"time"
)

// notMeasuredYet is why nothing is known of what no probe has read since the console, or a pause, began.
const notMeasuredYet = "not measured yet"

// readings are what the probes saw last. What a probe no longer reads is forgotten, not kept as if it were true.
type readings struct {
	mu    sync.Mutex
	links map[string]measurement
	nodes map[string]nodeReading
	waits map[string]waitsReading
}

// A measurement is a link's round trip, or why there is none.
type measurement struct {
	ms     *float64
	until  time.Time // when it is too old to be shown
	reason string
}

// A nodeReading is what one probe saw, or why it saw nothing.
type nodeReading struct {
	apply  func(map[string]*Node)
	reason string
}

// A waitsReading is what the sessions of a node waited for, or why nobody knows.
type waitsReading struct {
	events []Wait
	reason string
}

func newReadings() *readings {
	return &readings{links: map[string]measurement{}, nodes: map[string]nodeReading{}, waits: map[string]waitsReading{}}
}

func (s *readings) link(name string, m measurement) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.links[name] = m
}

// roundTrip is a link's, or why there is none.
func (s *readings) roundTrip(name string) (ms *float64, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, ok := s.links[name]
	switch {
	case !ok:
		return nil, notMeasuredYet
	case m.ms != nil && time.Now().After(m.until):
		return nil, "no answer yet"
	}
	return m.ms, m.reason
}

func (s *readings) node(name string, seen nodeReading) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nodes[name] = seen
}

func (s *readings) wait(name string, seen waitsReading) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waits[name] = seen
}

// forgetLink and its like are for probes that rest.
func (s *readings) forgetLink(name string) { forget(s, s.links, name) }
func (s *readings) forgetNode(name string) { forget(s, s.nodes, name) }
func (s *readings) forgetWait(name string) { forget(s, s.waits, name) }

func forget[V any](s *readings, of map[string]V, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(of, name)
}

// fill writes what is known into nodes that are part of the lab.
func (s *readings) fill(nodes map[string]*Node) {
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

// waiting returns what was seen of all, in their order.
func (s *readings) waiting(all []*waits) []NodeWaits {
	s.mu.Lock()
	defer s.mu.Unlock()
	told := []NodeWaits{}
	for _, w := range all {
		seen, known := s.waits[w.name]
		if !known {
			seen.reason = notMeasuredYet
		}
		told = append(told, NodeWaits{Node: w.name, Events: listed(seen.events), Reason: seen.reason})
	}
	return told
}

// rounded keeps three decimals: microseconds of a figure in milliseconds.
func rounded(v float64) float64 { return float64(int64(v*1000+0.5)) / 1000 }
