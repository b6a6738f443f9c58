package pg

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/lib"
)

// phase says in which part of a test an event ended.
type phase int

const (
	phaseNone    phase = iota // the script uses no window: no phase tag
	phaseWarmup               // before the window opened
	phaseMeasure              // while it was open
	phaseAfter                // after it closed
	phaseCount
)

// String returns the value of the phase tag.
func (p phase) String() string {
	return [phaseCount]string{"", "warmup", "measure", "after"}[p]
}

// span is the measured window once it is open.
type span struct {
	start, end time.Time
}

// windowOptions are the options of pg.window.
type windowOptions struct {
	Clients int     `js:"clients"` // VUs that the window waits for
	Warmup  float64 `js:"warmup"`  // longest wait for them, seconds since the scenario began
	Seconds float64 `js:"seconds"` // least length of the window
}

// schedule is the measured window of a test, shared by its VUs. It opens when
// all clients are ready or have failed, and without the rest of them when the
// warm-up's time is over; it closes when warm-up and seconds, both counted from
// the scenario's start, are over. So it is never shorter than seconds.
type schedule struct {
	open  atomic.Pointer[span]
	used  atomic.Bool // some VU made a window
	begun atomic.Bool // some VU did something in the test

	mu            sync.Mutex
	options       windowOptions
	scenario      time.Time // zero until begin
	opened        chan struct{}
	timer         *time.Timer
	ready, failed int
	atOpening     struct{ ready, failed int }
}

// phaseAt returns the phase of something that ended at the given time.
func (s *schedule) phaseAt(ended time.Time) phase {
	open := s.open.Load()
	switch {
	case !s.used.Load():
		return phaseNone
	case open == nil || ended.Before(open.start):
		return phaseWarmup
	case ended.After(open.end):
		return phaseAfter
	}
	return phaseMeasure
}

// use sets the options, or checks that every VU gives the same ones.
func (s *schedule) use(options windowOptions) error {
	if options.Clients < 1 || options.Seconds <= 0 || options.Warmup < 0 {
		return fmt.Errorf("window: clients must be at least 1, seconds above 0 and warmup not below 0, got %+v", options)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used.Load() && s.options != options {
		return fmt.Errorf("window: a test has one window, and this one differs from the first: %+v, not %+v",
			options, s.options)
	}
	if !s.used.Load() {
		s.options, s.opened = options, make(chan struct{})
		s.used.Store(true)
	}
	return nil
}

// begin starts the warm-up's time when a VU does its first thing in a test.
func (s *schedule) begin(ctx context.Context) {
	if s.begun.Load() || !s.used.Load() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.begun.CompareAndSwap(false, true) {
		return
	}
	s.scenario = time.Now()
	if state := lib.GetScenarioState(ctx); state != nil {
		s.scenario = state.StartTime
	}
	s.timer = time.AfterFunc(time.Until(s.scenario.Add(seconds(s.options.Warmup))), s.openWindow)
}

// arrive counts a client as ready or failed and waits until the window opens
// or ctx ends.
func (s *schedule) arrive(ctx context.Context, ready bool) error {
	s.begin(ctx)
	s.mu.Lock()
	if ready {
		s.ready++
	} else {
		s.failed++
	}
	all := s.ready+s.failed >= s.options.Clients
	s.mu.Unlock()

	if all {
		s.openWindow()
	}
	select {
	case <-s.opened:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the window: %w", ctx.Err())
	}
}

// openWindow opens the window, once.
func (s *schedule) openWindow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open.Load() != nil {
		return
	}
	s.timer.Stop()
	s.atOpening.ready, s.atOpening.failed = s.ready, s.failed
	start := time.Now()
	end := s.scenario.Add(seconds(s.options.Warmup) + seconds(s.options.Seconds))
	if end.Before(start) {
		end = start
	}
	s.open.Store(&span{start: start, end: end})
	close(s.opened)
}

// late is how many clients were ready only after the window had opened.
func (s *schedule) late() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(0, s.ready-s.atOpening.ready)
}

// end closes the window, if it is still open at the given time, and returns it:
// empty if it was never opened.
func (s *schedule) end(now time.Time) span {
	open := s.open.Load()
	if open == nil {
		return span{}
	}
	if now.Before(open.end) {
		open = &span{start: open.start, end: now}
		s.open.Store(open)
	}
	return *open
}

// newWindow is pg.window(options): a VU's hand on the test's one window.
func (i *instance) newWindow(call sobek.FunctionCall) sobek.Value {
	var options windowOptions
	i.options("window", call.Argument(0), &options, "clients", "warmup", "seconds")
	if err := i.schedule.use(options); err != nil {
		i.throw(err)
	}

	arrived := false
	arrive := func(ready bool) func(sobek.FunctionCall) sobek.Value {
		return func(sobek.FunctionCall) sobek.Value {
			i.requireTest("window")
			if !arrived {
				arrived = true
				i.windowUser.CompareAndSwap(nil, i)
				if err := i.schedule.arrive(i.vu.Context(), ready); err != nil {
					i.throw(err)
				}
			}
			return sobek.Undefined()
		}
	}
	object := i.vu.Runtime().NewObject()
	i.define(object, "ready", arrive(true))
	i.define(object, "fail", arrive(false))
	i.define(object, "over", i.over)
	return object
}

// phase is pg.phase(): where in the test the VU's last statement belongs, so
// that a script's own samples fall into the window with it. Of a VU that has
// done nothing on a server it says where the test is now.
func (i *instance) phase(sobek.FunctionCall) sobek.Value {
	ended := i.ended
	if ended.IsZero() {
		ended = time.Now()
	}
	return i.vu.Runtime().ToValue(i.phaseAt(ended).String())
}

// define sets a property that a fresh object can't refuse.
func (i *instance) define(object *sobek.Object, name string, value any) {
	if err := object.Set(name, value); err != nil {
		i.throw(err)
	}
}

// seconds turns a number of seconds into a duration.
func seconds(value float64) time.Duration {
	return time.Duration(value * float64(time.Second))
}

// over is window.over(): true once the window has closed.
func (i *instance) over(sobek.FunctionCall) sobek.Value {
	open := i.schedule.open.Load()
	return i.vu.Runtime().ToValue(open != nil && !time.Now().Before(open.end))
}
