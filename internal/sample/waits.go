package sample

import (
	"cmp"
	_ "embed"
	"slices"
	"time"

	"pooler-lab/internal/result"
)

// waitsSQL is one sample of all client sessions of a server.
//
//go:embed waits.sql
var waitsSQL string

// resting is what waits.sql counts an idle session as.
const resting = "Net/Delay"

// A sessionState is one measured session in one sample.
type sessionState struct {
	pid     int32
	active  bool      // running a statement, whatever it waits for
	event   string    // what waits.sql counts it as
	changed time.Time // when its state last did, by the server's clock
}

// A sessionSample is what waits.sql showed of the measured sessions.
type sessionSample struct {
	sent, received time.Time
	sessions       []sessionState
}

// A span is one session over the samples that saw it.
type span struct {
	first, last int // samples
	events      map[string]int
	used        bool
}

// waits sums up what sessions waited for over samples, each of which saw all there were; from is when the window
// opened.
//
// For each session, expected is the number of samples from the first that saw it to the last. Seen active or in a
// transaction, a sample counts for the session's wait event (Client:ClientRead where it is idle in its transaction),
// and for CPU where it has none. What is left, expected less those, is Net/Delay. Shares are of all sessions'
// expected samples, so that they sum to 1 and a session weighs as much as it was there.
//
// This is the estimate Net/Delay* of pg_gather (Jobin Augustine), which samples sessions the same way and takes the
// samples expected of a session over the span in which it saw it, less those it has. As its author says, that time can
// be the network's, a pooler's or the application's own: the database can't tell them apart.
//
// A session that did nothing since the window opened is a connection kept in reserve, as poolers have them. It is
// none of the sessions here, or else a pool of twice the size would seem to wait twice as long.
func waits(samples []sessionSample, from time.Time) (sessions int, shares []result.Wait) {
	shares = []result.Wait{}
	sums, total := map[string]int{}, 0
	for _, s := range spans(samples, from) {
		if !s.used {
			continue
		}
		sessions++
		expected := s.last - s.first + 1
		total += expected
		for event, n := range s.events {
			sums[event] += n
			expected -= n
		}
		sums[resting] += expected
	}
	for event, n := range sums {
		if n > 0 {
			shares = append(shares, result.Wait{Event: event, Share: float64(n) / float64(total)})
		}
	}
	slices.SortFunc(shares, func(a, b result.Wait) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Event, b.Event))
	})
	return sessions, shares
}

// spans follows each session through the samples, by its process.
func spans(samples []sessionSample, from time.Time) map[int32]*span {
	all := map[int32]*span{}
	for i, l := range samples {
		for _, seen := range l.sessions {
			s := all[seen.pid]
			if s == nil {
				s = &span{first: i, events: map[string]int{}}
				all[seen.pid] = s
			}
			s.last = i
			if seen.event != resting {
				s.events[seen.event]++
			}
			s.used = s.used || seen.event != resting || !seen.changed.Before(from)
		}
	}
	return all
}
