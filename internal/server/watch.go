package server

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"pooler-lab/internal/topology"
)

// A Watch asks one server of the lab how it is, again and again on a connection that it keeps and that has no
// toxiproxy in it. It belongs to one goroutine. How long an answer may take is the context's to say.
type Watch struct{ line line }

// NewWatch makes one for the service of that name: primary, standby, yugabyte, or a pooler.
func NewWatch(service string) *Watch {
	at := topology.Endpoint{Host: service, Port: 5432, DBName: "postgres"}
	user, password := "lab", os.Getenv("LAB_PASSWORD")
	switch {
	case isPgBouncer(service):
		at.Port, at.DBName = 6432, "pgbouncer"
	case isPgpool(service):
		at.Port = 9999
	case service == "yugabyte":
		at.Port, at.DBName, user, password = 5433, "lab", app, os.Getenv("APP_PASSWORD")
	}
	return &Watch{line{name: service, dsn: at.DSN(user), password: password}}
}

// Close ends the connection; the next question opens another one.
func (w *Watch) Close() { w.line.close() }

// LetGo has a PgBouncer close the server connections that no client uses. A run takes those of a live load that has just
// ended for what Pgpool-II's children keep, and waits for them in vain.
func LetGo(ctx context.Context, service string) error {
	w := NewWatch(service)
	defer w.Close()
	_, err := w.line.ask(ctx, "RECONNECT")
	return err
}

// A Sight is what a database says of itself.
type Sight struct {
	Standby  bool
	Backends int    // of clients and poolers
	Conninfo string // a standby's way to its primary
	// Lag is how far the standby of this primary is behind, nil where none streams.
	Lag *Lag
}

// A Lag is how far a standby's replay is behind its primary.
type Lag struct {
	Bytes int64
	MS    float64
}

// others are client backends but the lab's own.
const others = "(SELECT count(*) FROM pg_stat_get_activity(NULL) WHERE backend_type = 'client backend' AND application_name <> '" +
	applicationName + "')"

// sightSQL asks everything at once. A standby that has caught up has no replay_lag after a while, as nothing is under way.
const sightSQL = "SELECT pg_is_in_recovery() AS standby, " + others + " AS backends, current_setting('primary_conninfo') AS conninfo, " +
	"r.bytes, CASE WHEN r.bytes = 0 THEN 0 ELSE r.ms END AS ms FROM (SELECT) AS one LEFT JOIN (SELECT " +
	"pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::bigint AS bytes, round(extract(epoch FROM replay_lag) * 1000, 3) AS ms " +
	"FROM pg_stat_replication WHERE state = 'streaming' LIMIT 1) AS r ON NOT pg_is_in_recovery()"

// standbySQL leaves out what only a primary can be asked.
const standbySQL = "SELECT pg_is_in_recovery() AS standby, " + others + " AS backends, current_setting('primary_conninfo') AS conninfo"

// Database asks a database how it is.
func (w *Watch) Database(ctx context.Context) (Sight, error) {
	sql := sightSQL
	switch w.line.name {
	case standby:
		sql = standbySQL
	case "yugabyte":
		sql = "SELECT false AS standby, count(*) AS backends FROM pg_stat_activity WHERE application_name <> '" + applicationName + "' AND state IS NOT NULL"
	}
	r, err := w.line.askOne(ctx, sql)
	if err != nil {
		return Sight{}, err
	}
	var n numbers
	s := Sight{Standby: r["standby"] == "t", Backends: n.of(r, "backends"), Conninfo: r["conninfo"]}
	if _, streams := r["bytes"]; streams {
		ms, _ := strconv.ParseFloat(r["ms"], 64) // unknown where it has only just begun
		s.Lag = &Lag{Bytes: int64(n.of(r, "bytes")), MS: ms}
	}
	return s, n.err
}

// Pools is how PgBouncer's pools of measured roles are filled, all together.
type Pools struct {
	Waiting      int // clients
	Active, Idle int // server connections
	Size         int // that the pools in use may have; that of database lab where none is
}

// Pools asks PgBouncer.
func (w *Watch) Pools(ctx context.Context) (Pools, error) {
	rows, err := w.line.ask(ctx, "SHOW POOLS")
	if err != nil {
		return Pools{}, err
	}
	databases, err := w.line.ask(ctx, "SHOW DATABASES")
	if err != nil {
		return Pools{}, err
	}
	return fillOf(rows, databases)
}

// fillOf adds up the pools of measured roles.
func fillOf(pools, databases []row) (Pools, error) {
	var all Pools
	var n numbers
	for _, p := range pools {
		if !slices.Contains(Roles(), p["user"]) {
			continue
		}
		active, idle := n.of(p, "sv_active"), n.of(p, "sv_idle")+n.of(p, "sv_used")
		all.Waiting += n.of(p, "cl_waiting")
		all.Active, all.Idle = all.Active+active, all.Idle+idle
		if active+idle+n.of(p, "cl_active")+n.of(p, "cl_waiting") > 0 {
			all.Size += n.of(find(databases, "name", p["database"]), "pool_size")
		}
	}
	if all.Size == 0 {
		all.Size = n.of(find(databases, "name", "lab"), "pool_size")
	}
	return all, n.err
}

// Selects asks a Pgpool-II how many SELECTs it has sent to its nodes since it started, in their order.
func (w *Watch) Selects(ctx context.Context) ([]int64, error) {
	rows, err := w.line.ask(ctx, "SHOW POOL_BACKEND_STATS")
	if err != nil {
		return nil, err
	}
	var all []int64
	for _, r := range rows {
		count, err := strconv.ParseInt(strings.TrimSpace(r["select_cnt"]), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read Pgpool-II's select_cnt: %w", err)
		}
		all = append(all, count)
	}
	return all, nil
}
