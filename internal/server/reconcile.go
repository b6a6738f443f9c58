package server

import (
	"context"
	"fmt"
	"strings"

	"pooler-lab/internal/result"
)

// A Tally is everything that servers and poolers of a journey counted until now.
type Tally struct {
	nodes     map[string]Counters
	pgbouncer int64
	pgpool    []share
}

// Tally reads them, after it has cleared the journey's nodes, so that all counts are handed in. Pgpool-II's own
// counts are exact at any time: its connections stay.
func (l *Lab) Tally(ctx context.Context, j Journey) (Tally, error) {
	t := Tally{nodes: map[string]Counters{}}
	if j.pgpool() {
		var err error
		t.pgpool, err = l.pgpoolShares(ctx, j)
		return t, err
	}
	if j.pgbouncer() {
		if err := l.drain(ctx, j); err != nil {
			return t, err
		}
	}
	if err := l.Clear(ctx, j); err != nil {
		return t, err
	}
	var err error
	for _, name := range j.nodes() {
		if t.nodes[name], err = l.nodes[name].Counters(ctx); err != nil {
			return t, err
		}
	}
	if j.pgbouncer() {
		t.pgbouncer, err = l.pgbouncerTransactions(ctx, j)
	}
	return t, err
}

// Reconcile sets what k6 counted beside what servers and poolers counted between two tallies.
func (j Journey) Reconcile(before, after Tally, k6 result.Counted) ([]result.Count, []result.Share) {
	switch {
	case j.yugabyte() && !j.pgbouncer():
		return nil, nil // nobody has tried yet what YugabyteDB's counters hold
	case j.pgpool():
		return j.reconcilePgpool(before, after, k6)
	}
	var counts []result.Count
	if j.pgbouncer() {
		counts = append(counts, count("transactions, SHOW STATS of PgBouncer", k6.Transactions,
			after.pgbouncer-before.pgbouncer, less{"prepares", k6.Prepares}))
	}
	for _, name := range j.nodes() {
		c := after.nodes[name].less(before.nodes[name])
		others := append(j.poolerOwn(c, k6), less{"connections' own", c.Sessions}, less{"prepares", k6.Prepares})
		counts = append(counts, count("transactions, xact_commit of "+name, k6.Transactions, c.Commits, others...))
	}
	return counts, nil
}

// poolerOwn is what PgBouncer itself does on its server connections, each a transaction to the server: it SETs the
// clients' parameters (their application_name) when a server connection gets a client that has others. In
// transaction mode all clients have the same, so that is once a server connection; in session mode DISCARD ALL
// follows each client and undoes it.
func (j Journey) poolerOwn(c Counters, k6 result.Counted) []less {
	switch {
	case !j.pgbouncer():
		return nil
	case j.Path.Pools == "session":
		return []less{{"SETs", k6.Connections}, {"DISCARD ALLs", k6.Connections}}
	}
	return []less{{"SETs", c.Sessions}}
}

func (j Journey) reconcilePgpool(before, after Tally, k6 result.Counted) ([]result.Count, []result.Share) {
	var shares []result.Share
	var sum int64
	for i, s := range after.pgpool {
		n := s.selects
		if i < len(before.pgpool) {
			n -= before.pgpool[i].selects
		}
		sum += n
		shares = append(shares, result.Share{Node: s.node, Role: s.role, Selects: n})
	}
	return []result.Count{count("SELECTs, SHOW POOL_BACKEND_STATS of Pgpool-II", k6.Transactions, sum)}, shares
}

// less is a part of a server's count that isn't clients' transactions.
type less struct {
	what string
	n    int64
}

func count(what string, k6, server int64, others ...less) result.Count {
	raw := server
	var names []string
	for _, l := range others {
		if l.n != 0 {
			server -= l.n
			names = append(names, fmt.Sprintf("%d %s", l.n, l.what))
		}
	}
	return result.Count{What: what, K6: k6, Raw: raw, Server: server, Less: strings.Join(names, ", "), Equal: k6 == server}
}
