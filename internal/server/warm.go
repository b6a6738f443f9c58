package server

import (
	"context"
	"sync"
	"time"

	"pooler-lab/internal/session"
)

const (
	// readAll reads every account and its index through the buffer cache, in the index's order: a scan of the table
	// alone would go through a small ring of buffers and leave the cache as it was.
	readAll = "SET enable_seqscan = off; SET enable_bitmapscan = off; SET max_parallel_workers_per_gather = 0; " +
		"SELECT count(abalance) FROM pgbench_accounts WHERE aid > 0"
	// warmingTime bounds it: data that takes longer doesn't fit the cache anyway.
	warmingTime = 15 * time.Second
)

// Warm reads the data of both PostgreSQL nodes into their caches, so that the first cells of a run don't pay for
// what a start left cold. A node that can't is left to its cells: they say what is wrong with it.
func (l *Servers) Warm(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, warmingTime)
	defer cancel()
	var both sync.WaitGroup
	for _, node := range []string{primary, standby} {
		both.Go(func() { l.warm(ctx, node) })
	}
	both.Wait()
}

func (l *Servers) warm(ctx context.Context, node string) {
	s, err := session.Open(ctx, dataDSN(node), l.labPassword)
	if err != nil {
		return
	}
	defer s.Close()
	_, _ = s.Ask(ctx, readAll)
}
