package test

import (
	"path/filepath"
	"strings"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
	"pooler-lab/internal/trial"
	"pooler-lab/k6/summary"
	"pooler-lab/test/testkit"
)

// failoverPlan has the primary gone while the standby lacks what the primary has acknowledged for seconds. Its host is
// unplugged: the kernel of a killed server would still send what it was given.
const failoverPlan = `title: Failover in a test
question: Is what a ledger says true?
explanation: It has to be.
minutes: 1
experiments:
  - name: crash
    workload: [write, read]
    paths: [direct, direct-hosts, pgbouncer-transaction]
    latencies: [none]
    clients: [2]
    rate: 20
    overload: true
    writes: true
    seconds: 20
    params: {timeout: 2, dsn: connect_timeout=2}
    events:
      - {at: 1, do: unplug standby}
      - {at: 5, do: unplug primary}
      - {at: 6, do: heal standby}
      - {at: 7, do: promote standby}
`

// lostWAL prints the transactions that the node called primary has committed and the standby didn't have when it was
// promoted: those behind the point where the new timeline left the old one, in the WAL that was kept.
const lostWAL = `cd /var/lib/postgresql/data.lost-wal
last=$(ls | grep -E '^[0-9A-F]{24}$' | sort | tail -n 1)
timeline=$((16#${last:0:8}))
left=$(cat ../data/pg_wal/*.history | awk -v of="$timeline" '$1 == of { print $2 }' | tail -n 1)
pg_waldump -p . -t "$timeline" -s "$left" -r Transaction | sed -n 's/.* tx: *\([0-9]*\),.*desc: COMMIT .*/\1/p'`

// A ledger misses nothing, and says the truth: what it calls lost, the old primary has committed and never sent, and
// what it has found is on both nodes. The nodes are put back.
func TestLedgerIsTrue(t *testing.T) {
	t.Cleanup(func() { script(t, "break", "reset") })
	savePlan(t, "97-failover", failoverPlan, "export { default, options, read, write } from './10-failover.js';\n")
	run := start(t, "run", "97-failover").finished(t, 0)
	writes := 0
	for _, c := range run.Cells {
		if c.Status != result.OK {
			t.Fatalf("%s is %s: %s", c.ID, c.Status, c.Reason)
		}
		if e := c.Repeats[0].Events; len(e) != 4 || e[1].Do != "unplug primary" || e[3].Began < e[2].Ended {
			t.Errorf("%s: its events are %+v", c.ID, e)
		}
		if l := c.Repeats[0].Ledger; lesson.MarksRows(c.Workload) {
			writes += l.Lost
		} else if l.Lost+l.Unreported != 0 {
			t.Errorf("%s, which writes nothing: %+v", c.ID, l)
		}
	}
	rows, err := summary.ReadLedger(filepath.Join(results, run.ID, run.Cells[0].Repeats[0].Ledger.File))
	testkit.OK(t, err)
	said := docker(t, "exec", container("primary"), "bash", "-c", lostWAL)
	committed := map[string]bool{} // by the old primary alone
	for _, transaction := range strings.Fields(said) {
		committed[transaction] = true
	}
	there := map[string]bool{}
	const marks = "SELECT filler FROM pgbench_history WHERE filler IS NOT NULL"
	for _, mark := range strings.Fields(superuser(t, container("standby"), "lab", marks).out) {
		there[mark] = true
	}
	lost, kept, failed := 0, 0, 0
	for _, a := range rows {
		switch {
		case !lesson.MarksRows(a.Workload):
		case !a.OK():
			failed++
		case there[trial.Mark(a)]:
			kept++
			if a.Server == "primary" && committed[a.Transaction] { // the new one gives the same numbers again
				t.Errorf("%+v was committed by the old primary alone, and is there", a)
			}
		default:
			lost++
			if a.Server != "primary" || !committed[a.Transaction] {
				t.Errorf("%+v is lost, and the old primary hasn't committed it", a)
			}
		}
	}
	if lost == 0 || lost != writes || kept == 0 {
		t.Errorf("%d writes are lost, by the ledger %d; %d are kept", lost, writes, kept)
	}
	if unknown := len(committed) - lost; unknown < 0 || unknown > failed {
		t.Errorf("the old primary alone has committed %d, %d are lost, and %d attempts have failed", len(committed), lost,
			failed)
	}
	recovered(t)
	if on, has := balancesOf(t, "primary"), balancesOf(t, "standby"); on != has || on.rows == 0 {
		t.Errorf("the primary has %+v, the standby %+v", on, has)
	}
}
