package console

import (
	"context"
	"slices"
	"sync"
	"time"

	"pooler-lab/internal/link"
)

// A linkWatch knows what the links are, and who changed them. toxiproxy is the truth: this is what it said last.
type linkWatch struct {
	links   Links
	one     sync.Mutex // refresh at a time: an older answer must not take the place of a newer one
	started time.Time  // toxiproxy, as far as it has told: refresh's own

	mu       sync.Mutex
	known    bool             // it has said something
	now      link.Snapshot    // of a link that is stalled: what it was before
	stalled  map[string]error // and why
	up       Reachable
	changing map[string]*change // links that the console has a hand on
	swaps    []Swap             // that nobody has been told of
}

// A change is the console's hand on a link: one at a time.
type change struct {
	sync.Mutex
	hands int
}

func newLinkWatch(links Links) *linkWatch {
	return &linkWatch{links: links, up: Reachable{Reason: notMeasuredYet}, changing: map[string]*change{}}
}

// refresh reads the links and notes what has changed since the last time.
func (s *linkWatch) refresh(ctx context.Context) error {
	s.one.Lock()
	defer s.one.Unlock()
	asked := time.Now()
	now, stalled, err := s.links.Read(ctx)
	anew := err == nil && len(stalled) == 0 && s.startedAnew(ctx, now)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.up = Reachable{Reason: err.Error()}
		return err
	}
	s.up = Reachable{Up: true}
	if s.known {
		s.compare(now, asked, anew)
	}
	// What a stalled link was stays known: once it goes on, whatever was changed meanwhile is told.
	for name := range stalled {
		if before, ok := s.now.Proxy(name); ok {
			now = append(now, before)
		}
	}
	s.now, s.stalled, s.known = now, stalled, true
	return nil
}

// startedAnew says whether toxiproxy has started again since it was last asked. It is asked where all that was on links
// is gone: it keeps nothing of it. Only refresh calls it.
func (s *linkWatch) startedAnew(ctx context.Context, now link.Snapshot) bool {
	before := s.started
	if !before.IsZero() && (s.now.Bare() || !now.Bare()) {
		return false
	}
	if started, err := s.links.Started(ctx); err == nil {
		s.started = started
	}
	return !before.IsZero() && s.started.After(before)
}

// compare notes the links that aren't what they were. Where toxiproxy started anew, nobody has changed them.
func (s *linkWatch) compare(now link.Snapshot, at time.Time, anew bool) {
	for _, p := range now {
		before, ok := s.now.Proxy(p.Name)
		if !ok || before.Describe() == p.Describe() {
			continue
		}
		by := ByElsewhere
		if c := s.changing[p.Name]; c != nil && c.hands > 0 {
			by = ByConsole
		}
		text := spoken(p)
		if anew {
			text, by = text+": toxiproxy started anew", ByElsewhere
		}
		s.note(Swap{Time: at.UTC(), Link: p.Name, Text: text, By: by})
	}
}

// note keeps the last of several changes of a link that nobody has been told of: a slider makes many.
func (s *linkWatch) note(swap Swap) {
	s.swaps = slices.DeleteFunc(s.swaps, func(old Swap) bool { return old.Link == swap.Link && old.By == swap.By })
	s.swaps = append(s.swaps, swap)
}

// take returns the swaps that nobody has been told of.
func (s *linkWatch) take() []Swap {
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
func (s *linkWatch) state() (link.Snapshot, Reachable) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now, s.up
}

// stall returns why a link is stalled, "" where it isn't.
func (s *linkWatch) stall(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.stalled[name]; err != nil {
		return err.Error()
	}
	return ""
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
		s.note(Swap{Time: time.Now().UTC(), Link: name, Text: "connections reset", By: ByConsole})
	}
}

// spoken says what a link is set to.
func spoken(p link.Proxy) string {
	if text := p.Describe(); text != "-" {
		return text
	}
	return "0 ms"
}
