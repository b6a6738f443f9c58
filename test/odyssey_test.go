package test

import (
	"testing"

	"pooler-lab/internal/result"
)

// odysseyPlan asks of Odyssey what a cell can want of a pooler, in cells of fixed work.
const odysseyPlan = `title: Odyssey
question: Does a cell get what it asks for of Odyssey?
explanation: It has to.
minutes: 1
` + fixedWork + `  paths: [odyssey-transaction, odyssey-session]
experiments:
  - {name: roles, roles: [app_trust, app_clear]}
  - {name: protocols, protocol: [extended, prepared]}
  - {name: pools, pool_sizes: [2, 5], workload: slow, transactions: 40, clients: [6], paths: [odyssey-transaction]}
  - {name: writes, workload: tpcb, protocol: prepared, writes: true}
  - {name: connects, workload: connect, clients: [1], fill_pools: true}
  - {name: settings, settings: {odyssey: {client_fwd_error: 'no'}}, paths: [odyssey-session]}
`

// Odyssey pools as it is told, each cell proves its path, and k6 counts as many transactions as the servers. Afterwards
// Odyssey is as configured.
func TestOdyssey(t *testing.T) {
	if why := off(t, "odyssey"); why != "" {
		t.Skip(why)
	}
	savePlan(t, "96-odyssey", odysseyPlan, cellsScript)
	run := start(t, "run", "96-odyssey").finished(t, 0)
	if len(run.Cells) != 15 {
		t.Errorf("%d cells, wanted 15", len(run.Cells))
	}
	for _, c := range run.Cells {
		t.Run(c.ID, func(t *testing.T) {
			last := c.Last()
			if last == nil {
				t.Fatalf("it is %s: %s", c.Status, c.Reason)
			}
			if len(last.Measured.Errors) > 0 || last.Flagged(result.FlagCounts) {
				t.Errorf("errors: %+v; counts: %+v", last.Measured.Errors, last.Counts)
			}
			if c.PoolSize > 0 && (last.Pooler == nil || last.Pooler.PoolSize != c.PoolSize) {
				t.Errorf("of a pool of %d it saw %+v", c.PoolSize, last.Pooler)
			}
		})
	}
	const settings = "cat /run/nodes/odyssey.settings"
	if left := inside(t, "lab", "sh", "-c", settings); left != "" {
		t.Errorf("these settings are left: %s", left)
	}
	t.Cleanup(func() { script(t, "reset", "--keep-data") })
	inside(t, "lab", "sh", "-c", `PGPASSWORD=$LAB_PASSWORD psql -X -h odyssey -p 6432 -U lab odyssey -c PAUSE`)
	if why := links(t)["client-odyssey"].Problem; why != "held back: it is paused; 'scripts/reset --keep-data' ends that" {
		t.Errorf("while it is paused, the problem of its link is %q", why)
	}
	script(t, "reset", "--keep-data")
	if why := links(t)["client-odyssey"].Problem; why != "" {
		t.Errorf("after reset, the problem of its link is %q", why)
	}
}
