package pg

import (
	"fmt"
	"sync"
	"time"

	"github.com/grafana/sobek"
)

// raceOptions are the options of pg.race.
type raceOptions struct {
	Clients int     `js:"clients"` // VUs that take part
	Turns   int     `js:"turns"`   // that each of them is to do
	Seconds float64 `js:"seconds"` // most that the race may last
}

// race is a fixed amount of work: each client connects, does its turns and
// leaves, and none waits for another. It lasts from the first client's start
// until the last one has ended, and is the measured window of the test.
type race struct {
	mu      sync.Mutex
	options raceOptions
	lanes   []*lane
	ended   int // clients
}

// lane is one client of a race.
type lane struct {
	began, connected, ended time.Time // zero until then
	turns                   int       // done in time
}

// use sets the options, or checks that every VU gives the same ones.
func (r *race) use(s *schedule, options raceOptions) error {
	if options.Clients < 1 || options.Turns < 1 || options.Seconds <= 0 {
		return fmt.Errorf("race: clients and turns must be at least 1 and seconds above 0, got %+v", options)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.options == (raceOptions{}) {
		if !s.used.CompareAndSwap(false, true) {
			return fmt.Errorf("race: a test has one window, and this one has pg.window's already")
		}
		s.begun.Store(true) // the window waits for nobody
		r.options = options
	}
	if r.options != options {
		return fmt.Errorf("race: a test has one race, and this one differs from the first: %+v, not %+v", options, r.options)
	}
	return nil
}

// start adds a client; the first one opens the window.
func (r *race) start(s *schedule) *lane {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := &lane{began: time.Now()}
	if len(r.lanes) == 0 {
		s.open.Store(&span{start: l.began, end: l.began.Add(seconds(r.options.Seconds))})
	}
	r.lanes = append(r.lanes, l)
	return l
}

// connected notes that a client is connected. Like turn, it returns whether
// the race is still on: what comes after its time doesn't count.
func (r *race) connected(s *schedule, l *lane) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if l.connected.IsZero() && r.on(s, now) {
		l.connected = now
	}
	return r.on(s, now)
}

// turn notes that a client has done one more turn, and so is connected.
func (r *race) turn(s *schedule, l *lane) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	on := r.on(s, now)
	if on {
		l.turns++
		if l.connected.IsZero() {
			l.connected = now
		}
	}
	return on
}

// end notes that a client has ended, well or not; the last one closes the
// window.
func (r *race) end(s *schedule, l *lane) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if l.ended.IsZero() && r.on(s, now) {
		l.ended = now
		r.ended++
	}
	if r.ended == r.options.Clients {
		s.end(now)
	}
	return false
}

// on reports whether the race is still on at the given time.
func (r *race) on(s *schedule, now time.Time) bool {
	return !now.After(s.open.Load().end)
}

// finishOutcome is how a race ended. Times are seconds since its first client's
// start.
type finishOutcome struct {
	ConnectedSeconds   float64 `js:"connected_seconds"`    // until the last one that could connect was connected
	MeanConnectSeconds float64 `js:"mean_connect_seconds"` // of those that could, each from its own start
	Connected          int     `js:"connected"`            // clients that could connect
	Finished           int     `js:"finished"`             // clients that did all of their turns
	Starved            int     `js:"starved"`              // clients that did none, though nothing refused them
	Seconds            float64 `js:"seconds"`              // until the last one ended, or the most it may last
}

// outcome sums the race up; nil where there was none.
func (r *race) outcome(window *span) *finishOutcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.lanes) == 0 {
		return nil
	}
	result := &finishOutcome{Seconds: window.end.Sub(window.start).Seconds()}
	for _, l := range r.lanes {
		refused := l.connected.IsZero() && !l.ended.IsZero()
		if l.turns == 0 && !refused {
			result.Starved++
		}
		if l.turns >= r.options.Turns {
			result.Finished++
		}
		if l.connected.IsZero() {
			continue
		}
		result.Connected++
		result.MeanConnectSeconds += l.connected.Sub(l.began).Seconds()
		result.ConnectedSeconds = max(result.ConnectedSeconds, l.connected.Sub(window.start).Seconds())
	}
	if result.Connected > 0 {
		result.MeanConnectSeconds /= float64(result.Connected)
	}
	return result
}

// newRace is pg.race(options): a VU's place in the test's one race.
func (i *instance) newRace(call sobek.FunctionCall) sobek.Value {
	var options raceOptions
	i.options("race", call.Argument(0), &options, "clients", "turns", "seconds")
	if err := i.race.use(&i.schedule, options); err != nil {
		i.throw(err)
	}
	r, s := &i.race, &i.schedule
	var l *lane
	object := i.vu.Runtime().NewObject()
	i.define(object, "start", func() {
		i.requireTest("race.start()")
		i.witness.CompareAndSwap(nil, i)
		if l == nil {
			l = r.start(s)
		}
	})
	for name, note := range map[string]func(*schedule, *lane) bool{"connected": r.connected, "turn": r.turn, "end": r.end} {
		i.define(object, name, func() bool {
			if l == nil {
				i.throw(fmt.Errorf("race: start() comes before %s()", name))
			}
			return note(s, l)
		})
	}
	return object
}
