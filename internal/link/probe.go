package link

import (
	"context"
	"fmt"
	"time"

	"pooler-lab/internal/pooler"
	"pooler-lab/internal/session"
	"pooler-lab/internal/topology"
)

// A Probe measures the round trip over one link from this container, whoever the link's usual client is. It keeps its
// connection, and belongs to one goroutine.
type Probe struct {
	at             topology.Endpoint
	user, password string
	sql            string // what is asked there
	session        *session.Session
}

// NewProbe makes one for a link that listens on host ("toxiproxy"). Nothing is opened yet.
//
// It asks a database whose statistics no lesson reads: measuring a link changes no result. Poolers have a statement
// for that which they answer themselves; YugabyteDB's statistics aren't read, so its ordinary database will do.
func NewProbe(host string, l topology.Link) *Probe {
	p := &Probe{
		at:   topology.Endpoint{Host: host, Port: l.Port(), DBName: "postgres"},
		user: "lab", password: topology.LabPassword(), sql: "SELECT 1",
	}
	if kind, err := pooler.Find(l.Pooler); err == nil {
		p.at.DBName, p.sql = kind.Console.DBName, kind.Version
	}
	if l.Service() == "yugabyte" {
		p.at.DBName, p.user, p.password = "lab", topology.App, topology.Password(topology.App)
	}
	return p
}

// Sample measures once.
func (p *Probe) Sample(ctx context.Context) (time.Duration, error) {
	if err := p.connect(ctx); err != nil {
		return 0, err
	}
	return p.session.Sample(ctx, p.sql)
}

// RoundTrip is the median of several samples.
func (p *Probe) RoundTrip(ctx context.Context) (session.RoundTrip, error) {
	if err := p.connect(ctx); err != nil {
		return session.RoundTrip{}, err
	}
	return p.session.RoundTrip(ctx, p.sql)
}

// connect connects where there is no connection, and sends the first statement, which takes longer.
func (p *Probe) connect(ctx context.Context) error {
	if p.session != nil && !p.session.IsClosed() {
		return nil
	}
	s, err := session.Open(ctx, p.at.DSN(p.user), p.password)
	if err != nil {
		return fmt.Errorf("connect to %s as %s: %w", p.at, p.user, err)
	}
	p.session = s
	_, err = s.Sample(ctx, p.sql)
	return err
}

// Close ends the connection; the next measurement opens another one.
func (p *Probe) Close() {
	if p.session != nil {
		p.session.Close()
		p.session = nil
	}
}
