package pg

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/metrics"
)

// barrierOptions are the options of pg.barrier.
type barrierOptions struct {
	Name    string  `js:"name"`    // tells barriers of one test apart
	Clients int     `js:"clients"` // VUs that it waits for
	Timeout float64 `js:"timeout"` // longest wait for them, seconds since the first arrival; 0: as long as it takes
}

// barriers are the barriers of a test by name; all VUs share each of them.
type barriers struct {
	mu    sync.Mutex
	named map[string]*barrier
}

// barrier holds VUs until all of them have arrived, each well or with a failure.
type barrier struct {
	options barrierOptions

	mu     sync.Mutex
	began  time.Time // of the first arrival
	passed passage   // so far
	told   bool      // the metric has its sample
	opened chan struct{}
}

// passage is what wait() and fail() return when the barrier has opened.
type passage struct {
	Ready   int     `js:"ready"`
	Failed  int     `js:"failed"`
	Missing int     `js:"missing"` // had not arrived when the timeout was over
	Seconds float64 `js:"seconds"` // from the first arrival to the opening
}

// newBarrier is pg.barrier(options): a VU's way to the barrier of that name.
func (i *instance) newBarrier(call sobek.FunctionCall) sobek.Value {
	var options barrierOptions
	i.options("barrier", call.Argument(0), &options, "name", "clients", "timeout")
	b, err := i.barriers.find(options)
	if err != nil {
		i.throw(err)
	}
	book := i.newBook("barrier", options.Name)
	arrive := func(ready bool) method {
		return func(sobek.FunctionCall) sobek.Value {
			i.requireTest("barrier")
			i.schedule.begin(i.vu.Context())
			passed, tell, err := b.arrive(i.vu.Context(), ready)
			if err != nil {
				i.throw(err)
			}
			if tell {
				_, tags := i.now(book, time.Now())
				i.push(sample(i.metrics.Barrier, tags, time.Now(), metrics.D(seconds(passed.Seconds))))
			}
			return i.vu.Runtime().ToValue(passed)
		}
	}
	object := i.vu.Runtime().NewObject()
	i.define(object, "wait", arrive(true))
	i.define(object, "fail", arrive(false))
	return object
}

// find returns the barrier of that name, and makes it for the first VU.
func (b *barriers) find(options barrierOptions) (*barrier, error) {
	if options.Clients < 1 || options.Timeout < 0 {
		return nil, fmt.Errorf("barrier: clients must be at least 1 and timeout not below 0, got %+v", options)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.named == nil {
		b.named = map[string]*barrier{}
	}
	known := b.named[options.Name]
	if known == nil {
		known = &barrier{options: options, opened: make(chan struct{})}
		b.named[options.Name] = known
	}
	if known.options != options {
		return nil, fmt.Errorf("barrier: two of one name differ: %+v and %+v; give one of them another name", known.options, options)
	}
	return known, nil
}

// arrive counts a VU and waits until the barrier opens, or ctx ends. It returns
// true to one VU, whose matter it is to tell the metric.
func (b *barrier) arrive(ctx context.Context, ready bool) (passage, bool, error) {
	b.count(ready)
	select {
	case <-b.opened:
	case <-ctx.Done():
		return passage{}, false, fmt.Errorf("wait at the barrier: %w", ctx.Err())
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	tell := !b.told
	b.told = true
	return b.passed, tell, nil
}

// count notes an arrival and opens the barrier when it was the last one. Who
// arrives at an open barrier walks through.
func (b *barrier) count(ready bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.isOpen() {
		return
	}
	if b.began.IsZero() {
		b.began = time.Now()
		if b.options.Timeout > 0 {
			time.AfterFunc(seconds(b.options.Timeout), b.giveUp)
		}
	}
	if ready {
		b.passed.Ready++
	} else {
		b.passed.Failed++
	}
	if b.passed.Ready+b.passed.Failed >= b.options.Clients {
		b.open()
	}
}

// giveUp opens the barrier without those who are missing.
func (b *barrier) giveUp() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.isOpen() {
		b.open()
	}
}

// open lets everybody through; b.mu is held.
func (b *barrier) open() {
	b.passed.Missing = b.options.Clients - b.passed.Ready - b.passed.Failed
	b.passed.Seconds = time.Since(b.began).Seconds()
	close(b.opened)
}

// isOpen reports whether the barrier is open; b.mu is held.
func (b *barrier) isOpen() bool {
	select {
	case <-b.opened:
		return true
	default:
		return false
	}
}
