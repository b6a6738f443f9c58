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
)

const (
	// DefaultHz is how often a node's sessions are looked at, times a second, where mostPerSecond sightings of
	// sessions allow it.
	DefaultHz     = 10
	mostPerSecond = 2000
	// mostShare is what looking may cost a node, as a share of the time: where a look is dear there are fewer of
	// them than were asked for. It leaves room below the two per cent that the lab promises.
	mostShare = 0.014
	// lookTimeout is how long a node may take to answer before it counts as one that doesn't.
	lookTimeout = 5 * time.Second
	// reopenAfter is how long to leave a node alone that could not be asked.
	reopenAfter = time.Second
)

// A node is one PostgreSQL server, on a connection of the lab's own that leads to it directly.
type node struct {
	service, dsn, password string
	roles                  []string // of measured sessions
	conn                   *pgx.Conn

	looks   []look
	locks   []lockCount
	spent   []spending
	looked  int           // looks since the first spending
	price   time.Duration // CPU time that a look costs it, all told; 0 before that is known
	silent  bool          // it can't tell what it spends
	rest    time.Time     // no counting of locks before
	trouble string        // why it can't be asked, or couldn't the last time
	retry   time.Time     // no asking before
}

// begin forgets what was seen, and connects while connections can be had: a load may take them all.
func (n *node) begin() {
	n.looks, n.locks, n.spent, n.looked, n.price, n.trouble, n.rest, n.retry = nil, nil, nil, 0, 0, "", time.Time{}, time.Time{}
	n.ask(n.readSpending)
}

// watch looks hz times a second until stop is closed (0: as turn says), each time at a random moment of its turn: at
// even ones it would always meet a paced load, or a CPU budget that is dealt out ten times a second, in the same phase.
func (n *node) watch(stop <-chan struct{}, hz float64) {
	for begin := time.Now(); ; {
		turn := n.turn(hz)
		select {
		case <-stop:
			n.ask(n.readSpending)
			return
		case <-time.After(time.Until(begin.Add(rand.N(turn)))):
			n.ask(n.look)
		}
		if time.Now().After(n.rest) && len(n.looks) > 0 {
			n.ask(n.countLocks)
			n.ask(n.readSpending)
		} else if n.looked == fewestLooks {
			n.ask(n.readSpending) // for a first price
		}
		begin = begin.Add(turn)
		if now := time.Now(); begin.Add(turn).Before(now) {
			begin = now // turns that a slow answer has taken are gone
		}
	}
}

// turn is the time that each look has: what hz says, but no less than its price allows. A look costs the server 0.4 to
// 1 ms of CPU and 4 us a session, so that the default is DefaultHz up to 200 sessions and fewer looks beyond.
func (n *node) turn(hz float64) time.Duration {
	allowed := time.Duration(float64(n.price) / mostShare)
	if hz > 0 {
		return max(allowed, time.Duration(float64(time.Second)/hz))
	}
	sessions := 0
	if len(n.looks) > 0 {
		sessions = len(n.looks[len(n.looks)-1].sessions)
	}
	return max(allowed, time.Second/DefaultHz, time.Duration(sessions)*time.Second/mostPerSecond)
}

// ask does something on the node's connection, which it opens where there is none.
func (n *node) ask(what func(context.Context) error) {
	if time.Now().Before(n.retry) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookTimeout)
	defer cancel()
	err := n.open(ctx)
	if err == nil {
		err = what(ctx)
	}
	if err != nil {
		n.trouble = fmt.Sprintf("look at the sessions of %s: %v", n.service, err)
		n.retry = time.Now().Add(reopenAfter)
	}
}

func (n *node) open(ctx context.Context) error {
	if n.conn != nil && !n.conn.IsClosed() {
		return nil
	}
	config, err := pgx.ParseConfig(n.dsn)
	if err != nil {
		return fmt.Errorf("read connection settings: %w", err)
	}
	config.Password = n.password
	config.RuntimeParams["application_name"] = "pooler-lab"
	n.spent = nil // it was another backend's
	n.conn, err = pgx.ConnectConfig(ctx, config)
	return err
}

func (n *node) look(ctx context.Context) error {
	l := look{sent: time.Now()}
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
			l.sessions = append(l.sessions, sighting{pid, active, event.String, changed.Time})
		}
		return nil
	})
	l.received = time.Now()
	if err == nil {
		n.looks = append(n.looks, l)
		n.looked++
	}
	return err
}

// between sums up the looks that lie wholly between two moments.
func (n *node) between(from, to time.Time) result.Node {
	r := result.Node{Service: n.service, Waits: []result.Wait{}}
	var looks []look
	var cost, counting time.Duration
	for _, l := range n.looks {
		if l.sent.Before(from) || l.received.After(to) {
			continue
		}
		looks = append(looks, l)
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
	if r.Samples = len(looks); r.Samples == 0 {
		r.NotMeasured = cmp.Or(n.trouble, notLooked)
		return r
	}
	if n.trouble != "" && unseen(looks, from, to) > to.Sub(from)/2 {
		return result.Node{Service: n.service, Waits: []result.Wait{}, NotMeasured: n.trouble}
	}
	r.Hz = float64(r.Samples) / to.Sub(from).Seconds()
	r.CostMS = cost.Seconds() * 1000 / float64(r.Samples)
	r.CostShare = n.costShare(from, to, cost+counting)
	r.Sessions, r.Waits = waits(looks, from)
	return r
}

// unseen is the longest time between two moments in which no look came back.
func unseen(looks []look, from, to time.Time) (longest time.Duration) {
	last := from
	for _, l := range looks {
		longest, last = max(longest, l.received.Sub(last)), l.received
	}
	return max(longest, to.Sub(last))
}

func (n *node) close() {
	if n.conn != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		n.conn.Close(ctx)
	}
}
