package test

import (
	"context"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
	"pooler-lab/internal/topology"
	"pooler-lab/test/testkit"
)

// fixedWork is what cells of fixed work have in common.
const fixedWork = `defaults:
  workload: select
  latencies: [none]
  clients: [4]
  protocol: simple
  transactions: 5
  seconds: 600
  warmup_seconds: 0
`

// cellsPlan asks for everything that a cell can want of the servers, in short cells: of fixed work where it may be.
const cellsPlan = `title: Cells
question: Does a cell get what it asks for?
explanation: It has to.
minutes: 1
pgbench: {select: select-only, tpcb: tpcb-like}
` + fixedWork + `experiments:
  - name: roles
    paths: [direct, standby, pgbouncer-transaction, pgpool]
    roles: [app_trust]
  # Long enough for samples of a slow server.
  - name: pools
    workload: slow
    transactions: 40
    paths: [pgbouncer-transaction]
    clients: [6]
    pool_sizes: [2, 5]
  - name: own-pool
    workload: slow
    transactions: 40
    paths: [app-pool]
    clients: [6]
    instance_pools: [2]
  - name: open-loop
    paths: [direct]
    rate: 20
    transactions: 0
    seconds: 0.6
    warmup_seconds: 0.5
  - name: settings
    paths: [standby, pgbouncer-session]
    settings: {standby: {hot_standby_feedback: 'on'}, pgbouncer: {query_wait_timeout: '5'}}
  - name: writes
    workload: tpcb
    paths: [direct, direct-hosts, haproxy, pgbouncer-transaction, pgpool]
    roles: [app_clear]
    protocol: prepared
    writes: true
  - name: work
    workload: tpcb
    paths: [socket, pgbouncer-session]
    pool_sizes: [2]
    writes: true
  - name: fresh
    workload: connect
    paths: [direct]
    fresh_database: true
    clients: [1]
  - name: fill
    workload: connect
    paths: [pgbouncer-session]
    fill_pools: true
    clients: [1]
  - name: network
    paths: [direct, standby]
    latencies: [2]
    bandwidth_kb_s: 1000
    replication_ms: 10
  - name: pgbench
    driver: pgbench
    paths: [pgbouncer-transaction, pgpool]
    protocol: [simple, prepared]
    clients: [1]
    transactions: 0
    seconds: 0.6
    warmup_seconds: 0.5
  - name: pgbench-work
    driver: pgbench
    workload: tpcb
    paths: [direct, direct-hosts]
    protocol: extended
    writes: true
  # What tests hold up, refuse and interrupt.
  - name: refused
    paths: [direct]
    settings: {primary: {work_mem: 8MB}}
  - name: held
    workload: held
    paths: [direct, pgbouncer-transaction]
    latencies: [none, 5]
    clients: [2]
    repeats: 2
  - name: long
    paths: [pgbouncer-transaction]
    roles: [app_trust]
    pool_sizes: [3]
    transactions: 0
    seconds: 1200
    settings: {standby: {hot_standby_feedback: 'on'}}
    latencies: [2]
    replication_ms: 10
`

// measuredCells are the experiments of cellsPlan that run to their end.
const measuredCells = "roles,pools,own-pool,open-loop,settings,writes,work,fresh,fill,network,pgbench,pgbench-work"

// cellsScript has what its clients do. A statement of slow takes so long that its clients are all at work at once, and
// one of held waits until nobody holds the lock.
const cellsScript = `import { account, options as cellOptions, workload } from '../lib/lab.js';

export const options = cellOptions();

export const select = workload({ warm: 10 }, (client) => {
  client.exec('SELECT abalance FROM pgbench_accounts WHERE aid = $1', account());
});

export const slow = workload({ warm: 5 }, (client) => {
  client.exec('SELECT pg_sleep(0.05)');
});

export const work = workload((client) => {
  client.exec('SELECT sum(n) FROM generate_series(1, 20000) n');
});

export const held = workload((client) => {
  client.exec('SELECT pg_advisory_xact_lock_shared(98)');
});

export const connect = workload({ keeps: false }, (client) => {
  client.exec('SELECT 1');
});

export { tpcb } from '../lib/tpcb.js';

export default select;
`

