package server

import (
	"context"
	"fmt"
	"time"

	"pooler-lab/internal/result"
	"pooler-lab/internal/session"
	"pooler-lab/internal/topology"
)

// A probe is one connection of the measured role over a path, before load: it proves where the path leads and
// measures its round trip.
type probe struct {
	*session.Session
	statements int64       // that it has sent, as the servers count them
	said       session.Row // what the server at the other end says of it
}

// probeWait is how long whoever answers the client may take to come back after a restart.
const probeWait = 10 * time.Second

func (l *Servers) probe(ctx context.Context, path Route) (*probe, error) {
	through := l.pooler(path)
	if err := through.Enter(ctx); err != nil {
		return nil, err
	}
	s, err := session.OpenWithin(ctx, probeWait, path.At.DSN(path.Role), topology.Password(path.Role))
	if err != nil {
		return nil, fmt.Errorf("connect over path %s: %w", path.Name, err)
	}
	p := &probe{Session: s}
	if err = p.identify(ctx, path); err == nil {
		var sent int64
		sent, err = through.Learn(ctx, s)
		p.statements += sent
	}
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("ask over path %s who answers: %w", path.Name, err)
	}
	return p, nil
}

// identify asks in one statement, so that a balancing pooler can't have two servers answer it.
func (p *probe) identify(ctx context.Context, path Route) (err error) {
	ask := "SELECT pg_backend_pid() AS pid, host(inet_client_addr()) AS client, pg_is_in_recovery() AS recovery, " +
		"system_identifier AS identifier, version() AS version FROM pg_control_system()"
	if !path.postgreSQL() {
		ask = "SELECT pg_backend_pid() AS pid, host(inet_client_addr()) AS client, version() AS version"
	}
	p.said, err = p.AskOne(ctx, ask)
	p.statements++
	return err
}

// A round trip that isn't what was set is measured again, so often in all and after so long: what keeps the machine
// busy for a moment isn't the link.
const (
	roundTripTries = 3
	roundTripPause = 300 * time.Millisecond
)

// roundTrip measures the path's.
func (p *probe) roundTrip(ctx context.Context, path Route) (*result.RoundTrip, error) {
	for tries := 1; ; tries++ {
		took, err := p.RoundTrip(ctx, "SELECT 1")
		p.statements += int64(took.Samples)
		ms := float64(took.Median.Microseconds()) / 1000
		r := &result.RoundTrip{SetMS: path.SetMS, MeasuredMS: ms, Samples: took.Samples}
		if err != nil || r.AsSet() || tries == roundTripTries {
			return r, err
		}
		select {
		case <-time.After(roundTripPause):
		case <-ctx.Done():
			return r, ctx.Err()
		}
	}
}

// prove fills in the facts of the side's path, and its round trip if they hold. The error is of asking.
func (l *Servers) prove(ctx context.Context, s *Side) error {
	p, err := l.probe(ctx, s.Route)
	if err != nil {
		return err
	}
	defer p.Close()
	if s.Facts, err = l.facts(ctx, s.Route, p); err != nil || s.wrong() {
		return err
	}
	s.RoundTrip, err = p.roundTrip(ctx, s.Route)
	s.statements = p.statements
	return err
}
