package pg

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/metrics"

	"pooler-lab/internal/shared"
)

// paceOptions are the options of pg.pace.
type paceOptions struct {
	Rate    float64 `js:"rate"`    // iterations per second, over all clients
	Clients int     `js:"clients"` // VUs that share them
}

// pace is one VU's part of an open model: its iterations are due at fixed moments,
// whether the one before them has ended or not. A VU that was held up begins
// its overdue iterations at once, one after the other.
type pace struct {
	*instance
	options  paceOptions
	interval time.Duration // between two iterations of this VU
	tagSet   *tagSet

	first time.Time // due time of the first one; zero until the first wait
	count int       // the next one
	due   time.Time // of the iteration that is under way
}

// pacers are the VUs' paces, in the order in which they began.
type pacers struct {
	mu   sync.Mutex
	list []*pace
	from time.Time // start of the schedule where there is no window
}

// join gives the pace its place: iterations of different VUs of a cell alternate.
func (p *pacers) join(joining *pace, open *slot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.from.IsZero() {
		p.from = time.Now()
	}
	from := p.from
	if open != nil {
		from = open.from
	}
	place := 0
	for _, other := range p.list {
		if other.side == joining.side {
			place++
		}
	}
	joining.first = from.Add(shared.Seconds(float64(place) / joining.options.Rate))
	p.list = append(p.list, joining)
}

// newPace is pg.pace(options).
func (i *instance) newPace(call sobek.FunctionCall) sobek.Value {
	p := &pace{instance: i, tagSet: i.newTagSet()}
	i.options("pace", call.Argument(0), &p.options)
	if !(p.options.Rate > 0) || math.IsInf(p.options.Rate, 1) || p.options.Clients < 1 {
		i.throw(fmt.Errorf("pace: rate must be above 0 and clients at least 1, got %+v", p.options))
	}
	p.interval = shared.Seconds(float64(p.options.Clients) / p.options.Rate)
	return i.object(map[string]method{"wait": p.wait, "done": p.done})
}

// wait is pace.wait(): it returns true when the next iteration is due, or false
// when the window (or the test) has ended before it.
func (p *pace) wait(sobek.FunctionCall) sobek.Value {
	p.requireTest("pace.wait()")
	open := p.phases.current.Load()
	if p.first.IsZero() {
		p.pacers.join(p, open)
	}
	due := p.first.Add(time.Duration(p.count) * p.interval)
	inTime := true
	if open != nil && !due.Before(open.to) {
		due, inTime = open.to, false
	}
	if !sleepUntil(p.vu.Context(), due) || !inTime {
		return p.vu.Runtime().ToValue(false)
	}
	p.due = due
	p.count++
	if now := time.Now(); now.Sub(due) > p.interval {
		p.push(sample(p.metrics.Late, p.tagsAt(now), now, 1))
	}
	return p.vu.Runtime().ToValue(true)
}

// done is pace.done(): the iteration has succeeded, and its response time counts
// from the moment it was due.
func (p *pace) done(sobek.FunctionCall) sobek.Value {
	p.requireTest("pace.done()")
	if p.due.IsZero() {
		p.throw(errors.New("pace.done() without an iteration: wait() begins one"))
	}
	now := time.Now()
	p.later(sample(p.metrics.ResponseTime, p.tagsAt(now), now, metrics.D(now.Sub(p.due))))
	return sobek.Undefined()
}

// tagsAt returns the VU's tags in the phase of the given time.
func (p *pace) tagsAt(at time.Time) *metrics.TagSet {
	_, tags := p.now(p.tagSet, at)
	return tags
}

// dropped counts the iterations that were due before the window's end and didn't begin.
func (p *pace) dropped(end time.Time) (count int) {
	for next := p.count; p.first.Add(time.Duration(next) * p.interval).Before(end); next++ {
		count++
	}
	return count
}

// spinning is how long before its end a sleep becomes a loop: about what the
// kernel may be late.
const spinning = 60 * time.Microsecond

// coarse is how long before its end a sleep leaves Go's own timers, which are
// up to a millisecond late on an idle machine.
const coarse = 1500 * time.Microsecond

// sleepUntil returns true at the given time, or false when ctx ends before it.
func sleepUntil(ctx context.Context, until time.Time) bool {
	if wait := time.Until(until) - coarse; wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return false
		}
	}
	if wait := time.Until(until) - spinning; wait > 0 {
		preciseSleep(wait)
	}
	for time.Now().Before(until) {
	}
	return ctx.Err() == nil
}