// saveCells saves the lesson of these cells.
func saveCells(t testing.TB) {
	t.Helper()
	savePlan(t, "98-cells", cellsPlan, cellsScript)
}

// startCells begins a run of experiments of cellsPlan, narrowed by the options.
func startCells(t testing.TB, experiments string, options ...string) *started {
	t.Helper()
	return start(t, "run", append([]string{"98-cells", "--experiments", experiments}, options...)...)
}

// poolSize is PgBouncer's default_pool_size in configs/pgbouncer.
const poolSize = "20"

// checkRestored wants everything that a run may change to be as configs/ have it.
func checkRestored(t *testing.T) {
	t.Helper()
	admin := connect(t, "lab", topology.Endpoint{Host: "primary", Port: 5432, DBName: "postgres"})
	follower := connect(t, "lab", topology.Endpoint{Host: "standby", Port: 5432, DBName: "postgres"})
	for what, got := range map[string]string{
		"logins of app_trust": one(t, admin, "SELECT count(*) FROM pg_roles WHERE rolname = 'app_trust' AND rolcanlogin"),
		"fresh databases":     one(t, admin, "SELECT count(*) FROM pg_database WHERE datname = 'lab_fresh'"),
		"settings of the standby": one(t, follower, "SELECT count(*) FROM pg_settings WHERE "+
			"sourcefile LIKE '%auto.conf' AND name NOT LIKE 'primary%' OR name = 'hot_standby_feedback' AND setting <> 'off'"),
		"replication over a link": one(t, follower,
			"SELECT count(*) FROM pg_stat_wal_receiver WHERE sender_host <> 'primary'"),
	} {
		if got != "0" {
			t.Errorf("%s %s are left", got, what)
		}
	}
	checkPgBouncer(t, map[string]string{"default_pool_size": poolSize, "query_wait_timeout": "120"})
}

// checkPgBouncer wants PgBouncer to have these settings just now.
func checkPgBouncer(t *testing.T, want map[string]string) {
	t.Helper()
	for _, row := range table(t, connect(t, "lab", console), "SHOW CONFIG") {
		if w, asked := want[row["key"]]; asked && w != row["value"] {
			t.Errorf("PgBouncer's %s is %s, wanted %s", row["key"], row["value"], w)
		}
	}
}

// hold takes the lock that the workload held waits for; the function that it returns lets go of it.
func hold(t *testing.T) (release func()) {
	t.Helper()
	conn := connect(t, "lab", primary) // before each cell, a run ends the sessions of roles that it measures
	one(t, conn, "SELECT pg_advisory_lock(98) IS NULL")
	return func() { _ = conn.Close(context.WithoutCancel(t.Context())) } // what was killed meanwhile holds nothing
}

// waitUntilHeld waits until clients of a cell wait for that lock.
func waitUntilHeld(t *testing.T, clients int) {
	t.Helper()
	testkit.Eventually(t, func() string {
		return differs(asSuperuser(t, "primary", "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) "+
			"WHERE locktype = 'advisory' AND objid = 98 AND NOT granted AND application_name = 'k6'"), strconv.Itoa(clients))
	})
}

// Each cell gets what it asks for, k6 or pgbench and the servers count the same on each kind of path, and what a run
// writes belongs to whoever owns the folder.
func TestCellsGetWhatTheyAskFor(t *testing.T) {
	saveCells(t)
	own := func(user string) { command(t, nil, "chown", "-R", user, results) }
	own("12345:12345")
	t.Cleanup(func() { own("0:0") })
	r := startCells(t, measuredCells).finished(t, 0)
	checkRestored(t)
	if len(r.Cells) != 27 {
		t.Errorf("%d cells, wanted 27", len(r.Cells))
	}
	for _, c := range r.Cells {
		t.Run(c.ID, func(t *testing.T) { checkCell(t, c) })
	}
	folder := filepath.Join(results, r.ID)
	if a := command(t, nil, "find", folder, "!", "-uid", "12345", "-o", "!", "-gid", "12345"); a.all() != "" {
		t.Errorf("these don't belong to whoever owns the folder of results:\n%s", a.all())
	}
	noGeneratorIsLeft(t)
}

