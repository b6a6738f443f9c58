package pg

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/grafana/sobek"
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
	Seconds float64 `js:"seconds"` // length of the window
}

// schedule is the measured window of a test, shared by its VUs. It opens when all clients are ready or have failed,
// however long that takes. Statements that outlast it by patience are cancelled: one that is stuck would hold k6.
type schedule struct {
	open atomic.Pointer[span]
	used atomic.Bool // some VU made a window

	mu            sync.Mutex
	options       windowOptions
	patience      time.Duration
	opened        chan struct{}
	ready, failed int
	outlasted     context.Context // ends patience after the window
	outlast       context.CancelFunc
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
	if options.Clients < 1 || options.Seconds <= 0 {
		return fmt.Errorf("window: clients must be at least 1 and seconds above 0, got %+v", options)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used.Load() && s.options != options {
		return fmt.Errorf("window: a test has one window, and this one differs from the first: %+v, not %+v",
			options, s.options)
	}
	if !s.used.Load() {
		s.options, s.opened = options, make(chan struct{})
		s.outlasted, s.outlast = context.WithCancel(context.Background())
		s.used.Store(true)
	}
	return nil
}

// arrive counts a client as ready or failed and waits until the window opens
// or ctx ends.
func (s *schedule) arrive(ctx context.Context, ready bool) error {
	s.count(ready)
	select {
	case <-s.opened:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the window: %w", ctx.Err())
	}
}

// count counts a client as ready or failed; the last one opens the window.
func (s *schedule) count(ready bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.open.Load() != nil:
		return
	case ready:
		s.ready++
	default:
		s.failed++
	}
	if s.ready+s.failed == s.options.Clients {
		s.openWindow()
	}
}

// openWindow opens the window. Its caller holds the lock.
func (s *schedule) openWindow() {
	start := time.Now()
	end := start.Add(seconds(s.options.Seconds))
	s.open.Store(&span{start: start, end: end})
	time.AfterFunc(time.Until(end)+s.patience, s.outlast)
	close(s.opened)
}

// unopened says how many clients a window still waited for that never opened; "" where it did, or where there is none.
func (s *schedule) unopened() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.options.Clients == 0 || s.open.Load() != nil {
		return ""
	}
	return fmt.Sprintf("%d of %d clients were ready", s.ready, s.options.Clients)
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
	i.options("window", call.Argument(0), &options, "clients", "seconds")
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
