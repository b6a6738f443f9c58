package link

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"pooler-lab/internal/topology"
)

// probeWait is how long a probe waits for an answer beside twice what the link is set to add.
const probeWait = 2 * time.Second

// A Probe measures one link again and again on a connection that it keeps, as measureLink does once. It belongs to one
// goroutine.
type Probe struct {
	host string
	link topology.Link
	conn *pgconn.PgConn
}

// NewProbe makes one for a link that listens on host ("toxiproxy").
func NewProbe(host string, l topology.Link) *Probe { return &Probe{host: host, link: l} }

// RoundTrip measures the link once, which is set to these. It connects where there is no connection.
func (p *Probe) RoundTrip(ctx context.Context, set Settings) (time.Duration, error) {
	at := placeOf(p.host, p.link)
	if p.conn == nil || p.conn.IsClosed() {
		limited, cancel := context.WithTimeout(ctx, patience(set))
		defer cancel()
		conn, err := connect(limited, at.endpoint, at.user, at.password)
		if err != nil {
			return 0, err
		}
		p.conn = conn
		if _, err := ask(limited, conn, at.query); err != nil { // the first one is slower
			return 0, err
		}
	}
	wait := probeWait + 2*time.Duration(set.LatencyMS+set.JitterMS)*time.Millisecond
	limited, cancel := context.WithTimeout(ctx, min(wait, 20*time.Second))
	defer cancel()
	return ask(limited, p.conn, at.query)
}

// ask sends a query and returns how long its answer took.
func ask(ctx context.Context, conn *pgconn.PgConn, query string) (time.Duration, error) {
	start := time.Now()
	if _, err := conn.Exec(ctx, query).ReadAll(); err != nil {
		return 0, fmt.Errorf("measure a round trip: %w", err)
	}
	return time.Since(start), nil
}

// Reason says why the measurement failed, in a few words.
func (p *Probe) Reason(err error) string { return strings.TrimSpace(reason(err, p.link)) }

// Close ends the connection; the next measurement opens another one.
func (p *Probe) Close() {
	if p.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	p.conn.Close(ctx)
	p.conn = nil
}
