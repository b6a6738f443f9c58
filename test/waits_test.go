package test

import (
	"context"
	"math"
	"testing"
	"time"

	"pooler-lab/internal/result"
	"pooler-lab/internal/sample"
	"pooler-lab/internal/topology"
	"pooler-lab/test/testkit"
)

// sampleWaits samples the primary from before a session is used until enough has been seen of it, while three others
// wait in a transaction, sleep and do nothing.
func sampleWaits(t testing.TB, enough func()) (n result.Node, watched time.Duration) {
	t.Helper()
	open, asleep, busy := connect(t, "app", primary), connect(t, "app", primary), connect(t, "app", primary)
	connect(t, "app", primary) // in reserve
	table(t, open, "BEGIN")
	ctx, wake := context.WithCancel(t.Context())
	sleep := make(chan error, 1)
	go func() {
		_, err := asleep.PgConn().Exec(ctx, "SELECT pg_sleep(3600)").ReadAll()
		sleep <- err
	}()
	defer func() {
		wake()
		<-sleep
	}()
	testkit.Eventually(t, func() string {
		return differs(asSuperuser(t, "primary", "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' "+
			"AND usename = 'app'"), "1")
	})
	dsn := func(node string) string {
		return topology.Endpoint{Host: address(t, node), Port: 5432, DBName: "postgres"}.DSN("lab")
	}
	s := sample.NewSessions(dsn, password("lab"), topology.Roles())
	defer s.Close()
	from := time.Now()
	s.Start(sample.Subjects{Nodes: []string{"primary"}, Hz: 32}) // as often as 04-waits samples
	one(t, busy, "SELECT 1")
	enough()
	to := time.Now()
	s.Stop()
	nodes, _ := s.Between(from, to)
	return nodes[0], to.Sub(from)
}

// The sampler tells a transaction that waits for its client from a statement that sleeps and from a session that is
// idle, and a connection that nobody uses from all of them.
func TestSamplerSeesWaits(t *testing.T) {
	n, _ := sampleWaits(t, func() {
		moments := map[string]bool{}
		testkit.Eventually(t, func() string {
			moments[asSuperuser(t, "primary", "SELECT max(query_start) FROM pg_stat_activity "+
				"WHERE usename = 'lab' AND query LIKE '-- What each client session%'")] = true
			if len(moments) < 6 {
				return "the sampler has hardly begun"
			}
			return ""
		})
	})
	shares := map[string]float64{"Client:ClientRead": 1.0 / 3, "Timeout:PgSleep": 1.0 / 3, "Net/Delay": 0.1}
	for event, least := range shares {
		if share := shareOf(n, event); share < least-1e-6 {
			t.Errorf("one of three sessions was in %s, its share is %.3f", event, share)
		}
	}
	if n.Sessions != 3 || n.MaxBackends < 4 || n.MaxActive < 1 || n.MaxLocks == nil || *n.MaxLocks < 1 {
		t.Errorf("3 of 4 connections, and of those that a pool holds, were used; two have virtual transactions: %+v", n)
	}
}

// BenchmarkSampler: sampling costs a server less than two per cent of the time, and there are as many samples as that
// allows.
func BenchmarkSampler(t *testing.B) {
	n, watched := sampleWaits(t, func() { time.Sleep(5 * time.Second) })
	t.Logf("%d samples in %v", n.Samples, watched)
	for _, event := range []string{"Client:ClientRead", "Timeout:PgSleep", "Net/Delay"} {
		figure(t, "sampler: share of one of three sessions, "+event, shareOf(n, event), "", 0.28, 0.39)
	}
	figure(t, "sampler: share of the time that it takes", 100*n.CostShare, " %", 0, 2)
	if n.CostShare < 0.007 { // fewer than 32 a second only where a sample is expensive
		figure(t, "sampler: samples a second", float64(n.Samples)/watched.Seconds(), "", 24, math.Inf(1))
	}
}

func shareOf(n result.Node, event string) float64 {
	for _, w := range n.Waits {
		if w.Event == event {
			return w.Share
		}
	}
	return 0
}
