package pg

import (
	"fmt"
	"time"

	"github.com/grafana/sobek"
)

// windowOptions are the options of pg.window.
type windowOptions struct {
	Clients int     `js:"clients"` // VUs that the window waits for
	Seconds float64 `js:"seconds"` // length of the window
}

// newWindow is pg.window(options): a VU's hand on the test's measured window. It opens when all clients are ready or
// have failed, however long that takes.
func (i *instance) newWindow(call sobek.FunctionCall) sobek.Value {
	var options windowOptions
	i.options("window", call.Argument(0), &options)
	if options.Clients < 1 || options.Seconds <= 0 {
		i.throw(fmt.Errorf("window: clients must be at least 1 and seconds above 0, got %+v", options))
	}
	if _, err := i.phases.use("window", options, options.Clients); err != nil {
		i.throw(err)
	}
	arrived := false
	arrive := func(ready bool) method {
		return func(sobek.FunctionCall) sobek.Value {
			i.requireTest("window")
			if !arrived {
				arrived, i.takesPart = true, true
				i.awaitWindow(ready, seconds(options.Seconds))
			}
			return sobek.Undefined()
		}
	}
	return i.object(map[string]method{"ready": arrive(true), "fail": arrive(false), "over": i.over})
}

// awaitWindow counts a client as ready or failed and waits until the window is open. The last client opens it.
func (i *instance) awaitWindow(ready bool, length time.Duration) {
	opened := i.phases.arrive(i, ready, length)
	if opened == nil {
		return
	}
	select {
	case <-opened:
	case <-i.vu.Context().Done():
		i.throw(fmt.Errorf("wait for the window: %w", i.vu.Context().Err()))
	}
}

// arrive counts a client of a window and returns what is closed when that opens; nil where it has opened before.
func (p *phases) arrive(i *instance, ready bool, length time.Duration) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current.Load() != nil {
		return nil
	}
	only := &p.sides[0]
	only.first = i
	if ready {
		only.ready++
	} else {
		only.failed++
	}
	opens := only.begins
	if only.ready+only.failed == only.clients {
		p.beginOnly(length)
	}
	return opens
}

// unopened says how many clients a window still waited for that never opened; "" where it did, or where there is none.
// Its caller holds the lock.
func (p *phases) unopened() string {
	if !p.is("window") || p.current.Load() != nil {
		return ""
	}
	return fmt.Sprintf("%d of %d clients were ready", p.sides[0].ready, p.sides[0].clients)
}

// over is window.over(): true once the window has closed.
func (i *instance) over(sobek.FunctionCall) sobek.Value {
	open := i.phases.current.Load()
	return i.vu.Runtime().ToValue(open != nil && !time.Now().Before(open.to))
}
