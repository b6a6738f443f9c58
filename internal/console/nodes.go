package console

import (
	"context"
	"time"

	"pooler-lab/internal/console/api"
	"pooler-lab/internal/sample"
	"pooler-lab/internal/server"
)

// A database is PostgreSQL's primary or standby, or YugabyteDB.
type database struct {
	watch *server.Watch
	name  string
}

func (d *database) Node() string { return d.name }
func (d *database) Close()       { d.watch.Close() }

// Look tells of the standby, too, if this is its primary: that one knows how far it is behind.
func (d *database) Look(ctx context.Context) (func(map[string]*api.Node), error) {
	seen, err := d.watch.Database(ctx)
	if err != nil {
		return nil, err
	}
	return func(nodes map[string]*api.Node) {
		node := nodes[d.name]
		node.Backends, node.Conninfo = &seen.Backends, seen.Conninfo
		if d.name == "yugabyte" {
			return
		}
		node.Role = "primary"
		if seen.Standby {
			node.Role = "standby"
		}
		if standby := nodes["standby"]; seen.Lag != nil && standby != nil {
			standby.ReplicationLagMS, standby.ReplicationLagBytes = &seen.Lag.MS, &seen.Lag.Bytes
		}
	}, nil
}

// A pgbouncer is PgBouncer.
type pgbouncer struct {
	watch *server.Watch
	name  string
}

func (b *pgbouncer) Node() string { return b.name }
func (b *pgbouncer) Close()       { b.watch.Close() }

func (b *pgbouncer) Look(ctx context.Context) (func(map[string]*api.Node), error) {
	pools, err := b.watch.Pools(ctx)
	if err != nil {
		return nil, err
	}
	return func(nodes map[string]*api.Node) {
		node := nodes[b.name]
		node.WaitingClients, node.PoolSize = &pools.Waiting, &pools.Size
		node.ServersActive, node.ServersIdle = &pools.Active, &pools.Idle
	}, nil
}

// A pgpool is a Pgpool-II: its counts since it started tell how many SELECTs it sends to each node a second.
type pgpool struct {
	watch *server.Watch
	name  string

	at     time.Time // of the counts before
	counts []int64
}

func (b *pgpool) Node() string { return b.name }

func (b *pgpool) Close() {
	b.watch.Close()
	b.counts = nil
}

// backends are Pgpool-II's nodes in the order of its configuration.
var backends = []string{"primary", "standby"}

func (b *pgpool) Look(ctx context.Context) (func(map[string]*api.Node), error) {
	counts, err := b.watch.Selects(ctx)
	if err != nil {
		return nil, err
	}
	now, before, since := time.Now(), b.counts, b.at
	b.counts, b.at = counts, now
	return func(nodes map[string]*api.Node) {
		for i := range counts {
			if i >= len(before) || i >= len(backends) || counts[i] < before[i] { // a first look, or it has been restarted
				return
			}
			rate := float64(counts[i]-before[i]) / now.Sub(since).Seconds()
			addTo(&nodes[b.name].SelectsPerSecond, rate)
			if node := nodes[backends[i]]; node != nil {
				addTo(&node.SelectsPerSecond, rate)
			}
		}
	}, nil
}

func addTo(sum **float64, v float64) {
	if *sum != nil {
		v += **sum
	}
	*sum = &v
}

// waits is what the sessions of a database wait for.
type waits struct {
	name    string
	rolling *sample.Rolling
}

func (w *waits) Node() string { return w.name }
func (w *waits) Look()        { w.rolling.Look() }
func (w *waits) Close()       { w.rolling.Close() }

func (w *waits) Waits() (events []api.Wait, reason string) {
	lately := w.rolling.Lately()
	for _, e := range lately.Waits {
		events = append(events, api.Wait{Name: e.Event, Share: e.Share})
	}
	return events, lately.NotMeasured
}
