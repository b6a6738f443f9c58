package test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"pooler-lab/internal/result"
	"pooler-lab/test/testkit"
)

// loaded counts the sessions that k6 has on the primary.
const loaded = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'k6' AND usename LIKE 'app%'"

// waitForLoad waits until k6 has a session on the primary.
func waitForLoad(t testing.TB) {
	t.Helper()
	testkit.Eventually(t, func() string {
		if asSuperuser(t, "primary", loaded) == "0" {
			return "k6 has no session on the primary"
		}
		return ""
	})
}

// finished waits for a run's end and returns what it wrote; it must have ended with the status.
func (s *started) finished(t testing.TB, status int) *result.Run {
	t.Helper()
	a := s.wait(t) // with pauses for other machines, on a slow one
	if a.status != status {
		t.Fatalf("exit status %d, wanted %d\n%s", a.status, status, a.all())
	}
	return a.run(t)
}

var resultsLine = regexp.MustCompile(`Results: results/(\S+)`)

// run reads the run that was printed and holds it against the published schema.
func (a answer) run(t testing.TB) *result.Run {
	t.Helper()
	named := resultsLine.FindStringSubmatch(a.out)
	if named == nil {
		t.Fatalf("it names no results:\n%s", a.all())
	}
	folder := filepath.Join(results, named[1])
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join(root, "docs", "run.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, result.File))
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = schema.Validate(document)
	}
	if err != nil {
		t.Errorf("%s: %v", folder, err)
	}
	r, err := result.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// reasons say why each attempt at a cell was rejected or failed.
func reasons(c result.Cell) string {
	var all []string
	for _, r := range c.Repeats {
		all = append(all, fmt.Sprintf("block %d, attempt %d: %s %s", r.Block, r.Attempt, r.Status, r.Reason))
	}
	return strings.Join(all, "; ")
}

// onlyCell is the one of a run of one cell.
func onlyCell(t testing.TB, r *result.Run) result.Cell {
	t.Helper()
	if len(r.Cells) != 1 {
		t.Fatalf("%d cells, wanted one", len(r.Cells))
	}
	return r.Cells[0]
}

// A run in which a component was killed in mid-cell says what went wrong then, and goes on: the same cell's next
// repeat is whole.
func TestRunGoesOnAfterAKill(t *testing.T) {
	saveCells(t)
	for _, c := range []struct{ service, path, latency string }{
		{"primary", "direct", "none"},
		{"pgbouncer", "pgbouncer-transaction", "none"},
		{"toxiproxy", "direct", "5"},
	} {
		t.Run(c.service, func(t *testing.T) {
			release := hold(t)
			run := startCells(t, "held", "--paths", c.path, "--latencies", c.latency)
			waitUntilHeld(t, 2)
			signal(t, c.service, "KILL")
			release()
			r := run.finished(t, 0)
			repeats := onlyCell(t, r).Repeats
			if r.Status != result.Finished || len(repeats) < 2 {
				t.Fatalf("the run is %s and has %d repeats", r.Status, len(repeats))
			}
			if first := repeats[0]; first.Reason == "" && (first.Measured == nil || len(first.Measured.Errors) == 0) {
				t.Errorf("nothing went wrong: %+v", first)
			}
			last := repeats[len(repeats)-1]
			if last.Status != result.OK || len(last.Measured.Errors) != 0 {
				t.Errorf("the repeat after it is %s: %s %v", last.Status, last.Reason, last.Measured)
			}
			checkCounts(t, last)
		})
	}
	recovered(t)
}

// checkCounts wants k6 and the servers to have counted the same.
func checkCounts(t *testing.T, r result.Repeat) {
	t.Helper()
	if len(r.Counts) == 0 || r.Uncounted != "" {
		t.Errorf("nothing was counted: %s", r.Uncounted)
	}
	for _, c := range r.Counts {
		if !c.Equal || c.K6 == 0 || c.Server < c.K6 || c.Server > c.K6+c.Unsure {
			t.Errorf("%s: k6 %d, the server %d (%d less %s, %d of it unsure)", c.What, c.K6, c.Server, c.Raw, c.Less, c.Unsure)
		}
	}
}

// BenchmarkFourThousandClients: four thousand clients through PgBouncer, each with a connection of its own, leave k6
// below a gigabyte.
func BenchmarkFourThousandClients(t *testing.B) {
	run := start(t, "run", "00-tour", "--experiments", "throughput", "--paths", "pgbouncer-transaction",
		"--latencies", "none", "--protocols", "simple", "--roles", "app_trust", "--clients", "4000", "--seconds", "2",
		"--warmup", "0").finished(t, 0)
	c := onlyCell(t, run)
	repeat := c.Last()
	if repeat == nil || repeat.Measured.ClientsReady != 4000 || repeat.Pooler == nil || repeat.Pooler.MaxClients < 4000 {
		t.Fatalf("not all of 4000 clients were connected: %s", reasons(c))
	}
	held := repeat.Resources.GeneratorMB
	if held == nil {
		t.Fatal("k6's memory isn't known")
	}
	figure(t, "memory of k6 with 4000 clients", *held, " MB", math.Inf(-1), 1000)
}
