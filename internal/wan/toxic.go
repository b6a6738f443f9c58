// Package wan is a toxic of toxiproxy, wan: one direction of a line. What is sent arrives later, in its order, and no
// faster than the line's bandwidth. Unlike the stock toxics it knows microseconds, delays a connection's end as its
// bytes, and never holds up whoever changes it.
package wan

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/Shopify/toxiproxy/v2/stream"
	"github.com/Shopify/toxiproxy/v2/toxics"
)

// Type is the toxic's, in toxiproxy's API.
const Type = "wan"

func init() { toxics.Register(Type, new(Toxic)) }

// Settings are a wan's attributes. Those of time are in microseconds.
type Settings struct {
	Latency int64 `json:"latency_us"`
	// Jitter is how much earlier or later than Latency something arrives: at most where it is spread evenly, and as a
	// standard deviation where it is spread normally. Order is kept.
	Jitter int64  `json:"jitter_us"`
	Spread Spread `json:"jitter_spread"`
	// Rate is in KB of 1000 bytes a second, for each connection; 0 is no limit.
	Rate int64 `json:"rate"`
}

// A Spread is how jitter is spread.
type Spread string

// Even is what a new toxic has.
const (
	Even   Spread = "even"
	Normal Spread = "normal"
)

// draw is by how many times the jitter something is late.
func (s Spread) draw() float64 {
	if s == Normal {
		return rand.NormFloat64()
	}
	return 2*rand.Float64() - 1
}

// Longest is the most that a time may be: more would only look like a cut. Fastest is the highest rate in KB/s, 10
// GB/s: more than any link of a lab carries.
const (
	Longest = 10 * time.Minute
	Fastest = 10_000_000
)

func (s Settings) check() error {
	for name, us := range map[string]int64{"latency_us": s.Latency, "jitter_us": s.Jitter} {
		if most := Longest.Microseconds(); us < 0 || us > most {
			return fmt.Errorf("%s is %d: it has to be from 0 to %d microseconds", name, us, most)
		}
	}
	if s.Rate < 0 || s.Rate > Fastest {
		return fmt.Errorf("rate is %d: it has to be from 0 (no limit) to %d KB/s", s.Rate, Fastest)
	}
	if s.Spread != Even && s.Spread != Normal {
		return fmt.Errorf("jitter_spread is %q: it can be %s or %s", s.Spread, Even, Normal)
	}
	return nil
}

// A Toxic is one direction of a link. Its settings may change at any time. Each connection has a state of its own.
type Toxic struct{ settings atomic.Pointer[Settings] }

// Settings are those in force.
func (t *Toxic) Settings() Settings {
	if s := t.settings.Load(); s != nil {
		return *s
	}
	return Settings{Spread: Even}
}

// MarshalJSON writes the settings.
func (t *Toxic) MarshalJSON() ([]byte, error) { return json.Marshal(t.Settings()) }

// UnmarshalJSON puts those settings in force that text has. The others stay.
func (t *Toxic) UnmarshalJSON(text []byte) error {
	s := t.Settings()
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return err
	}
	t.settings.Store(&s)
	return nil
}

// A Round is how much later than it is told a link answers at rest: the time that the proxy itself takes, and more of
// it where all have slept for longer.
type Round struct{ Told, Late time.Duration }

// TakenOff is how much earlier the link answers in its place.
func (r Round) TakenOff() time.Duration { return max(0, min(r.Late, MostEarly)) }

// MostEarly is the most that is taken off a round trip: where a machine is so busy that nothing was quick, a link isn't
// much faster than it is told once that is over.
const MostEarly = 500 * time.Microsecond

var rounds atomic.Pointer[[]Round]

// Early has all links answer so much earlier than they are told from now on, up to MostEarly. Rounds stand in the order
// of what is told; between two of them it goes straight.
func Early(all ...Round) { rounds.Store(&all) }

// early is how much earlier than it is told a direction passes on what it has: half of what is taken off a round trip.
func early(delay time.Duration) time.Duration {
	var all []Round
	if p := rounds.Load(); p != nil {
		all = *p
	}
	var late time.Duration
	var before Round
	for i, r := range all {
		late = r.Late
		if told := 2 * delay; told < r.Told {
			if i > 0 {
				share := float64(told-before.Told) / float64(r.Told-before.Told)
				late = before.Late + time.Duration(share*float64(r.Late-before.Late))
			}
			break
		}
		before = r
	}
	return Round{Late: late}.TakenOff() / 2
}

// most is how many pieces of up to 32 KB are under way at most. A sender of more waits.
const most = 1024

