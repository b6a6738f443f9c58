package pg

import (
	"fmt"
	"time"

	"github.com/grafana/sobek"

	"pooler-lab/internal/shared"
	"pooler-lab/k6/summary"
)

// fixedOptions are the options of pg.fixedIterations.
type fixedOptions struct {
	Clients    int     `js:"clients"`    // VUs that take part
	Iterations int     `js:"iterations"` // that each of them is to do
	Seconds    float64 `js:"seconds"`    // most that all may take
}

// fixedIterations is a fixed amount of work: each client connects, does its iterations and leaves, and none waits for
// another. It is the measured slot of its test, from the first client's start until the last one has ended.
type fixedIterations struct {
	*phases
	clients []*fixedClient // guarded by the lock of phases
}

// fixedClient is what one client has done in time.
type fixedClient struct {
	began, connected, ended time.Time // zero until then
	iterations              int
}

// start adds a client; the first one begins the slot.
func (f *fixedIterations) start(i *instance, options fixedOptions) *fixedClient {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.clients) == 0 {
		f.sides[0].first = i
		f.beginOnly(shared.Seconds(options.Seconds))
	}
	c := &fixedClient{began: time.Now()}
	f.clients = append(f.clients, c)
	return c
}

// note notes what a client has done, unless time is over, and returns whether it isn't.
func (f *fixedIterations) note(done func(now time.Time)) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	if now.After(f.current.Load().to) {
		return false
	}
	done(now)
	return true
}

// connect notes that a client is connected, if it wasn't before.
func (c *fixedClient) connect(now time.Time) {
	if c.connected.IsZero() {
		c.connected = now
	}
}

// iterate notes that a client has done one more iteration, and so is connected.
func (c *fixedClient) iterate(now time.Time) {
	c.iterations++
	c.connect(now)
}

// leave notes that a client has ended, well or not; the last one ends the slot.
func (f *fixedIterations) leave(c *fixedClient, now time.Time) {
	c.ended = now
	ended := 0
	for _, other := range f.clients {
		if !other.ended.IsZero() {
			ended++
		}
	}
	if ended == f.sides[0].clients {
		f.cut(now)
	}
}

// outcome sums up what was done within the window; nil where the test has no fixed iterations.
// Its caller holds the lock.
func (f *fixedIterations) outcome(window *summary.Window) *summary.Finish {
	if window == nil || !f.is("fixedIterations") {
		return nil
	}
	result := &summary.Finish{Seconds: window.Seconds}
	for _, c := range f.clients {
		refused := c.connected.IsZero() && !c.ended.IsZero()
		if c.iterations == 0 && !refused {
			result.Starved++
		}
		if c.iterations >= f.given.(fixedOptions).Iterations {
			result.Finished++
		}
		if c.connected.IsZero() {
			continue
		}
		result.Connected++
		result.MeanConnectSeconds += c.connected.Sub(c.began).Seconds()
		result.ConnectedSeconds = max(result.ConnectedSeconds, c.connected.Sub(window.Start).Seconds())
	}
	if result.Connected > 0 {
		result.MeanConnectSeconds /= float64(result.Connected)
	}
	window.Ready, window.Failed = result.Connected, f.sides[0].clients-result.Connected
	return result
}

// newFixedIterations is pg.fixedIterations(options): a VU's part of the test's fixed amount of work.
func (i *instance) newFixedIterations(call sobek.FunctionCall) sobek.Value {
	var options fixedOptions
	i.options("fixedIterations", call.Argument(0), &options)
	if options.Clients < 1 || options.Iterations < 1 || options.Seconds <= 0 {
		i.throw(fmt.Errorf("fixedIterations: clients and iterations must be at least 1 and seconds above 0, got %+v",
			options))
	}
	if _, err := i.phases.use("fixedIterations", options, options.Clients); err != nil {
		i.throw(err)
	}
	f := &i.fixed
	var c *fixedClient
	methods := map[string]method{"start": func(sobek.FunctionCall) sobek.Value {
		i.requireTest("fixedIterations.start()")
		if c == nil {
			i.takesPart = true
			c = f.start(i, options)
		}
		return sobek.Undefined()
	}}
	for name, done := range map[string]func(time.Time){
		"connected": func(now time.Time) { c.connect(now) },
		"iteration": func(now time.Time) { c.iterate(now) },
		"end":       func(now time.Time) { f.leave(c, now) },
	} {
		methods[name] = func(sobek.FunctionCall) sobek.Value {
			if c == nil {
				i.throw(fmt.Errorf("fixedIterations: start() comes before %s()", name))
			}
			return i.vu.Runtime().ToValue(f.note(done))
		}
	}
	return i.object(methods)
}
