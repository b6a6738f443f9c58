package pg

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"pooler-lab/internal/hostcpu"
	"pooler-lab/k6/summary"
)

// slotOptions are the options of pg.slots.
type slotOptions struct {
	Side    string             `js:"side"`    // of this VU: of or to
	Clients [summary.Sides]int `js:"clients"` // VUs of each side
	Slot    float64            `js:"slot"`    // counted part of each slot, milliseconds; 0: as iterations need it
	AtMost  float64            `js:"at_most"` // seconds from the first group to the last
	Fewest  int                `js:"fewest"`  // groups that have to fit into that; 0: any number
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
	case !(o.AtMost > 0) || o.Fewest < 0 || o.Slot < 0:
		return fmt.Errorf("slots: at_most must be above 0, fewest and slot not below 0, got %+v", o)
	}
	return nil
}

// patience is how long clients may take to end their iterations after the window, or the counted part of a slot.
const patience = 10 * time.Second

// slots have the clients of two sides alternate. One goroutine begins slot after slot; the clients of its side are
// woken, and the next slot begins when all of them wait again. So the sides never overlap.
type slots struct {
	used    atomic.Bool          // some VU made a participant
	current atomic.Pointer[slot] // that began last; nil before the first

	mu      sync.Mutex
	options slotOptions // those of all VUs: without a side
	members [summary.Sides]members
	working int             // clients that haven't come back from the current slot
	back    chan struct{}   // closed when none is left of them
	changed chan struct{}   // told when a client waits or leaves
	all     []slot          // that have begun, the calibration's too
	groups  []summary.Group // that are complete
	cancels []context.CancelFunc
	over    bool
	length  time.Duration                 // counted part of the slots
	host    [summary.Sides]hostcpu.Sample // CPU time in the counted parts
	tooSlow string
	failure string

	stop  chan struct{} // closed when the test ends
	ended chan struct{} // closed when no slot follows
}

// members are the clients of one side.
type members struct {
	first         *instance // in whose name the side is reported
	joined        int       // that exist
	ready, failed int
	left          int  // for good
	stopped       bool // some were, with the test
	waiting       []*participant
	begins        chan struct{}   // closed when the side's next slot begins
	took          []time.Duration // iterations of the calibration slot
}

// use returns a new client of a side. The first one's options hold for all.
func (s *slots) use(i *instance, options slotOptions) (*participant, error) {
	if err := options.check(); err != nil {
		return nil, err
	}
	side := slices.Index(summary.SideNames[:], options.Side)
	options.Side = ""
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.used.Load() {
		if !i.schedule.used.CompareAndSwap(false, true) {
			return nil, fmt.Errorf("slots: a test has one window, and this one has that of pg.window or pg.race already")
		}
		s.begin(options)
	}
	if s.options != options {
		return nil, fmt.Errorf("slots: a test has one pair, and this one differs from the first: %+v, not %+v",
			options, s.options)
	}
	m := &s.members[side]
	if m.joined == options.Clients[side] {
		return nil, fmt.Errorf("slots: the side %s has its %d clients already", summary.SideNames[side], m.joined)
	}
	if m.first == nil {
		m.first = i
	}
	p := &participant{instance: i, slots: s, side: side, place: m.joined, tagSet: i.newTagSet()}
	m.joined++
	return p, nil
}

