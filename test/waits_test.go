package test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pooler-lab/internal/result"
	"pooler-lab/internal/sample"
	"pooler-lab/internal/server"
	"pooler-lab/internal/topology"
)

// The sampler tells a transaction that waits for its client from a statement that sleeps and from a session that is
// idle, and a connection that nobody uses from all of them.
func TestSamplerSeesWaits(t *testing.T) {
	open, asleep, busy := connect(t, "app", primary), connect(t, "app", primary), connect(t, "app", primary)
	connect(t, "app", primary) // in reserve
	table(t, open, "BEGIN")
	sleep := make(chan error, 1)
	go func() {
		_, err := asleep.PgConn().Exec(t.Context(), "SELECT pg_sleep(4)").ReadAll()
		sleep <- err
	}()
	dsn := func(node string) string {
		return topology.Endpoint{Host: address(t, node), Port: 5432, DBName: "postgres"}.DSN("lab")
	}
	s := sample.NewServers(dsn, strings.TrimSpace(script(t, "setting", "LAB_PASSWORD")), server.Roles())
	defer s.Close()
	s.Start(sample.Subjects{Nodes: []string{"primary"}, Hz: 32}) // as often as 04-waits samples
	time.Sleep(500 * time.Millisecond)
	from := time.Now()
	one(t, busy, "SELECT 1")
	time.Sleep(2 * time.Second)
	to := time.Now()
	s.Stop()
	if err := <-sleep; err != nil {
		t.Fatal(err)
	}
	nodes, _ := s.Between(from, to)
	n := nodes[0]
	for _, event := range []string{"Client:ClientRead", "Timeout:PgSleep", "Net/Delay"} {
		if share := shareOf(n, event); math.Abs(share-1.0/3) > 0.05 {
			t.Errorf("one of three sessions was in %s all the time, its share is %.2f", event, share)
		}
	}
	if n.Sessions != 3 || n.MaxBackends < 4 || n.MaxActive < 1 || n.MaxLocks == nil || *n.MaxLocks < 1 {
		t.Errorf("3 of 4 connections, and of those that a pool holds, were used; two have virtual transactions: %+v", n)
	}
	if n.CostShare <= 0 || n.CostShare >= 0.02 {
		t.Errorf("%d samples in 2 s took %.2f %% of the time, wanted under 2 %%", n.Samples, 100*n.CostShare)
	}
	if n.Samples < 48 && n.CostShare < 0.007 { // fewer than asked only where they are dear
		t.Errorf("%d samples in 2 s, at %.2f %% of the time there was room for 64", n.Samples, 100*n.CostShare)
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

// The sampler's query is one that anyone can run with psql.
func TestWaitsQueryThroughPsql(t *testing.T) {
	query, err := os.ReadFile(filepath.Join(root, "internal", "sample", "waits.sql"))
	if err != nil {
		t.Fatal(err)
	}
	table(t, connect(t, "app", primary), "BEGIN")
	said := inside(t, "primary", "psql", "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-c", string(query))
	if !strings.Contains(said, "|app|idle in transaction|Client|ClientRead|t|") {
		t.Errorf("the open transaction isn't seen:\n%s", said)
	}
}

// A run keeps what databases and poolers said while each window was open, and being looked at spoils no counts.
func TestRunSamplesServers(t *testing.T) {
	r := startLesson(t, "--experiments", "throughput", "--paths", "pgbouncer-transaction,pgpool", "--latencies", "none",
		"--seconds", "2").finished(t, 0)
	for _, c := range r.Cells {
		repeat := c.Last()
		for _, count := range repeat.Counts {
			if !count.Equal {
				t.Errorf("%s: %+v", c.ID, count)
			}
		}
		for _, n := range repeat.Nodes {
			sum := 0.0
			for _, w := range n.Waits {
				sum += w.Share
			}
			if n.NotMeasured != "" || n.Samples < 10 || n.Sessions == 0 || math.Abs(sum-1) > 1e-6 {
				t.Errorf("%s: the shares' sum is %v: %+v", c.ID, sum, n)
			}
		}
		if p := repeat.Pooler; p == nil || p.Samples < 4 || p.MaxClients != c.Clients || p.PoolSize == 0 {
			t.Errorf("%s: the pooler said %+v", c.ID, p)
		}
		if repeat.Resources.Switches == nil {
			t.Errorf("%s: no context switches", c.ID)
		}
	}
}
