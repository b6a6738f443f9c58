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
	s, err := openWithin(ctx, probeWait, j.Endpoint.DSN("app"), l.appPassword)
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

// roundTrip is the median of roundTrips SELECT 1, in milliseconds.
func (p *probe) roundTrip(ctx context.Context) (float64, error) {
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

// Prove connects over j as a client would, and returns what the servers said of themselves beside what they had
// to say, and the round trip. The error is of asking; whether the facts hold is for Wrong to say.
func (l *Lab) Prove(ctx context.Context, j Journey) ([]result.Fact, *result.RoundTrip, error) {
	p, err := l.probe(ctx, j)
	if err != nil {
		return nil, nil, err
	}
	defer p.close()
	facts, err := l.facts(ctx, j, p)
	if err != nil {
		return facts, nil, err
	}
	ms, err := p.roundTrip(ctx)
	if err != nil {
		return facts, nil, err
	}
	return facts, &result.RoundTrip{MeasuredMS: ms, Samples: roundTrips}, nil
}
