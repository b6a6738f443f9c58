package pg

import (
	"fmt"
	"slices"
	"time"

	"go.k6.io/k6/v2/metrics"

	"pooler-lab/internal/shared"
	"pooler-lab/k6/summary"
)

// slotOptions are the options of pg.slots.
type slotOptions struct {
	Side    string             `js:"side"`    // of this VU: of or to
	Clients [summary.Sides]int `js:"clients"` // VUs of each side
	Slot    float64            `js:"slot"`    // measured part of each slot, milliseconds; 0: as iterations need it
	AtMost  float64            `js:"at_most"` // seconds from the first group to the last
	Settle  float64            `js:"settle"`  // seconds more, for sides that aren't steady at first
	Fewest  int                `js:"fewest"`  // groups that have to fit into at_most; 0: any number
	Seed    uint64             `js:"seed"`    // of the slots' order and leads; 0: others each time
	Groups  string             `js:"groups"`  // file for what each group showed, "" for none
	Stop    string             `js:"stop"`    // file that ends the pair once it exists, "" for none
}

// check says what is wrong with the options.
func (o slotOptions) check() error {
	switch {
	case !slices.Contains(summary.SideNames[:], o.Side):
		return fmt.Errorf("slots: side must be one of %q, not %q", summary.SideNames, o.Side)
	case slices.Min(o.Clients[:]) < 1:
		return fmt.Errorf("slots: each side must have at least one client, got %v", o.Clients)
	case !(o.AtMost > 0) || o.Fewest < 0 || o.Slot < 0 || o.Settle < 0:
		return fmt.Errorf("slots: at_most must be above 0, settle, fewest and slot not below 0, got %+v", o)
	}
	return nil
}

// slots have the clients of two sides alternate. One goroutine begins slot after slot; the clients of its side are
// woken, and the next slot begins when all of them wait again. So the sides never overlap.
type slots struct {
	*phases
	options slotOptions                   // those of all VUs: without a side
	working int                           // clients that haven't come back from the current slot
	back    chan struct{}                 // closed when none is left of them
	changed chan struct{}                 // told when a client waits or leaves
	groups  []summary.Group               // that are complete
	length  time.Duration                 // measured part of the slots
	host    [summary.Sides]shared.HostCPU // CPU time in the measured parts
	tooSlow string
	failure string

	stop  chan struct{} // closed when the test ends
	ended chan struct{} // closed when no slot follows
}

// run begins slot after slot until the pair is over.
func (s *slots) run() {
	defer close(s.ended)
	defer s.close()
	d := newDraw(s.options.Seed)
	if s.await() && s.calibrate(d) {
		s.runGroups(d)
	}
}

