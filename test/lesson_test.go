package test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

// startLesson begins a run of the tour, narrowed by the options.
func startLesson(t testing.TB, options ...string) *started {
	t.Helper()
	return start(t, "run", append([]string{"00-tour"}, options...)...)
}

// waitForK6 waits until a cell's k6 has been started.
func waitForK6(t testing.TB) {
	t.Helper()
	eventually(t, 30*time.Second, func() string {
		if !strings.Contains(commandLines(t, "lab"), "k6 run ") {
			return "no cell is running"
		}
		return ""
	})
}

// loaded counts the sessions that k6 has on the primary.
const loaded = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'k6' AND usename LIKE 'app%'"

// waitForLoad waits until k6 has been at work on the primary for a moment.
func waitForLoad(t testing.TB, moment time.Duration) {
	t.Helper()
	waitForK6(t)
	eventually(t, 30*time.Second, func() string {
		if docker(t, "exec", container("primary"), "psql", "-X", "-A", "-t", "-U", "postgres", "-d", "postgres", "-c",
			loaded) == "0" {
			return "k6 has no session on the primary"
		}
		return ""
	})
	time.Sleep(moment)
}

// finished waits for a run's end and returns what it wrote; it must have ended with the status.
func (s *started) finished(t testing.TB, status int) *result.Run {
	t.Helper()
	a := s.wait(t, 12*time.Minute) // with pauses for other machines, on a slow one
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
	validate(t, filepath.Join(folder, result.File))
	r, err := result.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func validate(t testing.TB, file string) {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join(root, "docs", "run.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = schema.Validate(document)
	}
	if err != nil {
		t.Errorf("%s: %v", file, err)
	}
}

// undisturbed are the repeats of a cell without those that were rightly run again: other machines took the CPU, a burst
// used up a CPU limit, a slow machine needed a longer warm-up, or Pgpool-II looked up a table that it hadn't met since
// its start, by transactions of its own that the servers count.
func undisturbed(c result.Cell) []result.Repeat {
	return slices.DeleteFunc(slices.Clone(c.Repeats), func(r result.Repeat) bool {
		lookedUp := strings.HasPrefix(c.Path, "pgpool") && r.Attempt == 1 && r.Flagged(result.FlagCounts)
		return r.Status == result.Rejected && (lookedUp ||
			r.Flagged(result.FlagStolen) || r.Flagged(result.FlagThrottled) || r.Flagged(result.FlagWarmup))
	})
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
	for _, c := range []struct{ service, path, latency string }{
		{"primary", "direct", "none"},
		{"pgbouncer", "pgbouncer-transaction", "none"},
		{"toxiproxy", "direct", "5"},
	} {
		t.Run(c.service, func(t *testing.T) {
			run := startLesson(t, "--experiments", "select", "--paths", c.path, "--latencies", c.latency, "--seconds", "2",
				"--repeats", "2")
			waitForLoad(t, 500*time.Millisecond)
			signal(t, c.service, "KILL")
			r := run.finished(t, 0)
			repeats := undisturbed(onlyCell(t, r))
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

// Someone else's change of a link under a repeat rejects it, whoever makes it; it runs once more.
func TestToxicChangedInMidCellRejectsTheRepeat(t *testing.T) {
	for name, change := range map[string][]string{
		"set":     {"toxic", "add", "-t", "latency", "-n", "mine", "-a", "latency=3", "client-standby"},
		"removed": {"toxic", "remove", "-n", "latency_downstream", "client-primary"},
	} {
		t.Run(name, func(t *testing.T) {
			run := startLesson(t, "--experiments", "select", "--paths", "direct", "--latencies", "5", "--seconds", "1.5")
			waitForLoad(t, 500*time.Millisecond)
			inside(t, "toxiproxy", append([]string{"toxiproxy-cli"}, change...)...)
			repeats := undisturbed(onlyCell(t, run.finished(t, 0)))
			if len(repeats) != 2 || repeats[0].Status != result.Rejected || repeats[1].Status != result.OK {
				t.Fatalf("wanted a rejected repeat and one that is ok, got %+v", repeats)
			}
			if !strings.Contains(repeats[0].Reason, change[len(change)-1]) {
				t.Errorf("the reason doesn't name the link: %s", repeats[0].Reason)
			}
		})
	}
}

// order lists the cells of a run as they ran.
func order(r *result.Run) []string {
	type place struct {
		position int
		id       string
	}
	var places []place
	for _, c := range r.Cells {
		for _, repeat := range undisturbed(c) {
			places = append(places, place{repeat.Position, c.ID})
		}
	}
	slices.SortFunc(places, func(a, b place) int { return a.position - b.position })
	var ids []string
	for _, p := range places {
		ids = append(ids, p.id)
	}
	return ids
}

// Each lesson is two files that one can read, and what it claims its cells can show, in both sizes.
func TestEveryLessonIsWhole(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "k6", "lessons", "*.js"))
	if err != nil || len(files) < 9 {
		t.Fatalf("%d lessons, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".js")
		t.Run(name, func(t *testing.T) {
			checkReadable(t, file)
			checkReadable(t, lesson.PlanOf(file))
			said := script(t, "run", name, "--dry-run") // of work that is fixed, its time is what the lesson says of itself
			if clock := regexp.MustCompile(`repeats, about (\d+):(\d\d)[\n:]`).FindStringSubmatch(said); clock == nil {
				t.Errorf("said\n%s", said)
			} else if length, err := time.ParseDuration(clock[1] + "m" + clock[2] + "s"); err != nil || length > 5*time.Minute {
				t.Errorf("takes %v, a workshop has five minutes (%v)", length, err)
			}
			full := command(t, nil, filepath.Join(root, "scripts", "run"), name, "--full", "--dry-run")
			if fits := full.status == 0 && strings.Contains(full.out, "repeats, about "); !fits &&
				!strings.Contains(full.err, "full size doesn't fit") && !strings.Contains(full.err, "has no full size") {
				t.Errorf("in full size: exit status %d\n%s", full.status, full.all())
			}
		})
	}
}

// checkReadable wants lines that fit a screen, and k6's own summary left alone.
func checkReadable(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	number := 0
	for line := range strings.Lines(string(text)) {
		if number++; utf8.RuneCountInString(strings.TrimRight(line, "\n")) > 120 {
			t.Errorf("%s:%d is longer than 120 characters", filepath.Base(file), number)
		}
	}
	if strings.Contains(string(text), "handleSummary") {
		t.Errorf("%s takes the place of k6's summary", filepath.Base(file))
	}
}

// Four thousand clients through PgBouncer, each with a connection of its own, leave k6 below a gigabyte.
func TestFourThousandClientsFitAGigabyte(t *testing.T) {
	run := startLesson(t, "--experiments", "throughput", "--paths", "pgbouncer-transaction", "--latencies", "none",
		"--protocols", "simple", "--roles", "app_trust",
		"--clients", "4000", "--seconds", "2", "--warmup", "60").finished(t, 0)
	repeat := undisturbed(run.Cells[0])[0]
	if repeat.Measured == nil || repeat.Measured.ClientsReady != 4000 || repeat.Pooler == nil ||
		repeat.Pooler.MaxClients < 4000 {
		t.Fatalf("not all of 4000 clients were connected: %+v, %+v", repeat.Measured, repeat.Pooler)
	}
	if held := repeat.Resources.GeneratorMB; held == nil || *held > 1000 {
		t.Errorf("k6 held %v MB", held)
	} else {
		t.Logf("k6 held %.0f MB", *held)
	}
}