// begin starts what begins the slots.
func (s *slots) begin(options slotOptions) {
	s.options = options
	s.changed, s.stop, s.ended = make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
	for side := range s.members {
		s.members[side].begins = make(chan struct{})
	}
	s.used.Store(true)
	go s.run()
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
	for !s.complete() {
		select {
		case <-s.changed:
		case <-s.stop:
			s.mu.Lock()
			defer s.mu.Unlock()
			for side, m := range s.members {
				if clients := s.options.Clients[side]; m.ready < clients && s.failure == "" {
					s.failure = fmt.Sprintf("%d of %d clients of the side %q were ready", m.ready, clients, summary.SideNames[side])
				}
			}
			return false
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for side := range s.members {
		m := &s.members[side]
		if m.ready == 0 && !m.stopped && s.failure == "" {
			s.failure = fmt.Sprintf("no client of the side %q is ready", summary.SideNames[side])
		}
	}
	return s.failure == ""
}

// complete reports whether all clients wait or have left.
func (s *slots) complete() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for side, m := range s.members {
		if len(m.waiting)+m.left < s.options.Clients[side] {
			return false
		}
	}
	return true
}

// calibrate gives each side a slot to find out how long its iterations take, and with that the length of all slots.
func (s *slots) calibrate(d *draw) bool {
	for side := range s.members {
		if !s.runSlot(slot{side: side}, d.lead(), calibrationSlot) {
			return false
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	medians := s.medians()
	s.length = milliseconds(s.options.Slot)
	if s.length == 0 {
		s.length = slotFor(medians)
	}
	if s.length == 0 {
		slower := slices.Index(medians[:], slices.Max(medians[:]))
		s.tooSlow = fmt.Sprintf("an iteration of the side %q takes %.0f ms: %d of them don't fit into a slot of %v",
			summary.SideNames[slower], inMilliseconds(medians[slower]), iterationsPerSlot, mostSlot)
		return false
	}
	if take := s.expected(medians) * time.Duration(s.options.Fewest); take > seconds(s.options.AtMost) {
		s.tooSlow = fmt.Sprintf("%d groups of slots of %v take %.0f s, and %.0f s are allowed",
			s.options.Fewest, s.length, take.Seconds(), s.options.AtMost)
		s.length = 0
		return false
	}
	return true
}

// medians are the median times of an iteration of each side.
func (s *slots) medians() (of [summary.Sides]time.Duration) {
	for side := range s.members {
		of[side] = median(s.members[side].took)
	}
	return of
}

// expected is how long a group takes: four slots, after each of which iterations end.
func (s *slots) expected(medians [summary.Sides]time.Duration) time.Duration {
	group := 4 * (s.length + (leastLead+mostLead)/2)
	for _, iteration := range medians {
		group += 2 * iteration
	}
	return group
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
		if s.toldToStop() || s.timeOver(number, now.Add(now.Sub(began)).Sub(first)) {
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
	return all > seconds(most)
}

// toldToStop reports whether the stop file exists.
func (s *slots) toldToStop() bool {
	if s.options.Stop == "" {
		return false
	}
	_, err := os.Stat(s.options.Stop)
	return err == nil
}

// runSlot begins a slot and waits until its clients have come back. It returns false where the pair is over.
func (s *slots) runSlot(next slot, lead, counted time.Duration) bool {
	back, ok := s.wake(&next, lead, counted)
	if !ok {
		return false
	}
	from, to := hostAt(next.from), hostAt(next.to)
	timer := time.NewTimer(time.Until(next.to) + patience)
	defer timer.Stop()
	select {
	case <-back:
		s.spent(&next, from, to)
		return true
	case <-s.stop:
	case <-timer.C:
		s.mu.Lock()
		defer s.mu.Unlock()
		stuck := fmt.Sprintf("%d clients of the side %q have not ended their iterations %v after the end of a slot",
			s.working, summary.SideNames[next.side], patience)
		if next.group == 0 {
			s.tooSlow = stuck
		} else {
			s.failure = stuck
		}
	}
	return false
}

// hostAt reads the host's CPU time at a moment. The channel is closed with nothing in it where the kernel doesn't tell.
func hostAt(at time.Time) <-chan hostcpu.Sample {
	read := make(chan hostcpu.Sample, 1)
	time.AfterFunc(time.Until(at), func() {
		defer close(read)
		if s, err := hostcpu.Read(); err == nil {
			read <- s
		}
	})
	return read
}

// spent adds what the host's CPUs did in the counted part of a group's slot, from its beginning to its end.
func (s *slots) spent(in *slot, from, to <-chan hostcpu.Sample) {
	began, known := <-from
	ended, alsoKnown := <-to
	if !known || !alsoKnown || in.group == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.host[in.side] = s.host[in.side].Add(ended.Since(began))
}

// wake begins a slot: all clients of its side that wait go on. It returns what is closed when all have come back.
func (s *slots) wake(next *slot, lead, counted time.Duration) (back <-chan struct{}, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := &s.members[next.side]
	if len(m.waiting) == 0 {
		if !m.stopped {
			s.failure = fmt.Sprintf("no client of the side %q is left", summary.SideNames[next.side])
		}
		return nil, false
	}
	next.begin = time.Now()
	next.from = next.begin.Add(lead)
	next.to = next.from.Add(counted)
	for _, p := range m.waiting {
		p.working = next
	}
	s.working, s.back = len(m.waiting), make(chan struct{})
	s.all = append(s.all, *next)
	s.current.Store(next)
	close(m.begins)
	m.waiting, m.begins = nil, make(chan struct{})
	return s.back, true
}

// arrive counts a client as ready or failed.
func (s *slots) arrive(p *participant, ready bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ready {
		s.members[p.side].ready++
	} else {
		s.members[p.side].failed++
	}
}

// join has a client wait. It returns what is closed when the next slot of its side begins, or nil where none does.
func (s *slots) join(p *participant) <-chan struct{} {
	s.comeBack(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over || p.gone {
		return nil
	}
	m := &s.members[p.side]
	m.waiting = append(m.waiting, p)
	s.tell()
	return m.begins
}

// leave takes a client out for good. One that hasn't arrived has failed.
func (s *slots) leave(p *participant) {
	s.comeBack(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.gone {
		return
	}
	p.gone = true
	m := &s.members[p.side]
	m.left++
	m.stopped = m.stopped || p.vu.Context().Err() != nil
	m.waiting = slices.DeleteFunc(m.waiting, func(other *participant) bool { return other == p })
	if !p.arrived {
		p.arrived = true
		m.failed++
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

// comeBack notes that a client has ended its work in the slot. All that it measured there is on its way to k6. The last
// client of a group's last slot sends the group's number after it: what an output has seen before that number is all.
func (s *slots) comeBack(p *participant) {
	s.mu.Lock()
	in := p.working
	p.working = nil
	if in == nil || in != s.current.Load() {
		s.mu.Unlock()
		return
	}
	s.working--
	last, back, now := s.working == 0, s.back, time.Now()
	whole := last && in.last && !now.Before(in.to)
	if whole {
		s.groups = append(s.groups, s.group(in.group))
	}
	s.mu.Unlock()
	if whole {
		p.push(sample(p.metrics.Group, p.at(p.tagSet, phaseMeasure), in.to, float64(in.group)))
	}
	if last {
		close(back)
	}
}

// atWork reports whether the client belongs to the slot under way.
func (s *slots) atWork(p *participant) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return p.working != nil
}

// timed notes how long a client's iterations took in a calibration slot.
func (s *slots) timed(side int, took []time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.members[side].took = append(s.members[side].took, took...)
}

// cancelAtEnd has a client's statements cancelled when the pair is over: one that is stuck would hold k6.
func (s *slots) cancelAtEnd(cancel context.CancelFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		cancel()
		return
	}
	s.cancels = append(s.cancels, cancel)
}

// close ends the pair for all clients.
func (s *slots) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	for side := range s.members {
		close(s.members[side].begins)
	}
	for _, cancel := range s.cancels {
		cancel()
	}
}

// finish ends the pair with the test. A slot under way is cut.
func (s *slots) finish(now time.Time) {
	if !s.used.Load() {
		return
	}
	close(s.stop)
	<-s.ended
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := len(s.all) - 1; last >= 0 && now.Before(s.all[last].to) {
		s.all[last].to = now
		if now.Before(s.all[last].from) {
			s.all[last].from = now
		}
	}
}
