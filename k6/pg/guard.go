package pg

import (
	"sync"
	"time"
)

// cancelWait is how long a statement may go on after its test was stopped: the
// cancel request travels to the server and its answer back.
const cancelWait = 2 * time.Second

// rounds is how often the guard looks for statements of a stopped test. One
// that looks ten times a second costs less than a watch on each statement.
const rounds = 100 * time.Millisecond

// guard knows the sessions that hold a connection. It cancels their statements
// when the test is stopped and closes them when it ends: no event of k6 says
// that a VU ends.
type guard struct {
	mu       sync.Mutex
	sessions map[*session]struct{}
	walking  bool
}

// add puts a session under guard.
func (g *guard) add(s *session) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.sessions == nil {
		g.sessions = map[*session]struct{}{}
	}
	g.sessions[s] = struct{}{}
	if !g.walking {
		g.walking = true
		go g.walk()
	}
}

// remove takes a session away that has no connection any more.
func (g *guard) remove(s *session) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.sessions, s)
}

// walk makes its rounds until there is nothing to guard.
func (g *guard) walk() {
	for g.round() {
		time.Sleep(rounds)
	}
}

// round looks at each session once and reports whether there are any.
func (g *guard) round() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for s := range g.sessions {
		s.stop()
	}
	g.walking = len(g.sessions) > 0
	return g.walking
}

// leaving is how many connections are closed at a time, so that the end of a
// test with thousands of them needs no memory of its own.
const leaving = 200

// dismiss closes all connections and returns when the servers have closed them
// too, so that their statistics are complete, or after goodbye and a little
// more for thousands of them.
func (g *guard) dismiss() {
	g.mu.Lock()
	sessions := g.sessions
	g.sessions = nil
	g.mu.Unlock()
	deadline := time.Now().Add(goodbye + time.Duration(len(sessions))*time.Millisecond/4)
	var closing sync.WaitGroup
	places := make(chan struct{}, leaving)
	for s := range sessions {
		places <- struct{}{}
		closing.Go(func() {
			s.leave(deadline)
			<-places
		})
	}
	closing.Wait()
}
