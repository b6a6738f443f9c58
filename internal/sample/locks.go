package sample

import (
	"context"
	"time"
)

// locksEvery is how often locks are counted at most, and locksRest how many times as long as counting takes there is
// rest after it: reading pg_locks holds up those who lock, and with thousands of sessions it is long.
const (
	locksEvery = time.Second
	locksRest  = 100
)

// locksSQL counts the locks of processes.
const locksSQL = "SELECT count(*) FROM pg_locks JOIN unnest($1::int[]) AS seen (pid) USING (pid)"

// A lockCount is how many locks the measured sessions held or waited for.
type lockCount struct {
	sent, received time.Time
	locks          int
}

// countLocks counts those of the sessions that were just seen.
func (n *node) countLocks(ctx context.Context) error {
	c := lockCount{sent: time.Now()}
	pids := []int32{}
	for _, s := range n.samples[len(n.samples)-1].sessions {
		pids = append(pids, s.pid)
	}
	err := n.conn.QueryRow(ctx, locksSQL, pids).Scan(&c.locks)
	c.received = time.Now()
	n.rest = c.received.Add(max(locksEvery, locksRest*c.received.Sub(c.sent)))
	if err == nil {
		n.locks = append(n.locks, c)
	}
	return err
}
