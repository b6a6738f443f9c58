package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

// pgbenchStandIn stands in for pgbench: each of its two clients does ten transactions of 2 ms, which it logs. It notes
// its arguments beside itself.
const pgbenchStandIn = `#!/usr/bin/env bash
set -u
for argument; do
	case $argument in --log-prefix=*) log=${argument#*=}.$$ ;; esac
done
echo "$*" >"$(dirname "$0")/arguments"
for i in 1 2 3 4 5 6 7 8 9 10; do
	for client in 0 1; do now=$EPOCHREALTIME; echo "$client $i 2000 0 ${now%.*} ${now#*.}" >>"$log"; done
done
echo 'number of clients: 2'
echo 'initial connection time = 30.000 ms'
`

func TestPgbench(t *testing.T) {
	c := plain("a")
	c.Driver, c.PgbenchScript, c.Clients, c.Transactions, c.Seconds = lesson.Pgbench, "SELECT :rows;\n", 2, 10, 30
	c.Params = map[string]any{"rows": 9}
	r, _, servers := newRunner(t, "", c)
	servers.counts = []result.Count{{What: "transactions", K6: 20, Server: 20, Equal: true}}
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "pgbench"), []byte(pgbenchStandIn), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	run := ran(t, r, false)
	repeat := run.Cells[0].Repeats[0]
	m := repeat.Measured
	if repeat.Status != result.OK || m.Transactions != 20 || m.Counted.Transactions != 20 || m.Counted.Connections != 3 ||
		m.Trends["pg_statement"].Med != 2 || m.Finish == nil || m.Finish.Finished != 2 || m.TPS != m.Finish.TPS {
		t.Errorf("%s %s, measured %+v", repeat.Status, repeat.Reason, m)
	}
	if run.Cells[0].Driver != lesson.Pgbench || run.Cells[0].PgbenchScript != "SELECT :rows;\n" {
		t.Errorf("run.json has the cell as %+v", run.Cells[0].Cell)
	}
	if _, err := os.Stat(filepath.Join(r.dir, repeat.Summary)); err != nil || repeat.Log != "" {
		t.Errorf("its summary: %v, its log %q", err, repeat.Log)
	}
	text, err := os.ReadFile(filepath.Join(bin, "arguments"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"--transactions=10 ", "--client=2 ", "--protocol=simple ", "--define=rows=9 ",
		"host=primary port=5432 dbname=lab user=app sslmode=disable"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("pgbench was started with %s", text)
		}
	}
}
