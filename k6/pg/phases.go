package pg

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/grafana/sobek"

	"pooler-lab/internal/shared"
	"pooler-lab/k6/summary"
)

// phase says in which part of a test an event ended.
type phase int

const (
	phaseNone    phase = iota // the script measures the whole test: no phase tag
	phaseWarmup               // before the first slot
	phaseMeasure              // in a slot of the client's own side
	phaseAfter                // at any other time
	phaseCount
)

// String returns the value of the phase tag.
func (p phase) String() string {
	return [phaseCount]string{"", "warmup", "measure", "after"}[p]
}

// A slot is a stretch of time in which the clients of one side are measured. A measured window is one slot, and so are
// fixed iterations, of all clients.
type slot struct {
	group    int // of slots, from 1; 0 for the calibration before the first
	side     int
	every    bool      // side: it is of all clients
	order    string    // of its group
	first    bool      // that is measured
	last     bool      // of its group
	begin    time.Time // its clients go on
	from, to time.Time // what ends between them is measured
}

// phaseAt returns the phase of something that a client of a side has ended at the given time, while this slot, or none,
// was the one that had begun last.
func (s *slot) phaseAt(side int, ended time.Time) phase {
	switch {
	case s == nil || s.group == 0 || s.first && ended.Before(s.from):
		return phaseWarmup
	case (s.every || s.side == side) && !ended.Before(s.from) && ended.Before(s.to):
		return phaseMeasure
	}
	return phaseAfter
}

// patience is how long clients may take to end their iterations after a slot, before they are cancelled: one that is
// stuck would hold k6.
const patience = 10 * time.Second

// phases owns the slots of a test, whether they are a measured window, fixed iterations or slots of two sides, and so
// knows in which phase each client is. All VUs share it.
type phases struct {
	used    atomic.Bool
	current atomic.Pointer[slot] // that began last; nil before the first

	over     context.Context // ends when nothing is measured any more
	end      context.CancelFunc
	patience time.Duration

	mu    sync.Mutex
	call  string // window, fixedIterations or slots
	given any    // the call's options
	sides []side
	all   []*slot // that have begun

	// Of a window:
	warming *warming // nil until all clients of one that is to open at a steady rate are ready
	tenths  tenths
}

// A side is the clients that are measured together.
type side struct {
	clients       int       // that take part
	first         *instance // in whose name the side is reported
	ready, failed int
	begins        chan struct{} // closed when the side's next slot begins

	// Of clients that alternate:
	joined  int  // that exist
	left    int  // for good
	stopped bool // some of these, with the test
	waiting []*slotClient
	took    []time.Duration // iterations in the calibration
}

// use has the test measured as the call's options say: those of the first VU hold for all. It returns whether this is
// the first.
func (p *phases) use(call string, given any, clients ...int) (first bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case !p.used.Load():
		p.call, p.given = call, given
		p.over, p.end = context.WithCancel(background)
		for _, n := range clients {
			p.sides = append(p.sides, side{clients: n, begins: make(chan struct{})})
		}
		p.used.Store(true)
		return true, nil
	case p.call != call:
		return false, fmt.Errorf("%s: a test is measured in one way, and this one has pg.%s() already", call, p.call)
	case p.given != given:
		return false, fmt.Errorf("%s: a test has one %s, and this one differs from the first: %+v, not %+v",
			call, call, given, p.given)
	}
	return false, nil
}

// is reports whether the test is measured in that way.
func (p *phases) is(call string) bool {
	return p.used.Load() && p.call == call
}

// begin begins a slot, whose measured part follows a lead. Its caller holds the lock.
func (p *phases) begin(next slot, lead, measured time.Duration) *slot {
	before := p.current.Load()
	next.first = before == nil || before.group == 0
	next.begin = time.Now()
	next.from = next.begin.Add(lead)
	next.to = next.from.Add(measured)
	p.all = append(p.all, &next)
	p.current.Store(&next)
	p.letGo(next.side)
	return &next
}

// letGo has the clients of a side go on that wait for its beginning. Its caller holds the lock.
func (p *phases) letGo(side int) {
	s := &p.sides[side]
	close(s.begins)
	s.begins = make(chan struct{})
}

// beginOnly begins the only slot of a test and returns when that was. Its caller holds the lock.
func (p *phases) beginOnly(length time.Duration) time.Time {
	only := p.begin(slot{group: 1, every: true}, 0, length)
	time.AfterFunc(time.Until(only.to)+p.patience, p.end)
	return only.from
}

// cut ends the slot under way at the given time. Its caller holds the lock.
func (p *phases) cut(now time.Time) {
	last := p.current.Load()
	if last == nil || !now.Before(last.to) {
		return
	}
	short := *last
	short.to = now
	if now.Before(short.from) {
		short.from = now
	}
	p.all[len(p.all)-1] = &short
	p.current.Store(&short)
}

// window is what was measured of a side; nil where nothing was. Its caller holds the lock.
func (p *phases) window(side int) (w *summary.Window) {
	for _, in := range p.all {
		if !in.every && in.side != side || in.group == 0 {
			continue
		}
		if w == nil {
			of := p.sides[side]
			w = &summary.Window{Start: in.begin.UTC(), Ready: of.ready, Failed: of.failed}
		}
		w.End = in.to.UTC()
		w.Seconds += in.to.Sub(in.from).Seconds()
	}
	if w != nil && p.is("window") && len(p.sides) == 1 {
		w.Tenths = p.tenths.all()
		if p.warming != nil {
			w.WarmedSeconds = (shared.Tick * time.Duration(len(p.warming.counts))).Seconds()
		}
	}
	return w
}

// phaseAt returns the phase of something of this VU's that ended at the given time. It is asked for each statement, so
// it takes no lock.
func (i *instance) phaseAt(ended time.Time) phase {
	if !i.phases.used.Load() {
		return phaseNone
	}
	return i.phases.current.Load().phaseAt(i.side, ended)
}

// phase is pg.phase(): where in the test the VU's last statement belongs, so that a script's own samples are measured
// with it. Of a VU that has done nothing on a server it says where the test is now.
func (i *instance) phase(sobek.FunctionCall) sobek.Value {
	return i.vu.Runtime().ToValue(i.phaseAt(i.lastEnded()).String())
}

// lastEnded is when the VU's last statement, connect or the like ended; now where there was none.
func (i *instance) lastEnded() time.Time {
	if i.ended.IsZero() {
		return time.Now()
	}
	return i.ended
}

// context is what the VU's connects and statements run under. It ends with the VU's iteration of k6's, or, where the VU
// takes part in what is measured, when nothing is measured any more. Others, such as teardown()'s, go on.
func (i *instance) context() context.Context {
	own := i.vu.Context()
	if !i.takesPart {
		return own
	}
	if i.under != own {
		if i.release != nil {
			i.release()
		}
		limited, cancel := context.WithCancel(own)
		i.under, i.limited = own, limited
		i.release = context.AfterFunc(i.phases.over, cancel)
	}
	return i.limited
}

// milliseconds turns a number of milliseconds into a duration.
func milliseconds(value float64) time.Duration {
	return time.Duration(value * float64(time.Millisecond))
}
