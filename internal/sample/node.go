package sample

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"pooler-lab/internal/result"
	"pooler-lab/internal/session"
)

const (
	// DefaultHz is how often a node's sessions are sampled, times a second, where mostPerSecond states of
	// sessions allow it.
	DefaultHz     = 10
	mostPerSecond = 2000
	// mostShare is what sampling may cost a node, as a share of the time: where a sample is expensive there are fewer
	// of them than were asked for. It leaves room below the two per cent that the lab promises.
	mostShare = 0.014
	// sampleTimeout is how long a node may take to answer before it counts as one that doesn't.
	sampleTimeout = 5 * time.Second
	// reopenAfter is how long to leave a node alone that could not be asked.
	reopenAfter = time.Second
)

// A node is one PostgreSQL server, on a connection of the lab's own that leads to it directly.
type node struct {
	service, dsn, password string
	roles                  []string // of measured sessions
	conn                   *session.Session

	samples  []sessionSample
	locks    []lockCount
	cpu      []cpuReading
	sampled  int           // samples since the first reading of its CPU time
	costEach time.Duration // CPU time that a sample costs it, all told; 0 before that is known
	silent   bool          // it can't tell how much CPU time it uses
	rest     time.Time     // no counting of locks before
	trouble  string        // why it can't be asked, or couldn't the last time
	retry    time.Time     // no asking before
}

// begin forgets what was seen, and connects while connections can be had: a load may take them all.
func (n *node) begin() {
	n.samples, n.locks, n.cpu, n.sampled, n.costEach = nil, nil, nil, 0, 0
	n.trouble, n.rest, n.retry = "", time.Time{}, time.Time{}
	n.ask(n.readCPU)
}

// watch samples hz times a second until ctx ends (0: as interval says), each time at a random moment of its
// interval: at even ones it would always meet an open loop, or a CPU limit that is dealt out ten times a second, in the
// same phase.
func (n *node) watch(ctx context.Context, hz float64) {
	for begin := time.Now(); ; {
		interval := n.interval(hz)
		select {
		case <-ctx.Done():
			n.ask(n.readCPU)
			return
		case <-time.After(time.Until(begin.Add(rand.N(interval)))):
			n.ask(n.sample)
		}
		if time.Now().After(n.rest) && len(n.samples) > 0 {
			n.ask(n.countLocks)
			n.ask(n.readCPU)
		} else if n.sampled == fewestSamples {
			n.ask(n.readCPU) // for a first cost
		}
		begin = begin.Add(interval)
		if now := time.Now(); begin.Add(interval).Before(now) {
			begin = now // intervals that a slow answer has taken are gone
		}
	}
}

// interval is the time that each sample has: what hz says, but no less than its cost allows. One costs the server 0.4
// to 1 ms of CPU and 4 us a session, so that the default is DefaultHz up to 200 sessions and fewer samples beyond.
func (n *node) interval(hz float64) time.Duration {
	allowed := time.Duration(float64(n.costEach) / mostShare)
	if hz > 0 {
		return max(allowed, time.Duration(float64(time.Second)/hz))
	}
	sessions := 0
	if len(n.samples) > 0 {
		sessions = len(n.samples[len(n.samples)-1].sessions)
	}
	return max(allowed, time.Second/DefaultHz, time.Duration(sessions)*time.Second/mostPerSecond)
}

// ask does something on the node's connection, which it opens where there is none.
func (n *node) ask(what func(context.Context) error) {
	if time.Now().Before(n.retry) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), sampleTimeout)
	defer cancel()
	err := n.open(ctx)
	if err == nil {
		err = what(ctx)
	}
	if err != nil {
		n.trouble = fmt.Sprintf("sample the sessions of %s: %v", n.service, err)
		n.retry = time.Now().Add(reopenAfter)
	}
}

func (n *node) open(ctx context.Context) (err error) {
	if n.conn != nil && !n.conn.IsClosed() {
		return nil
	}
	n.cpu = nil // it was another backend's
	n.conn, err = session.Open(ctx, n.dsn, n.password)
	return err
}

func (n *node) sample(ctx context.Context) error {
	l := sessionSample{sent: time.Now()}
	rows, err := n.conn.Query(ctx, waitsSQL)
	if err != nil {
		return err
	}
	var pid int32
	var role, state, event pgtype.Text
	var changed pgtype.Timestamptz
	columns := []any{&pid, &role, &state, nil, nil, nil, nil, &changed, &event}
	_, err = pgx.ForEachRow(rows, columns, func() error {
		if slices.Contains(n.roles, role.String) {
			active := state.String == "active" || state.String == "fastpath function call"
			l.sessions = append(l.sessions, sessionState{pid, active, event.String, changed.Time})
		}
		return nil
	})
	l.received = time.Now()
	if err == nil {
		n.samples = append(n.samples, l)
		n.sampled++
	}
	return err
}

// between sums up the samples that lie wholly between two moments.
func (n *node) between(from, to time.Time) result.Node {
	r := result.Node{Service: n.service, Waits: []result.Wait{}}
	var samples []sessionSample
	var cost, counting time.Duration
	for _, l := range n.samples {
		if l.sent.Before(from) || l.received.After(to) {
			continue
		}
		samples = append(samples, l)
		cost += l.received.Sub(l.sent)
		active := 0
		for _, s := range l.sessions {
			if s.active {
				active++
			}
		}
		r.MaxBackends, r.MaxActive = max(r.MaxBackends, len(l.sessions)), max(r.MaxActive, active)
	}
	for _, c := range n.locks {
		if !c.sent.Before(from) && !c.received.After(to) {
			r.MaxLocks = larger(r.MaxLocks, &c.locks)
			counting += c.received.Sub(c.sent)
		}
	}
	if r.Samples = len(samples); r.Samples == 0 {
		r.NotMeasured = cmp.Or(n.trouble, notSampled)
		return r
	}
	if n.trouble != "" && unseen(samples, from, to) > to.Sub(from)/2 {
		return result.Node{Service: n.service, Waits: []result.Wait{}, NotMeasured: n.trouble}
	}
	r.Hz = float64(r.Samples) / to.Sub(from).Seconds()
	r.CostMS = cost.Seconds() * 1000 / float64(r.Samples)
	r.CostShare = n.costShare(from, to, cost+counting)
	r.Sessions, r.Waits = waits(samples, from)
	return r
}

// unseen is the longest time between two moments in which no sample came back.
func unseen(samples []sessionSample, from, to time.Time) (longest time.Duration) {
	last := from
	for _, l := range samples {
		longest, last = max(longest, l.received.Sub(last)), l.received
	}
	return max(longest, to.Sub(last))
}

func (n *node) close() {
	if n.conn != nil {
		n.conn.Close()
	}
}
