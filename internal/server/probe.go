package server

import (
	"context"
	"fmt"
	"net"
	"slices"
	"time"

	"pooler-lab/internal/result"
)

// A probe is one connection of the measured role over a journey, before load: it proves where the journey leads
// and measures its round trip.
type probe struct {
	*session
	// Of its own, as the server at the other end tells.
	pid, client, recovery, identifier, version string
}

// roundTrips is how many SELECT 1 the round trip is the median of.
const roundTrips = 9

// probeWait is how long whoever answers the client may take to come back after a restart.
const probeWait = 10 * time.Second

func (l *Lab) probe(ctx context.Context, j Journey) (*probe, error) {
	if j.pgpool() {
		if err := l.hireJanitors(ctx, j.entry()); err != nil {
			return nil, fmt.Errorf("connect to %s: %w", j.entry(), err)
		}
	}
	s, err := openWithin(ctx, probeWait, j.Endpoint.DSN(j.Role), Password(j.Role))
	if err != nil {
		return nil, fmt.Errorf("connect over path %s: %w", j.Path.Name, err)
	}
	l.used(j)
	p := &probe{session: s}
	if err := p.identify(ctx, j); err != nil {
		s.close()
		return nil, fmt.Errorf("ask over path %s who answers: %w", j.Path.Name, err)
	}
	return p, nil
}

// tables makes Pgpool-II look up what it wants to know of pgbench's tables; it does so once after its start, and
// those lookups would count as the load's.
const tables = "SELECT FROM pgbench_accounts, pgbench_branches, pgbench_tellers, pgbench_history LIMIT 0"

// identify asks in one statement, so that a balancing pooler can't have two servers answer it.
func (p *probe) identify(ctx context.Context, j Journey) error {
	ask := "SELECT pg_backend_pid() AS pid, host(inet_client_addr()) AS client, pg_is_in_recovery() AS recovery, " +
		"system_identifier AS identifier, version() AS version FROM pg_control_system()"
	if j.yugabyte() {
		ask = "SELECT pg_backend_pid() AS pid, host(inet_client_addr()) AS client, version() AS version"
	}
	r, err := p.askOne(ctx, ask)
	if err != nil {
		return err
	}
	if j.pgpool() {
		if _, err := p.ask(ctx, tables); err != nil {
			return err
		}
	}
	p.pid, p.client, p.recovery, p.identifier, p.version = r["pid"], r["client"], r["recovery"], r["identifier"], r["version"]
	return nil
}

// localAddress is the probe's own end of the connection, empty for a Unix socket.
func (p *probe) localAddress() string {
	host, _, err := net.SplitHostPort(p.conn.Conn().LocalAddr().String())
	if err != nil {
		return ""
	}
	return host
}

// A round trip that isn't what was asked is measured again, so often in all and after so long: what keeps the machine
// busy for a moment isn't the link.
const (
	roundTripTries = 3
	roundTripPause = 300 * time.Millisecond
)

// roundTrip measures the journey's, and says how many statements that took.
func (p *probe) roundTrip(ctx context.Context, j Journey) (r *result.RoundTrip, statements int64, err error) {
	for tries := 1; ; tries++ {
		ms, err := p.median(ctx)
		statements += roundTrips
		r = &result.RoundTrip{SetMS: j.AskedMS, MeasuredMS: ms, Samples: roundTrips}
		if err != nil || r.AsSet() || tries == roundTripTries {
			return r, statements, err
		}
		select {
		case <-time.After(roundTripPause):
		case <-ctx.Done():
			return r, statements, ctx.Err()
		}
	}
}

// median is that of roundTrips SELECT 1, in milliseconds.
func (p *probe) median(ctx context.Context) (float64, error) {
	var took []time.Duration
	for range roundTrips {
		start := time.Now()
		if _, err := p.ask(ctx, "SELECT 1"); err != nil {
			return 0, fmt.Errorf("measure the round trip: %w", err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	return float64(took[roundTrips/2].Microseconds()) / 1000, nil
}

// A Beginning is what a journey shows before its load.
type Beginning struct {
	Facts     []result.Fact // what the servers say of themselves, beside what they have to say
	RoundTrip *result.RoundTrip
	asked     int64 // statements that it took
	Tally     Tally // to be handed to Reconcile
}

// Begin empties the journey's pools, connects over it as a client would to see where it leads and how far that is,
// fills its pools where fill is set (each child of Pgpool-II, a server connection of PgBouncer), and counts. Where a fact doesn't hold it stops there: Wrong says which.
//
// The probe itself counts too. Its backends are ended before the nodes are counted; those that Pgpool-II keeps are
// counted with the load and taken out again, since it takes its time to let go of them.
func (l *Lab) Begin(ctx context.Context, j Journey, fill bool) (b Beginning, err error) {
	if j.pgpool() {
		return l.beginPgpool(ctx, j, fill)
	}
	if err := l.empty(ctx, j); err != nil {
		return b, err
	}
	if err := l.prove(ctx, j, &b); err != nil || Wrong(b.Facts) != "" {
		return b, err
	}
	if b.Tally, err = l.tally(ctx, j); err != nil || !j.pgbouncer() || j.yugabyte() {
		return b, err
	}
	if err := l.poolEmptied(ctx, j); err != nil || !fill {
		return b, err
	}
	b.Tally.own = own{connections: 1, statements: 1}
	return b, l.fillPgBouncer(ctx, j)
}

// empty ends whatever measured connections the journey's nodes and pools still have.
func (l *Lab) empty(ctx context.Context, j Journey) error {
	if err := l.Clear(ctx, j); err != nil {
		return err
	}
	switch {
	case j.pgbouncer() && j.yugabyte():
		return l.reconnect(ctx, j)
	case j.pgbouncer():
		return l.poolEmptied(ctx, j)
	}
	return nil
}

func (l *Lab) beginPgpool(ctx context.Context, j Journey, fill bool) (b Beginning, err error) {
	// One that has just started looks up what it wants to know of the probe's statements: before the count, not in it.
	p, err := l.probe(ctx, j)
	if err != nil {
		return b, err
	}
	p.close()
	if b.Tally, err = l.tally(ctx, j); err != nil {
		return b, err
	}
	if err := l.prove(ctx, j, &b); err != nil || Wrong(b.Facts) != "" {
		return b, err
	}
	b.Tally.own = own{connections: 1, statements: 1 + 1 + b.asked}
	if fill {
		filled, err := l.fill(ctx, j)
		if err != nil {
			return b, err
		}
		b.Tally.own.connections += int64(filled)
	}
	b.Tally.pgpool, err = l.pgpoolShares(ctx, j)
	return b, err
}

// prove fills in the facts of the journey, and its round trip if they hold. The error is of asking.
func (l *Lab) prove(ctx context.Context, j Journey, b *Beginning) error {
	p, err := l.probe(ctx, j)
	if err != nil {
		return err
	}
	defer p.close()
	if b.Facts, err = l.facts(ctx, j, p); err != nil || Wrong(b.Facts) != "" {
		return err
	}
	b.RoundTrip, b.asked, err = p.roundTrip(ctx, j)
	return err
}
