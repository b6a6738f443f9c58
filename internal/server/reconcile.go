package server

import (
	"context"
	"fmt"

	"pooler-lab/internal/result"
)

// A Tally is everything that servers and poolers of a journey counted until now.
type Tally struct {
	nodes     map[string]Counters
	pgbouncer int64
	pgpool    []share
}

// Tally clears the journey's nodes, so that all counts are handed in, and reads them.
func (l *Lab) Tally(ctx context.Context, j Journey) (Tally, error) {
	t := Tally{nodes: map[string]Counters{}}
	if err := l.Clear(ctx, j); err != nil {
		return t, err
	}
	var err error
	for _, name := range j.nodes() {
		if t.nodes[name], err = l.nodes[name].Counters(ctx); err != nil {
			return t, err
		}
	}
	switch {
	case j.pgbouncer():
		t.pgbouncer, err = l.pgbouncerTransactions(ctx, j)
	case j.pgpool():
		t.pgpool, err = l.pgpoolShares(ctx, j)
	}
	if err != nil {
		return t, fmt.Errorf("read counts: %w", err)
	}
	return t, nil
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
			after.pgbouncer-before.pgbouncer-k6.Prepares, k6.Prepares, "prepares"))
	}
	for _, name := range j.nodes() {
		c := after.nodes[name].less(before.nodes[name])
		counts = append(counts, count("transactions, xact_commit of "+name, k6.Transactions,
			c.Commits-c.Sessions-k6.Prepares, c.Sessions+k6.Prepares, "connections' own and prepares"))
	}
	return counts, nil
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
	return []result.Count{count("SELECTs, SHOW POOL_BACKEND_STATS of Pgpool-II", k6.Transactions, sum, 0, "")}, shares
}

func count(what string, k6, server, less int64, lessWhat string) result.Count {
	c := result.Count{What: what, K6: k6, Server: server, Equal: k6 == server}
	if less != 0 {
		c.Less = fmt.Sprintf("%d %s", less, lessWhat)
	}
	return c
}
