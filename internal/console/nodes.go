package console

import (
	"context"

	"pooler-lab/internal/sample"
	"pooler-lab/internal/server"
)

// A database is PostgreSQL's primary or standby, or YugabyteDB.
type database struct {
	watch *server.Node
	name  string
}

func (d *database) Node() string { return d.name }
func (d *database) Close()       { d.watch.Close() }

// Ask tells of the standby, too, if this is its primary: that one knows how far it is behind.
func (d *database) Ask(ctx context.Context) (func(map[string]*Node), error) {
	seen, err := d.watch.Status(ctx)
	if err != nil {
		return nil, err
	}
	return func(nodes map[string]*Node) {
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

// waits samples what the sessions of a database wait for.
type waits struct {
	name    string
	rolling *sample.Rolling
}

func (w *waits) Sample() { w.rolling.Sample() }
func (w *waits) Close()  { w.rolling.Close() }

// Waits are those of the last seconds, and why there are none where nobody knows.
func (w *waits) Waits() (events []Wait, reason string) {
	lately := w.rolling.Lately()
	for _, e := range lately.Waits {
		events = append(events, Wait{Name: e.Event, Share: e.Share})
	}
	return events, lately.NotMeasured
}