func checkCell(t *testing.T, c result.Cell) {
	last := c.Last()
	if last == nil {
		t.Fatalf("it is %s: %s", c.Status, reasons(c))
	}
	if len(last.Measured.Errors) > 0 {
		t.Errorf("errors: %+v", last.Measured.Errors)
	}
	checkCounts(t, *last)
	switch c.Experiment {
	case "pools", "own-pool":
		checkSamples(t, c, last)
	case "work", "pgbench-work":
		m := last.Measured
		if f := m.Finish; f == nil || f.Finished != 4 || f.Starved != 0 || m.Counted.Transactions != 20 || m.TPS != f.TPS ||
			m.TPS <= f.TPSWithConnect {
			t.Errorf("4 clients did 5 transactions each: %+v, finish %+v", m, f)
		}
	case "network":
		if trip := last.RoundTrip; trip == nil || trip.SetMS != 2 || trip.MeasuredMS < 2-early {
			t.Errorf("a round trip of %+v, and 2 ms were set", trip)
		}
	}
	if c.Writes && !counted(last, "pgbench_history") {
		t.Errorf("the history's rows weren't counted: %+v", last.Counts)
	}
	if wanted := map[bool]string{true: lesson.Pgbench}[strings.HasPrefix(c.Experiment, "pgbench")]; c.Driver != wanted {
		t.Errorf("its clients are in %q, wanted %q", c.Driver, wanted)
	}
}

// checkSamples wants what databases and poolers said while the window was open, and as many backends as the pool has
// room for.
func checkSamples(t *testing.T, c result.Cell, r *result.Repeat) {
	t.Helper()
	if most, want := r.Nodes[0].MaxBackends, c.PoolSize+c.Instances*c.InstancePool; most != want {
		t.Errorf("it had %d backends, wanted %d", most, want)
	}
	for _, n := range r.Nodes {
		sum := 0.0
		for _, w := range n.Waits {
			sum += w.Share
		}
		if n.NotMeasured != "" || n.Samples == 0 || n.Sessions == 0 || math.Abs(sum-1) > 1e-6 {
			t.Errorf("the shares' sum is %v: %+v", sum, n)
		}
	}
	if p := r.Pooler; c.PoolSize > 0 && (p == nil || p.Samples == 0 || p.MaxClients != c.Clients ||
		p.PoolSize != c.PoolSize) {
		t.Errorf("the pooler said %+v", p)
	}
	if r.Resources.Switches == nil {
		t.Error("no context switches")
	}
}

func TestSettingThatMayNotChangeFailsItsCell(t *testing.T) {
	saveCells(t)
	said := startCells(t, "refused").wait(t)
	text := strings.Join(strings.Fields(said.out), " ")
	if said.status == 0 || !strings.Contains(text, "set work_mem of primary to 8MB") ||
		!strings.Contains(text, "grants.sql") || strings.Contains(said.all(), "put back") {
		t.Errorf("a setting that the lab may not change: %s", said.all())
	}
}

// A crosscheck is a run of its plan. With one repeat nothing can be said, so its exit status is 2.
func TestCrosscheck(t *testing.T) {
	a := command(t, nil, filepath.Join(root, "scripts", "crosscheck"), "--experiments", "far", "--repeats", "1",
		"--seconds", "1")
	if a.status != 2 || !strings.Contains(a.out, "pgbench") {
		t.Errorf("exit status %d\n%s", a.status, a.all())
	}
	noGeneratorIsLeft(t)
}

func noGeneratorIsLeft(t testing.TB) {
	t.Helper()
	for _, program := range []string{"pgbench --log", "k6 run "} {
		if strings.Contains(commandLines(t, "lab"), program) {
			t.Errorf("%q is still running", program)
		}
	}
}
