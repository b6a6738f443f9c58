package server

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"pooler-lab/internal/result"
	"pooler-lab/internal/topology"
)

// throughPgBouncer is what PgBouncer says of the probe: that it is PgBouncer's client, that the backend which
// answered it is PgBouncer's server, in which database and mode, and over which address.
func (l *Lab) throughPgBouncer(ctx context.Context, j Journey, p *probe) ([]result.Fact, error) {
	console := l.pooler(j.entry())
	servers, err := console.ask(ctx, "SHOW SERVERS")
	if err != nil {
		return nil, err
	}
	server := find(servers, "remote_pid", p.pid)
	facts := []result.Fact{fact("PgBouncer's database of the server process that answered", server["database"], j.Endpoint.DBName)}
	last := j.Path.Services[len(j.Path.Services)-1]
	if j.proxied() {
		last = topology.Proxy
	}
	wanted, err := addresses(last)
	if err != nil {
		return facts, err
	}
	facts = append(facts, fact("the address that PgBouncer reaches the database at", server["addr"], wanted...))

	pools, err := console.ask(ctx, "SHOW POOLS")
	if err != nil {
		return facts, err
	}
	mode := among(pools, j)["pool_mode"]
	facts = append(facts, fact("the pool mode", mode, j.Path.Pools))

	if j.PoolSize > 0 {
		size, err := l.poolSize(ctx, j)
		if err != nil {
			return facts, err
		}
		facts = append(facts, fact("the size of the pool", size, strconv.Itoa(j.PoolSize)))
	}

	clients, err := console.ask(ctx, "SHOW CLIENTS")
	if err != nil {
		return facts, err
	}
	if wanted, err = clientOfPooler(j, p); err != nil {
		return facts, err
	}
	probes := slices.DeleteFunc(clients, func(c row) bool { return c["application_name"] != applicationName })
	return append(facts, fact("the client's address as PgBouncer sees it", among(probes, j)["addr"], wanted...)), nil
}

// poolSize is that of the journey's database, which a setting of its own or the default gives it.
func (l *Lab) poolSize(ctx context.Context, j Journey) (string, error) {
	rows, err := l.pooler(j.entry()).ask(ctx, "SHOW DATABASES")
	return find(rows, "name", j.Endpoint.DBName)["pool_size"], err
}

// among returns the first row of the measured role in the journey's database.
func among(rows []row, j Journey) row {
	for _, r := range rows {
		if r["user"] == j.Role && r["database"] == j.Endpoint.DBName {
			return r
		}
	}
	return nil
}

func find(rows []row, column, value string) row {
	for _, r := range rows {
		if r[column] == value {
			return r
		}
	}
	return nil
}

// pgbouncerTransactions is how many transactions PgBouncer counted in the journey's database since it started.
func (l *Lab) pgbouncerTransactions(ctx context.Context, j Journey) (int64, error) {
	rows, err := l.pooler(j.entry()).ask(ctx, "SHOW STATS")
	if err != nil {
		return 0, err
	}
	stats := find(rows, "database", j.Endpoint.DBName)
	if stats == nil {
		return 0, nil // nobody has used it yet
	}
	n, err := strconv.ParseInt(stats["total_xact_count"], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read PgBouncer's total_xact_count: %w", err)
	}
	return n, nil
}

// drain waits until PgBouncer has reset the server connections that its last clients left: a DISCARD ALL that is
// under way counts too.
func (l *Lab) drain(ctx context.Context, j Journey) error {
	for {
		pools, err := l.pooler(j.entry()).ask(ctx, "SHOW POOLS")
		if err != nil {
			return err
		}
		pool := among(pools, j)
		if pool == nil || pool["sv_active"] == "0" && pool["sv_tested"] == "0" {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for PgBouncer to reset its server connections: %w", ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// fillPgBouncer has PgBouncer open a server connection and use it, as a client like k6's that has come and gone.
func (l *Lab) fillPgBouncer(ctx context.Context, j Journey) error {
	s, err := openAs(ctx, loadName, j.DSN(), Password(j.Role))
	if err == nil {
		_, err = s.ask(ctx, "SELECT 1")
		s.close()
	}
	if err != nil {
		return fmt.Errorf("fill the pool of %s: %w", j.entry(), err)
	}
	return l.drain(ctx, j)
}

// poolEmptied waits until PgBouncer knows that the server connections of the journey's pool are gone, or their number
// would follow an earlier pool's size.
func (l *Lab) poolEmptied(ctx context.Context, j Journey) error {
	for {
		servers, err := l.pooler(j.entry()).ask(ctx, "SHOW SERVERS")
		if err != nil || among(servers, j) == nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for PgBouncer's pool to be empty: %w", ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// reconnect has PgBouncer drop the idle server connections of the journey's database, where their server's own
// side can't be asked to.
func (l *Lab) reconnect(ctx context.Context, j Journey) error {
	if _, err := l.pooler(j.entry()).ask(ctx, `RECONNECT "`+j.Endpoint.DBName+`"`); err != nil {
		return fmt.Errorf("empty PgBouncer's pool: %w", err)
	}
	return nil
}
