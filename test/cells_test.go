package test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pooler-lab/internal/result"
	"pooler-lab/internal/topology"
)

// cellsPlan asks for everything that a cell can want of the servers, in short cells.
const cellsPlan = `title: Cells
question: Does a cell get what it asks for?
explanation: It has to.
minutes: 1
defaults:
  workload: select
  latencies: [none]
  clients: [4]
  protocol: simple
  seconds: 0.7
  warmup_seconds: 1
experiments:
  - name: roles
    paths: [direct, standby, pgbouncer-transaction, pgpool]
    roles: [app_clear, app_trust]
  - name: pools
    paths: [socket, pgbouncer-transaction]
    clients: [6]
    pool_sizes: [2, 5]
  - name: own-pool
    paths: [app-pool]
    clients: [6]
    instance_pools: [2]
  - name: settings
    paths: [standby, pgbouncer-session]
    settings: {standby: {hot_standby_feedback: 'on'}, pgbouncer: {query_wait_timeout: '5'}}
  - name: refused
    paths: [direct]
    settings: {primary: {work_mem: 8MB}}
  - name: writes
    workload: tpcb
    paths: [direct, pgbouncer-transaction, pgpool]
    writes: true
  - name: work
    workload: tpcb
    paths: [direct, pgbouncer-session]
    pool_sizes: [2]
    transactions: 5
    seconds: 10
    writes: true
  - name: crowd
    paths: [direct]
    roles: [app_clear]
    clients: [10]
    transactions: 50
    seconds: 5
  - name: fresh
    workload: connect
    paths: [direct, standby]
    fresh_database: true
    clients: [1]
  - name: fill
    workload: connect
    paths: [pgbouncer-transaction, pgbouncer-session]
    fill_pools: true
    clients: [1]
  - name: network
    paths: [direct, standby]
    latencies: [2]
    bandwidth_kb_s: 1000
    replication_ms: 10
  - name: long
    paths: [pgbouncer-transaction]
    roles: [app_trust]
    pool_sizes: [3]
    seconds: 20
    settings: {standby: {hot_standby_feedback: 'on'}}
    latencies: [2]
    replication_ms: 10
`

// cellsScript has what its clients do.
const cellsScript = `import { account, options as cellOptions, workload } from '../lib/lab.js';

export const options = cellOptions();

export const select = workload({ warm: 10 }, (client) => {
  client.exec('SELECT abalance FROM pgbench_accounts WHERE aid = $1', account());
});

export const connect = workload({ keeps: false }, (client) => {
  client.exec('SELECT 1');
});

export { tpcb } from '../lib/tpcb.js';

export default select;
`

// saveCells saves the lesson of these cells.
func saveCells(t *testing.T) {
	t.Helper()
	lesson := filepath.Join(root, "k6", "lessons", "98-cells")
	saveLesson(t, lesson+".yaml", cellsPlan)
	saveLesson(t, lesson+".js", cellsScript)
}

// runCells runs experiments of cellsPlan.
func runCells(t *testing.T, experiments string) *result.Run {
	t.Helper()
	saveCells(t)
	r := start(t, "run", "98-cells", "--experiments", experiments).finished(t, 0)
	checkRestored(t)
	return r
}

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
	want := map[string]string{"default_pool_size": "20", "query_wait_timeout": "120"}
	for _, row := range table(t, connect(t, "lab", console), "SHOW CONFIG") {
		if w, asked := want[row["key"]]; asked && w != row["value"] {
			t.Errorf("PgBouncer's %s is %s, it was %s", row["key"], row["value"], w)
		}
	}
}

// each calls check for the only repeat of each cell, which must be ok and counted alike by k6 and the servers.
func each(t *testing.T, r *result.Run, check func(t *testing.T, c result.Cell, repeat result.Repeat)) {
	t.Helper()
	for _, c := range r.Cells {
		t.Run(c.ID, func(t *testing.T) {
			kept := undisturbed(c)
			if c.Status != result.OK || len(kept) != 1 {
				t.Fatalf("it is %s, with %d repeats: %s", c.Status, len(kept), reasons(c))
			}
			repeat := kept[0]
			if len(repeat.Measured.Errors) > 0 {
				t.Errorf("errors: %+v", repeat.Measured.Errors)
			}
			checkCounts(t, repeat)
			check(t, c, repeat)
		})
	}
}

func TestCellsHaveRoles(t *testing.T) {
	r := runCells(t, "roles")
	if len(r.Cells) != 8 {
		t.Errorf("%d cells, wanted two roles on four paths", len(r.Cells))
	}
	each(t, r, func(*testing.T, result.Cell, result.Repeat) {})
}

