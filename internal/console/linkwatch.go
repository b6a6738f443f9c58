package console

import (
	"context"
	"slices"
	"sync"
	"time"

	"pooler-lab/internal/console/api"
	"pooler-lab/internal/link"
)

// snapshotWait is how long toxiproxy may take to tell what the links are. Its API waits for a connection that stalls.
const snapshotWait = 700 * time.Millisecond

// A linkWatch knows what the links are, and who changed them. toxiproxy is the truth: this is what it said last.
type linkWatch struct {
	links Links
	one   sync.Mutex // refresh at a time: an older answer must not take the place of a newer one

	mu       sync.Mutex
	known    bool // it has said something
	now      link.Snapshot
	up       api.Reachable
	changing map[string]*change // links that the console has a hand on
	swaps    []api.Swap         // that nobody has been told of
}

// A change is the console's hand on a link: one at a time.
type change struct {
	sync.Mutex
	hands int
}

func newLinkWatch(links Links) *linkWatch {
	return &linkWatch{links: links, up: api.Reachable{Reason: notMeasuredYet}, changing: map[string]*change{}}
}

// refresh reads the links and notes what has changed since the last time.
func (s *linkWatch) refresh(ctx context.Context) error {
	s.one.Lock()
	defer s.one.Unlock()
	limited, cancel := context.WithTimeout(ctx, snapshotWait)
	defer cancel()
	asked := time.Now()
	now, err := s.links.Snapshot(limited)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.up = api.Reachable{Reason: err.Error()}
		return err
	}
	s.up = api.Reachable{Up: true}
	if s.known {
		s.compare(now, asked)
	}
	s.now, s.known = now, true
	return nil
}

// compare notes the links that aren't what they were.
func (s *linkWatch) compare(now link.Snapshot, at time.Time) {
	for _, p := range now {
		before, ok := s.now.Proxy(p.Name)
		if !ok || before.Describe() == p.Describe() {
			continue
		}
		by := api.ByElsewhere
		if c := s.changing[p.Name]; c != nil && c.hands > 0 {
			by = api.ByConsole
		}
		s.note(api.Swap{Time: at.UTC(), Link: p.Name, Text: spoken(p), By: by})
	}
}

// note keeps the last of several changes of a link that nobody has been told of: a slider makes many.
func (s *linkWatch) note(swap api.Swap) {
	s.swaps = slices.DeleteFunc(s.swaps, func(old api.Swap) bool { return old.Link == swap.Link && old.By == swap.By })
	s.swaps = append(s.swaps, swap)
}

// take returns the swaps that nobody has been told of.
func (s *linkWatch) take() []api.Swap {
	s.mu.Lock()
	defer s.mu.Unlock()
	swaps := s.swaps
	s.swaps = nil
	return swaps
}

// proxy returns a link as it was last, not ok where it isn't known.
func (s *linkWatch) proxy(name string) (link.Proxy, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now.Proxy(name)
}

// state returns what is known of all links.
func (s *linkWatch) state() (link.Snapshot, api.Reachable) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now, s.up
}

// do changes links with do, and sees what they are afterwards.
func (s *linkWatch) do(ctx context.Context, names []string, do func() error) error {
	if err := s.refresh(ctx); err != nil { // what happened before isn't ours
		return err
	}
	defer s.lay(names)()
	done := do()
	if err := s.refresh(ctx); done == nil {
		return err
	}
	return done
}

// lay lays the console's hand on links, waits for another of its hands, and returns what takes it off again.
func (s *linkWatch) lay(names []string) (off func()) {
	names = slices.Sorted(slices.Values(names)) // in one order, or two could wait for each other
	var held []*change
	for _, name := range names {
		s.mu.Lock()
		c := s.changing[name]
		if c == nil {
			c = new(change)
			s.changing[name] = c
		}
		s.mu.Unlock()
		c.Lock()
		s.mu.Lock()
		c.hands++
		s.mu.Unlock()
		held = append(held, c)
	}
	return func() {
		s.mu.Lock()
		for _, c := range held {
			c.hands--
		}
		s.mu.Unlock()
		for _, c := range held {
			c.Unlock()
		}
	}
}

// noteReset notes that links' connections were ended: nothing of it is left to be seen in toxiproxy.
func (s *linkWatch) noteReset(names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range names {
		s.note(api.Swap{Time: time.Now().UTC(), Link: name, Text: "connections reset", By: api.ByConsole})
	}
}

// spoken says what a link is set to.
func spoken(p link.Proxy) string {
	if text := p.Describe(); text != "-" {
		return text
	}
	return "0 ms"
}
