package pg

import (
	"context"
	"time"

	"github.com/grafana/sobek"
)

// A participant is a client that is at work in the slots of its side. Its own VU uses it; what slots.mu guards is
// named so.
type participant struct {
	*instance
	slots *slots
	side  int
	place int // among the clients of its side, from 0

	tagSet *tagSet

	ctx     context.Context // of the VU, until the pair is over; nil before its first use
	cancel  context.CancelFunc
	arrived bool            // as ready or failed
	began   time.Time       // when the iteration under way began; zero before the slot's first
	took    []time.Duration // the iterations of a calibration slot

	working *slot // that it is at work in, nil while it waits; guarded by slots.mu
	gone    bool  // for good; guarded by slots.mu
}

// phaseAt returns the phase of something of this client's that ended at the given time. It is asked for each statement,
// so it takes no lock.
func (p *participant) phaseAt(ended time.Time) phase {
	now := p.slots.current.Load()
	switch {
	case now == nil || now.group == 0:
		return phaseWarmup
	case now.side == p.side && !ended.Before(now.from) && ended.Before(now.to):
		return phaseMeasure
	}
	return phaseAfter
}

// context ends with the VU's own, and with the pair: a client that is stuck in a statement then is cancelled.
func (p *participant) context() context.Context {
	if p.ctx == nil {
		p.ctx, p.cancel = context.WithCancel(p.vu.Context())
		p.slots.cancelAtEnd(p.cancel)
	}
	return p.ctx
}

// over is slots.over(): whether the counted part of the slot has ended. In a calibration slot it is the clock of the
// iterations, too.
func (p *participant) over(sobek.FunctionCall) sobek.Value {
	now, current := time.Now(), p.slots.current.Load()
	if current == nil {
		return p.vu.Runtime().ToValue(p.context().Err() != nil)
	}
	if current.group == 0 {
		if !p.began.IsZero() && !now.Before(current.from) {
			p.took = append(p.took, now.Sub(p.began))
		}
		p.began = now
	}
	return p.vu.Runtime().ToValue(!now.Before(current.to) || p.context().Err() != nil)
}

// arrives is slots.ready() or slots.fail(): from the next wait() on the client counts as that.
func (p *participant) arrives(ready bool) func(sobek.FunctionCall) sobek.Value {
	return func(sobek.FunctionCall) sobek.Value {
		p.requireTest("slots")
		if !p.arrived {
			p.arrived = true
			p.settleAll(time.Now())
			p.slots.arrive(p, ready)
		}
		return sobek.Undefined()
	}
}

// wait is slots.wait(): it returns true when the next slot of the client's side has begun, and false when the pair is
// over. All that the client has measured is on its way to k6 before it counts as waiting.
func (p *participant) wait(sobek.FunctionCall) sobek.Value {
	p.requireTest("slots.wait()")
	p.handIn()
	begins := p.slots.join(p)
	if begins == nil {
		return p.vu.Runtime().ToValue(false)
	}
	ctx := p.context()
	select {
	case <-begins:
	case <-ctx.Done():
		p.slots.leave(p)
		return p.vu.Runtime().ToValue(false)
	}
	p.began = time.Time{}
	return p.vu.Runtime().ToValue(p.slots.atWork(p))
}

// leave is slots.leave(): the client does nothing any more.
func (p *participant) leave(sobek.FunctionCall) sobek.Value {
	p.requireTest("slots.leave()")
	p.handIn()
	p.slots.leave(p)
	return sobek.Undefined()
}

// handIn pushes all that the client has measured, as of the slot that it belongs to.
func (p *participant) handIn() {
	now := time.Now()
	if current := p.slots.current.Load(); current != nil && now.After(current.to) {
		now = current.to
	}
	p.settleAll(now)
	if len(p.took) > 0 {
		p.slots.timed(p.side, p.took)
		p.took = nil
	}
}

// phaseAt returns the phase of something of this VU's that ended at the given time.
func (i *instance) phaseAt(ended time.Time) phase {
	if i.participant != nil {
		return i.participant.phaseAt(ended)
	}
	return i.schedule.phaseAt(ended)
}

// context is what the VU's connects and statements run under. It ends with the VU's iteration of k6's, with its pair,
// or patience after the window.
func (i *instance) context() context.Context {
	own := i.vu.Context()
	switch {
	case i.participant != nil:
		return i.participant.context()
	case !i.schedule.used.Load() || i.schedule.outlasted == nil: // no window, or fixed work
		return own
	case i.under != own:
		if i.release != nil {
			i.release()
		}
		limited, cancel := context.WithCancel(own)
		i.under, i.limited = own, limited
		i.release = context.AfterFunc(i.schedule.outlasted, cancel)
	}
	return i.limited
}

// sideOf is the number of the VU's side; 0 where it has none.
func (i *instance) sideOf() int {
	if i.participant != nil {
		return i.participant.side
	}
	return 0
}

// newSlots is pg.slots(options): a VU's place in the test's one pair.
func (i *instance) newSlots(call sobek.FunctionCall) sobek.Value {
	i.requireTest("pg.slots()")
	var options slotOptions
	i.options("slots", call.Argument(0), &options,
		"side", "clients", "slot", "at_most", "fewest", "seed", "groups", "stop")
	p, err := i.Module.slots.use(i, options)
	if err != nil {
		i.throw(err)
	}
	i.participant = p
	object := i.vu.Runtime().NewObject()
	i.define(object, "place", p.place)
	i.define(object, "ready", p.arrives(true))
	i.define(object, "fail", p.arrives(false))
	i.define(object, "wait", p.wait)
	i.define(object, "over", p.over)
	i.define(object, "leave", p.leave)
	return object
}