func TestCellsHavePools(t *testing.T) {
	most := map[string]int{}
	each(t, runCells(t, "pools,own-pool"), func(t *testing.T, c result.Cell, repeat result.Repeat) {
		most[strings.TrimPrefix(c.ID, c.Experiment+".")] = repeat.Nodes[0].MaxBackends
	})
	for id, want := range map[string]int{"socket.none.select.6c.simple": 6,
		"pgbouncer-transaction.none.select.6c.simple.pool2": 2,
		"pgbouncer-transaction.none.select.6c.simple.pool5": 5, "app-pool.none.select.6c.simple.1instances.2each": 2} {
		if most[id] != want {
			t.Errorf("%s had %d backends, wanted %d", id, most[id], want)
		}
	}
}

func TestCellsHaveSettings(t *testing.T) {
	each(t, runCells(t, "settings"), func(*testing.T, result.Cell, result.Repeat) {})
	said := start(t, "run", "98-cells", "--experiments", "refused").wait(t, time.Minute)
	if said.status == 0 || !strings.Contains(said.out, "set work_mem of primary to 8MB") ||
		!strings.Contains(said.out, "grants.sql") {
		t.Errorf("a setting that the lab may not change: %s", said.all())
	}
}

func TestCellsWriteAndCountTheirRows(t *testing.T) {
	each(t, runCells(t, "writes"), func(t *testing.T, _ result.Cell, repeat result.Repeat) {
		if last := repeat.Counts[len(repeat.Counts)-1]; !strings.Contains(last.What, "pgbench_history") {
			t.Errorf("the history's rows weren't counted: %+v", repeat.Counts)
		}
	})
}

func TestCellsOfFixedWork(t *testing.T) {
	each(t, runCells(t, "work"), func(t *testing.T, _ result.Cell, repeat result.Repeat) {
		m := repeat.Measured
		if f := m.Finish; f == nil || f.Finished != 4 || f.Starved != 0 || m.Counted.Transactions != 20 || m.TPS != f.TPS ||
			m.TPS <= f.TPSWithConnect {
			t.Errorf("4 clients did 5 transactions each: %+v, finish %+v", m, f)
		}
	})
}

// A path that runs out of connections is a result: what was done, and what was refused.
func TestOutOfConnectionsIsAResult(t *testing.T) {
	limit := func(n string) {
		inside(t, "primary", "psql", "-X", "-q", "-U", "postgres", "-d", "postgres", "-c",
			"ALTER ROLE app_clear CONNECTION LIMIT "+n)
	}
	limit("3")
	t.Cleanup(func() { limit("-1") })
	c := onlyCell(t, runCells(t, "crowd"))
	if c.Status != result.OK {
		t.Fatalf("it is %s: %s", c.Status, c.Reason)
	}
	repeat, refused := undisturbed(c)[0], false
	for _, e := range repeat.Measured.Errors {
		refused = refused || e.Code == "53300"
	}
	if f := repeat.Measured.Finish; !refused || f == nil || f.Connected < 1 || repeat.Measured.TPS <= 0 ||
		repeat.Flags[0].Kind != result.FlagErrors {
		t.Errorf("10 clients where 3 may connect: %+v, finish %+v, flags %v", repeat.Measured.Errors, f, repeat.Flags)
	}
}

func TestCellsHaveAFreshDatabaseOrAUsedPool(t *testing.T) {
	each(t, runCells(t, "fresh,fill"), func(*testing.T, result.Cell, result.Repeat) {})
}

func TestCellsHaveNetworks(t *testing.T) {
	each(t, runCells(t, "network"), func(*testing.T, result.Cell, result.Repeat) {})
}

// What a cell applied is restored when it is stopped; a run that is killed leaves it to scripts/reset.
func TestAnInterruptedCellIsTakenBack(t *testing.T) {
	saveCells(t)
	begin := func() *started {
		run := start(t, "run", "98-cells", "--experiments", "long")
		waitForLoad(t, 300*time.Millisecond)
		admin := connect(t, "lab", topology.Endpoint{Host: "primary", Port: 5432, DBName: "postgres"})
		if one(t, admin, "SELECT rolcanlogin FROM pg_roles WHERE rolname = 'app_trust'") != "t" {
			t.Error("app_trust may not log in while a cell needs it")
		}
		return run
	}
	run := begin()
	if err := run.process.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if r := run.finished(t, 130); r.NotRestored != "" {
		t.Errorf("not put back: %s", r.NotRestored)
	}
	checkRestored(t)
	run = begin()
	inside(t, "lab", "sh", "-c", `for p in /proc/[0-9]*; do
		tr '\0' ' ' <$p/cmdline 2>/dev/null | grep -q '^lab run' && kill -9 ${p#/proc/}
	done; true`)
	run.wait(t, 20*time.Second)
	script(t, "reset", "--keep-data")
	checkRestored(t)
}
