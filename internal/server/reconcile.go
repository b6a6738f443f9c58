package server

import (
	"context"
	"fmt"
	"strings"

	"pooler-lab/internal/result"
)

// A Tally is everything that servers and poolers of a journey counted until now, and what the lab itself did on it
// between then and the load.
type Tally struct {
	nodes     map[string]Counters
	pgbouncer int64
	pgpool    []share
	own       own
}

// own is what the lab itself did on a journey after its nodes were counted.
type own struct{ connections, statements int64 }

// tally reads the counters of the journey's nodes and of PgBouncer, after it has cleared the nodes, so that all
// counts are handed in.
func (l *Lab) tally(ctx context.Context, j Journey) (Tally, error) {
	t := Tally{nodes: map[string]Counters{}}
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
		if t.nodes[name], err = l.nodes[name].Counters(ctx, j.database()); err != nil {
			return t, err
		}
	}
	if j.pgbouncer() {
		t.pgbouncer, err = l.pgbouncerTransactions(ctx, j)
	}
	return t, err
}

// Reconcile reads all counts again and sets those since before beside k6's.
func (l *Lab) Reconcile(ctx context.Context, j Journey, before Tally, k6 result.Counted) ([]result.Count, []result.Share, error) {
	var shares []share
	var err error
	if j.pgpool() {
		if shares, err = l.pgpoolShares(ctx, j); err != nil {
			return nil, nil, err
		}
	}
	after, err := l.tally(ctx, j)
	if err != nil {
		return nil, nil, err
	}
	return j.counts(before, after, k6), since(before.pgpool, shares), nil
}

// counts is what the servers counted between two tallies beside what k6 did.
func (j Journey) counts(before, after Tally, k6 result.Counted) []result.Count {
	switch {
	case j.yugabyte() && !j.pgbouncer():
		return nil // nobody has tried yet what YugabyteDB's counters hold
	case j.pgpool():
		return []result.Count{j.countPgpool(before, after, k6)}
	}
	var counts []result.Count
	if j.pgbouncer() {
		counts = append(counts, count("transactions, SHOW STATS of PgBouncer", k6.Transactions,
			after.pgbouncer-before.pgbouncer, less{"prepares", k6.Prepares}, less{"the lab's own", before.own.statements}))
	}
	for _, name := range j.nodes() {
		c := after.nodes[name].less(before.nodes[name])
		others := append(j.poolerOwn(c, k6.Connections+before.own.connections), less{"connections' own", c.Sessions},
			less{"prepares", k6.Prepares}, less{"the lab's own", before.own.statements})
		counted := count("transactions, xact_commit of "+name, k6.Transactions, c.Commits, others...)
		counts = append(counts, unsure(counted, j.poolerUnsure(c)))
	}
	return counts
}

// poolerOwn is what PgBouncer itself does on its server connections, each a transaction to the server: it SETs the
// clients' parameters (their application_name) when a server connection gets a client that has others. In
// transaction mode all clients have the same, so that is once a server connection, save the one that poolerUnsure
// counts; in session mode DISCARD ALL follows each client and undoes it.
func (j Journey) poolerOwn(c Counters, connections int64) []less {
	switch {
	case !j.pgbouncer():
		return nil
	case j.Path.Pools == "session":
		return []less{{"SETs", connections}, {"DISCARD ALLs", connections}}
	}
	return []less{{"SETs", c.Sessions - j.poolerUnsure(c)}}
}

// poolerUnsure is how many of PgBouncer's server connections in transaction mode may never have had a client: it opens
// one at a time, and the last one can come when nobody waits for it any more.
func (j Journey) poolerUnsure(c Counters) int64 {
	if !j.pgbouncer() || j.Path.Pools == "session" {
		return 0
	}
	return min(c.Sessions, 1)
}

// countPgpool adds the nodes up, for a statement goes to one of them. Pgpool-II itself commits once on each node for
// every client that connects (its own connection's start, or a SET of application_name on one that it kept), and
// when the client leaves a DISCARD ALL on the primary and on the node that its SELECTs went to: if that is the
// primary, it is one. It sends a BEGIN and its COMMIT to both of those nodes, too. How often they were two is the part
// of the count that stays unsure.
// (Pgpool-II's own SHOW POOL_BACKEND_STATS loses counts where children count at the same moment.)
func (j Journey) countPgpool(before, after Tally, k6 result.Counted) result.Count {
	var commits int64
	for _, name := range j.nodes() {
		commits += after.nodes[name].less(before.nodes[name]).Commits
	}
	connections, nodes := k6.Connections+before.own.connections, int64(len(j.nodes()))
	c := count("transactions, xact_commit of "+strings.Join(j.nodes(), " and "), k6.Transactions, commits,
		less{"connections' own", connections * nodes}, less{"DISCARD ALLs", connections},
		less{"prepares", k6.Prepares}, less{"the lab's own", before.own.statements})
	return unsure(c, (connections+k6.Explicit)*(nodes-1))
}

// unsure says of c that n of the server's count may not be the clients' either.
func unsure(c result.Count, n int64) result.Count {
	c.Unsure = n
	c.Equal = c.K6 <= c.Server && c.Server <= c.K6+n
	return c
}

// since is how many SELECTs each node got between two looks at Pgpool-II's counters.
func since(before, after []share) []result.Share {
	var shares []result.Share
	for i, s := range after {
		n := s.selects
		if i < len(before) {
			n -= before[i].selects
		}
		shares = append(shares, result.Share{Node: s.node, Role: s.role, Selects: n})
	}
	return shares
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