// await waits until all clients are ready or have failed, however long that takes. It returns false where a side has no
// client that is ready, or where the test ends first.
func (s *slots) await() bool {
	stopped := false
	for !stopped && !s.complete() {
		select {
		case <-s.changed:
		case <-s.stop:
			stopped = true
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for at, side := range s.sides {
		switch name := summary.SideNames[at]; {
		case s.failure != "":
		case stopped && side.ready < side.clients:
			s.failure = fmt.Sprintf("%d of %d clients of the side %q were ready", side.ready, side.clients, name)
		case !stopped && side.ready == 0 && !side.stopped:
			s.failure = fmt.Sprintf("no client of the side %q is ready", name)
		}
	}
	return !stopped && s.failure == ""
}

// complete reports whether all clients wait or have left.
func (s *slots) complete() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, side := range s.sides {
		if len(side.waiting)+side.left < side.clients {
			return false
		}
	}
	return true
}

// calibrate gives each side a slot to find out how long its iterations take, and with that the length of all slots.
func (s *slots) calibrate(d *draw) bool {
	for side := range s.sides {
		if !s.runSlot(slot{side: side}, d.lead(), calibrationSlot) {
			return false
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var sides [summary.Sides]shared.SlotSide
	for side, took := range s.medians() {
		sides[side] = shared.SlotSide{
			Name: fmt.Sprintf("an iteration of the side %q", summary.SideNames[side]), Iteration: took,
		}
	}
	o := s.options
	length, err := shared.FitSlots(milliseconds(o.Slot), sides, o.Fewest, shared.Seconds(o.AtMost))
	if err != nil {
		s.tooSlow = err.Error()
	}
	s.length = length
	return err == nil
}

// medians are the median times of an iteration of each side.
func (s *slots) medians() (of [summary.Sides]time.Duration) {
	for side := range s.sides {
		of[side], _ = shared.Median(s.sides[side].took)
	}
	return of
}

// runGroups begins group after group.
func (s *slots) runGroups(d *draw) {
	first := time.Now()
	for number := 1; ; number++ {
		began := time.Now()
		order := d.order()
		for at, side := range orders[order] {
			next := slot{group: number, side: side, order: order, last: at == len(orders[order])-1}
			if !s.runSlot(next, d.lead(), s.length) {
				return
			}
		}
		now := time.Now()
		if exists(s.options.Stop) || s.timeOver(number, now.Add(now.Sub(began)).Sub(first)) {
			return
		}
	}
}

// beyondAtMost is how many times the most a pair may take where it hasn't the fewest groups by then: all that it has
// measured would be lost.
const beyondAtMost = 1.25

// timeOver reports whether no group follows the one of that number: with another one, all would take so long.
func (s *slots) timeOver(number int, all time.Duration) bool {
	most := s.options.AtMost
	if number < s.options.Fewest {
		most *= beyondAtMost
	}
	return all > shared.Seconds(s.options.Settle+most)
}

// runSlot begins a slot and waits until its clients have come back. It returns false where the pair is over.
func (s *slots) runSlot(next slot, lead, measured time.Duration) bool {
	in, back := s.wake(next, lead, measured)
	if in == nil {
		return false
	}
	from, to := hostAt(in.from), hostAt(in.to)
	timer := time.NewTimer(time.Until(in.to) + s.patience)
	defer timer.Stop()
	select {
	case <-back:
		s.spent(in, from, to)
		return true
	case <-s.stop:
	case <-timer.C:
		s.mu.Lock()
		defer s.mu.Unlock()
		stuck := fmt.Sprintf("%d clients of the side %q have not ended their iterations %v after the end of a slot",
			s.working, summary.SideNames[in.side], s.patience)
		if in.group == 0 {
			s.tooSlow = stuck
		} else {
			s.failure = stuck
		}
	}
	return false
}

// hostAt reads the host's CPU time at a moment. The channel is closed with nothing in it where the kernel doesn't tell.
func hostAt(at time.Time) <-chan shared.HostCPU {
	read := make(chan shared.HostCPU, 1)
	time.AfterFunc(time.Until(at), func() {
		defer close(read)
		if s, err := shared.ReadHostCPU(); err == nil {
			read <- s
		}
	})
	return read
}

// spent adds what the host's CPUs did in the measured part of a group's slot, from its beginning to its end.
func (s *slots) spent(in *slot, from, to <-chan shared.HostCPU) {
	began, known := <-from
	ended, alsoKnown := <-to
	if !known || !alsoKnown || in.group == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.host[in.side] = s.host[in.side].Add(ended.Since(began))
}

// wake begins a slot: all clients of its side that wait go on. It returns the slot, nil where no client is left, and
// what is closed when all have come back.
func (s *slots) wake(next slot, lead, measured time.Duration) (in *slot, back <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	side := &s.sides[next.side]
	if len(side.waiting) == 0 {
		if !side.stopped {
			s.failure = fmt.Sprintf("no client of the side %q is left", summary.SideNames[next.side])
		}
		return nil, nil
	}
	in = s.begin(next, lead, measured)
	for _, c := range side.waiting {
		c.working = in
	}
	s.working, s.back, side.waiting = len(side.waiting), make(chan struct{}), nil
	return in, s.back
}

// close ends the pair for all clients. The statements of those that are stuck are cancelled.
func (s *slots) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end()
	for side := range s.sides {
		close(s.sides[side].begins)
	}
}

// group describes a group all of whose slots have ended. Its caller holds the lock.
func (s *slots) group(number int) summary.Group {
	g := summary.Group{Number: number}
	for _, in := range s.all {
		if in.group != number {
			continue
		}
		if g.Start.IsZero() {
			g.Start = in.begin.UTC()
		}
		g.Order, g.End = in.order, in.to.UTC()
		g.Sides[in.side].Seconds += in.to.Sub(in.from).Seconds()
	}
	return g
}

// pair sums the slots up, but for the sides' own endings.
func (s *slots) pair() *summary.Test {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &summary.Test{SlotMS: metrics.D(s.length), TooSlow: s.tooSlow, Failure: s.failure, Groups: len(s.groups)}
	for side, took := range s.medians() {
		p.MedianMS[side] = metrics.D(took)
		p.HostCPU[side], _ = s.host[side].Shares()
	}
	return p
}
