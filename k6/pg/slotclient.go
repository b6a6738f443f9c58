package pg

import (
	"fmt"
	"slices"
	"time"

	"github.com/grafana/sobek"

	"pooler-lab/k6/summary"
)

// A slotClient is a client that is at work in the slots of its side. Its own VU uses it; what the lock of phases guards
// is named so.
type slotClient struct {
	*instance
	slots  *slots
	place  int // among the clients of its side, from 0
	tagSet *tagSet

	arrived bool            // as ready or failed
	began   time.Time       // when the iteration under way began; zero before the slot's first
	took    []time.Duration // the iterations of a calibration slot

	working *slot // that it is at work in, nil while it waits; guarded by the lock
	gone    bool  // for good; guarded by the lock
}

// newSlots is pg.slots(options): a VU's place among the clients that alternate.
func (i *instance) newSlots(call sobek.FunctionCall) sobek.Value {
	i.requireTest("pg.slots()")
	var options slotOptions
	i.options("slots", call.Argument(0), &options)
	c, err := i.Module.slots.add(i, options)
	if err != nil {
		i.throw(err)
	}
	place := func(sobek.FunctionCall) sobek.Value { return i.vu.Runtime().ToValue(c.place) }
	return i.object(map[string]method{"place": place, "ready": c.arrives(true), "fail": c.arrives(false), "wait": c.wait,
		"over": c.over, "leave": c.leave})
}

// add returns a new client of a side. The first one has the slots begin.
func (s *slots) add(i *instance, options slotOptions) (*slotClient, error) {
	if err := options.check(); err != nil {
		return nil, err
	}
	i.side = slices.Index(summary.SideNames[:], options.Side)
	options.Side = ""
	first, err := s.use("slots", options, options.Clients[:]...)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if first {
		s.options = options
		s.changed, s.stop, s.ended = make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
		go s.run()
	}
	side := &s.sides[i.side]
	if side.joined == side.clients {
		return nil, fmt.Errorf("slots: the side %s has its %d clients already", summary.SideNames[i.side], side.joined)
	}
	if side.first == nil {
		side.first = i
	}
	i.takesPart = true
	side.joined++
	return &slotClient{instance: i, slots: s, place: side.joined - 1, tagSet: i.newTagSet()}, nil
}

// over is slots.over(): whether the measured part of the slot has ended. In a calibration slot it is the clock of the
// iterations, too.
func (c *slotClient) over(sobek.FunctionCall) sobek.Value {
	now, current := time.Now(), c.slots.current.Load()
	if current != nil && current.group == 0 {
		if !c.began.IsZero() && !now.Before(current.from) {
			c.took = append(c.took, now.Sub(c.began))
		}
		c.began = now
	}
	return c.vu.Runtime().ToValue(current != nil && !now.Before(current.to) || c.slots.phases.over.Err() != nil ||
		c.vu.Context().Err() != nil)
}

// arrives is slots.ready() or slots.fail(): from the next wait() on the client counts as that.
func (c *slotClient) arrives(ready bool) method {
	return func(sobek.FunctionCall) sobek.Value {
		c.requireTest("slots")
		if c.arrived {
			return sobek.Undefined()
		}
		c.arrived = true
		c.settleAll(time.Now())
		c.slots.mu.Lock()
		defer c.slots.mu.Unlock()
		if side := &c.slots.sides[c.side]; ready {
			side.ready++
		} else {
			side.failed++
		}
		return sobek.Undefined()
	}
}

// wait is slots.wait(): it returns true when the next slot of the client's side has begun, and false when the pair is
// over. All that the client has measured is on its way to k6 before it counts as waiting.
func (c *slotClient) wait(sobek.FunctionCall) sobek.Value {
	c.requireTest("slots.wait()")
	c.comeBack()
	begins := c.slots.join(c)
	if begins == nil {
		return c.vu.Runtime().ToValue(false)
	}
	select {
	case <-begins:
	case <-c.context().Done():
		c.slots.leave(c)
		c.comeBack()
	}
	c.began = time.Time{}
	c.slots.mu.Lock()
	defer c.slots.mu.Unlock()
	return c.vu.Runtime().ToValue(c.working != nil)
}

// leave is slots.leave(): the client does nothing any more.
func (c *slotClient) leave(sobek.FunctionCall) sobek.Value {
	c.requireTest("slots.leave()")
	c.slots.leave(c)
	c.comeBack()
	return sobek.Undefined()
}

// comeBack ends the client's work in its slot. All that it measured there is on its way to k6 first. The last client of
// a group's last slot sends the group's number after it: what an output has seen before that number is all.
func (c *slotClient) comeBack() {
	now := time.Now()
	ended := now
	if current := c.slots.current.Load(); current != nil && now.After(current.to) {
		ended = current.to
	}
	c.settleAll(ended)
	in, back := c.slots.leaveSlot(c, now)
	if in != nil && in.last && !now.Before(in.to) {
		c.push(sample(c.metrics.Group, c.at(c.tagSet, phaseMeasure), in.to, float64(in.group)))
	}
	if in != nil {
		close(back)
	}
}

// leaveSlot notes that a client has ended its work in the slot under way. For the last one it returns that slot, and
// what is to be closed then.
func (s *slots) leaveSlot(c *slotClient, now time.Time) (in *slot, back chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	side := &s.sides[c.side]
	side.took, c.took = append(side.took, c.took...), nil
	in, c.working = c.working, nil
	if in == nil || in != s.current.Load() {
		return nil, nil
	}
	if s.working--; s.working > 0 {
		return nil, nil
	}
	if in.last && !now.Before(in.to) {
		s.groups = append(s.groups, s.group(in.group))
	}
	return in, s.back
}

// join has a client wait. It returns what is closed when the next slot of its side begins, or nil where none does.
func (s *slots) join(c *slotClient) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.phases.over.Err() != nil || c.gone {
		return nil
	}
	side := &s.sides[c.side]
	side.waiting = append(side.waiting, c)
	s.tell()
	return side.begins
}

// leave takes a client out for good. One that hasn't arrived has failed.
func (s *slots) leave(c *slotClient) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.gone {
		return
	}
	c.gone = true
	side := &s.sides[c.side]
	side.left++
	side.stopped = side.stopped || c.vu.Context().Err() != nil
	side.waiting = slices.DeleteFunc(side.waiting, func(other *slotClient) bool { return other == c })
	if !c.arrived {
		c.arrived = true
		side.failed++
	}
	s.tell()
}

// tell wakes await.
func (s *slots) tell() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}