// A state is what is under way on one connection, in the order in which it arrives. It outlives each change of the
// toxic.
type state struct {
	under []piece
	free  time.Time // when the line can take more, by its rate
	rate  int64     // that it had
	timer *timer
}

// A piece is what was sent at once, or the connection's end.
type piece struct {
	*stream.StreamChunk           // nil is the end
	sent                time.Time // when the line had taken all of it
	late                float64   // by so many times the jitter
}

// NewState makes a connection's.
func (*Toxic) NewState() any { return new(state) }

// Pipe passes on what arrives, until the connection's end, or until it is interrupted: toxiproxy does that for each
// change of the toxics, and calls it anew.
func (t *Toxic) Pipe(stub *toxics.ToxicStub) {
	s := stub.State.(*state)
	for {
		now, set := clock(), t.Settings()
		var in <-chan *stream.StreamChunk
		var out chan<- *stream.StreamChunk
		var first *stream.StreamChunk
		var wake time.Time // when there is something to do, at the latest
		s.follow(set.Rate, now)
		due := s.due(set)
		arrives := len(s.under) > 0 && !now.Before(due)
		switch {
		case arrives || len(s.under) == most || s.ends(): // a receiver that is slow holds up its sender
		case now.Before(s.free):
			wake = s.free
		default:
			in = stub.Input
		}
		switch {
		case len(s.under) == 0:
		case !arrives:
			wake = earlier(wake, due)
		case s.under[0].StreamChunk == nil:
			stub.Close()
			return
		default:
			out, first = stub.Output, s.under[0].StreamChunk
			first.Timestamp = due // toxics behind this one count from then
		}
		select {
		case <-stub.Interrupt:
			return
		case chunk := <-in:
			s.take(chunk, clock(), set)
		case out <- first:
			s.under[0] = piece{} // its bytes aren't kept
			s.under = s.under[1:]
		case <-s.over(wake):
		}
	}
}

// follow has the line be as fast as that from now on. What the rate before held back is only the last piece: it counts
// as sent.
func (s *state) follow(rate int64, now time.Time) {
	if rate == s.rate {
		return
	}
	s.rate, s.free = rate, time.Time{}
	if n := len(s.under); n > 0 && now.Before(s.under[n-1].sent) {
		s.under[n-1].sent = now
	}
}

// earlier is the earlier one of two moments; zero is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

// ends says whether the connection's end is under way.
func (s *state) ends() bool { return len(s.under) > 0 && s.under[len(s.under)-1].StreamChunk == nil }

// take puts a chunk on the line, nil for the connection's end.
func (s *state) take(chunk *stream.StreamChunk, now time.Time, set Settings) {
	sent, bytes := now, 0
	if chunk != nil {
		sent, bytes = chunk.Timestamp, len(chunk.Data)
	}
	if set.Rate > 0 {
		if sent.Before(s.free) {
			sent = s.free
		}
		sent = sent.Add(time.Duration(bytes) * time.Second / time.Duration(1000*set.Rate))
		s.free = sent
	}
	s.under = append(s.under, piece{chunk, sent, set.Spread.draw()})
}

// due is when the first piece arrives, by the settings in force.
func (s *state) due(set Settings) time.Time {
	if len(s.under) == 0 {
		return time.Time{}
	}
	p := s.under[0]
	us := float64(set.Latency) + p.late*float64(set.Jitter)
	delay := time.Duration(us * float64(time.Microsecond))
	return p.sent.Add(max(delay-early(delay), 0))
}

// over is closed at a moment; nil, which never is, where there is none.
func (s *state) over(wake time.Time) <-chan struct{} {
	if wake.IsZero() {
		return nil
	}
	if s.timer == nil || !s.timer.due.Equal(wake) {
		s.timer = at(wake)
	}
	return s.timer.over
}

// Cleanup passes on what is under way when the toxic is removed. A reader that doesn't take it in time loses its
// connection: a stream with a hole would be worse.
func (*Toxic) Cleanup(stub *toxics.ToxicStub) {
	end := time.Now().Add(cleanup)
	for _, p := range stub.State.(*state).under {
		if p.StreamChunk == nil || stub.WriteOutput(p.StreamChunk, max(time.Until(end), 1)) != nil {
			stub.Close()
			go func() { // what comes from before the toxic would wait for ever
				for range stub.Input {
				}
			}()
			return
		}
	}
}

// cleanup is how long a reader may take for all that is under way when the toxic is removed. Tests take more.
var cleanup = 5 * time.Second
