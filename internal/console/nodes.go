package console

import (
	"context"

	"pooler-lab/internal/server"
	"pooler-lab/internal/topology"
)

// A database is PostgreSQL's primary or standby, or YugabyteDB.
type database struct {
	*server.Node
	name string
}

// Ask tells of the other node, too, if this is its primary: that one knows how far it is behind.
func (d *database) Ask(ctx context.Context) (func(map[string]*Node), error) {
	seen, err := d.Status(ctx)
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
		if standby := nodes[topology.OtherNode(d.name)]; seen.Lag != nil && standby != nil {
			standby.ReplicationLagMS, standby.ReplicationLagBytes = &seen.Lag.MS, &seen.Lag.Bytes
		}
	}, nil
}
