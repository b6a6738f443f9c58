package pg

import (
	"fmt"
	"sync"
	"time"

	"github.com/grafana/sobek"

	"pooler-lab/k6/summary"
)

// raceOptions are the options of pg.race.
type raceOptions struct {
	Clients    int     `js:"clients"`    // VUs that take part
	Iterations int     `js:"iterations"` // that each of them is to do
	Seconds    float64 `js:"seconds"`    // most that the race may last
}

// race is a fixed amount of work: each client connects, does its iterations and
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
	iterations              int       // done in time
}

// use sets the options, or checks that every VU gives the same ones.
func (r *race) use(s *schedule, options raceOptions) error {
	if options.Clients < 1 || options.Iterations < 1 || options.Seconds <= 0 {
		return fmt.Errorf("race: clients and iterations must be at least 1 and seconds above 0, got %+v", options)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.options == (raceOptions{}) {
		if !s.used.CompareAndSwap(false, true) {
			return fmt.Errorf("race: a test has one window, and this one has pg.window's already")
		}
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

// connected notes that a client is connected. Like iteration, it returns whether
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

// iteration notes that a client has done one more iteration, and so is connected.
func (r *race) iteration(s *schedule, l *lane) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	on := r.on(s, now)
	if on {
		l.iterations++
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

// outcome sums the race up; nil where there was none.
func (r *race) outcome(window *span) *summary.Finish {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.lanes) == 0 {
		return nil
	}
	result := &summary.Finish{Seconds: window.end.Sub(window.start).Seconds()}
	for _, l := range r.lanes {
		refused := l.connected.IsZero() && !l.ended.IsZero()
		if l.iterations == 0 && !refused {
			result.Starved++
		}
		if l.iterations >= r.options.Iterations {
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
	i.options("race", call.Argument(0), &options, "clients", "iterations", "seconds")
	if err := i.race.use(&i.schedule, options); err != nil {
		i.throw(err)
	}
	r, s := &i.race, &i.schedule
	var l *lane
	object := i.vu.Runtime().NewObject()
	i.define(object, "start", func() {
		i.requireTest("race.start()")
		i.windowUser.CompareAndSwap(nil, i)
		if l == nil {
			l = r.start(s)
		}
	})
	notes := map[string]func(*schedule, *lane) bool{"connected": r.connected, "iteration": r.iteration, "end": r.end}
	for name, note := range notes {
		i.define(object, name, func() bool {
			if l == nil {
				i.throw(fmt.Errorf("race: start() comes before %s()", name))
			}
			return note(s, l)
		})
	}
	return object
}
