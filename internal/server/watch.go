package server

import (
	"context"
	"strconv"

	"pooler-lab/internal/session"
)

// A Status is what a database says of itself.
type Status struct {
	Standby  bool
	Backends int    // of clients and poolers
	Conninfo string // how a standby reaches its primary
	// Lag is how far the standby of this primary is behind, nil where none streams.
	Lag *Lag
}

// A Lag is how far a standby's replay is behind its primary.
type Lag struct {
	Bytes int64
	MS    float64
}

// The questions to each database ask everything at once. Backends are clients' but the lab's own. A standby can't be
// asked for what replicates from it. One that has caught up has no replay_lag after a while, as nothing is under way.
const (
	backends = "(SELECT count(*) FROM pg_stat_get_activity(NULL) WHERE backend_type = 'client backend' " +
		"AND application_name <> '" + session.Name + "')"
	nodeSQL = "SELECT pg_is_in_recovery() AS standby, " + backends + " AS backends, " +
		"current_setting('primary_conninfo') AS conninfo, r.bytes, CASE WHEN r.bytes = 0 THEN 0 ELSE r.ms END AS ms " +
		"FROM (SELECT) AS one LEFT JOIN (SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::bigint AS bytes, " +
		"round(extract(epoch FROM replay_lag) * 1000, 3) AS ms " +
		"FROM pg_stat_replication WHERE state = 'streaming' AND NOT pg_is_in_recovery() LIMIT 1) AS r ON true"
	yugabyteSQL = "SELECT false AS standby, count(*) AS backends FROM pg_stat_activity " +
		"WHERE application_name <> '" + session.Name + "' AND state IS NOT NULL"
)

// Status asks the database how it is. How long an answer may take is the context's to say.
func (n *Node) Status(ctx context.Context) (Status, error) {
	sql := nodeSQL
	if n.Name == yugabyte {
		sql = yugabyteSQL
	}
	r, err := n.AskOne(ctx, sql)
	if err != nil {
		return Status{}, err
	}
	var v session.Numbers
	s := Status{Standby: r["standby"] == "t", Backends: int(v.Of(r, "backends")), Conninfo: r["conninfo"]}
	if _, streams := r["bytes"]; streams {
		ms, _ := strconv.ParseFloat(r["ms"], 64) // unknown where it has only just begun
		s.Lag = &Lag{Bytes: v.Of(r, "bytes"), MS: ms}
	}
	return s, v.Err
}
