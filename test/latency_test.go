package test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"pooler-lab/internal/link"
	"pooler-lab/internal/testkit"
)

// parseRows reads what `latency --json` printed, by link.
func parseRows(t testing.TB, text string) map[string]link.Row {
	t.Helper()
	var rows []link.Row
	if err := json.Unmarshal([]byte(text), &rows); err != nil {
		t.Fatalf("latency --json printed %q: %v", text, err)
	}
	byLink := map[string]link.Row{}
	for _, row := range rows {
		byLink[row.Link] = row
	}
	return byLink
}

// links are all links as they are just now, measured.
func links(t testing.TB) map[string]link.Row { return parseRows(t, script(t, "latency", "--json")) }

// setLatency runs scripts/latency; when the test ends, nothing is left on any link.
func setLatency(t testing.TB, args ...string) {
	t.Helper()
	t.Cleanup(func() {
		a := command(t, nil, root+"/scripts/latency", "off")
		if a.status != 0 {
			t.Errorf("scripts/latency off: %s", a.all())
		}
	})
	script(t, "latency", args...)
}

// calmest is the smallest round trip of each link in a few readings: noise of the machine only ever adds.
func calmest(t testing.TB, readings int) map[string]float64 {
	t.Helper()
	least := map[string]float64{}
	for range readings {
		for name, row := range links(t) {
			if row.RoundTripMS != nil && (least[name] == 0 || *row.RoundTripMS < least[name]) {
				least[name] = *row.RoundTripMS
			}
		}
	}
	return least
}

// Each link has the latency that was set on it, and no other one.
func TestLatencyIsSetOnItsOwnLink(t *testing.T) {
	setLatency(t, "off")
	set := map[string]int{}
	var lines []string
	for i, name := range slices.Sorted(maps.Keys(links(t))) {
		set[name] = 2 * (i + 1)
		lines = append(lines, fmt.Sprintf("latency %dms %s", set[name], name))
	}
	for line, a := range labSays(t, lines...) {
		if a.status != 0 {
			t.Errorf("lab %s: exit status %d\n%s", line, a.status, a.out)
		}
	}
	if len(set) < 8 {
		t.Fatalf("there are only %v", set)
	}
	for name, row := range links(t) {
		if row.LatencyMS != set[name] || row.RoundTripMS != nil && *row.RoundTripMS < float64(set[name]) {
			t.Errorf("%s: set %d ms, shown %d, measured %v", name, set[name], row.LatencyMS, deref(row.RoundTripMS))
		}
	}
}

// BenchmarkLinks: a link adds the round trip that was set, and no other link's changes.
func BenchmarkLinks(t *testing.B) {
	setLatency(t, "off")
	before := calmest(t, 3)
	if len(before) < 8 {
		t.Fatalf("only %v could be measured", before)
	}
	set := []int{10, 1, 25, 60}
	for i, changed := range slices.Sorted(maps.Keys(before)) {
		ms := set[i%len(set)]
		setLatency(t, fmt.Sprintf("%dms", ms), changed)
		noteAdded(t, changed, ms, before, calmest(t, 3))
		setLatency(t, "off")
	}
	noteAdded(t, "", 0, before, calmest(t, 3))
}

// noteAdded notes what was added to the round trip of the link that was changed, and the most that was to any other.
func noteAdded(b *testing.B, changed string, ms int, before, after map[string]float64) {
	b.Helper()
	others := 0.0
	for name := range before {
		switch added := after[name] - before[name]; {
		case name == changed:
			room := max(1.5, float64(ms)/10)
			figure(b, fmt.Sprintf("%s, %d ms set", name, ms), added, " ms", float64(ms)-room, float64(ms)+room)
		case math.Abs(added) > math.Abs(others):
			others = added
		}
	}
	figure(b, strings.TrimSpace("most that another link changed "+changed), others, " ms", -1.5, 1.5)
}

// roundTrip is what a SELECT 1 on an open connection takes, in ms.
func roundTrip(t testing.TB, conn *pgx.Conn) float64 {
	t.Helper()
	start := time.Now()
	one(t, conn, "SELECT 1")
	return float64(time.Since(start).Microseconds()) / 1000
}

// Latency by a path's name acts at once on connections that are open, over the path's link, and not beside it.
func TestLatencyActsOnLiveConnectionsOfItsPath(t *testing.T) {
	plain := map[string]string{"pgbouncer-transaction-near-app": "pgbouncer-transaction",
		"pgbouncer-session-near-app": "pgbouncer-session", "pgpool-near-app": "pgpool"}
	over, beside := map[string]*pgx.Conn{}, map[string]*pgx.Conn{}
	for _, r := range routes {
		if r.link == "" {
			continue
		}
		without := route{path: r.path}
		if name, near := plain[r.path]; near {
			without.path = name
		}
		over[r.path], beside[r.path] = connect(t, "app", r.endpoint(t)), connect(t, "app", without.endpoint(t))
		one(t, over[r.path], "SELECT 1") // a pooler may have to connect first
		one(t, beside[r.path], "SELECT 1")
	}
	const ms = 200
	setLatency(t, append([]string{fmt.Sprintf("%dms", ms)}, slices.Collect(maps.Keys(over))...)...)
	for path := range over {
		if took := roundTrip(t, over[path]); took < ms {
			t.Errorf("%s over its link: a round trip of %.1f ms, %d were set", path, took, ms)
		}
		checkQuick(t, path+" without latency", beside[path], ms)
	}
	script(t, "latency", append([]string{"off"}, slices.Collect(maps.Keys(over))...)...)
	for path := range over {
		checkQuick(t, path+" over its link, switched off", over[path], ms)
	}
}

// checkQuick waits until a round trip takes less than a latency that isn't there: on a busy machine some take long.
func checkQuick(t *testing.T, what string, conn *pgx.Conn, ms float64) {
	t.Helper()
	testkit.Eventually(t, func() string {
		if took := roundTrip(t, conn); took >= ms {
			return fmt.Sprintf("%s: a round trip of %.1f ms", what, took)
		}
		return ""
	})
}

// Toxiproxy is the truth: what its own client sets is seen and measured, and it sees what the lab sets.
func TestToxiproxysOwnClientIsSeen(t *testing.T) {
	setLatency(t, "10ms", "client-standby")
	inside(t, "toxiproxy", "toxiproxy-cli", "toxic", "add", "-n", "someone_elses", "-t", "latency", "-a", "latency=30",
		"--upstream", "client-standby")
	row := links(t)["client-standby"]
	if row.LatencyMS != 40 || row.RoundTripMS == nil || *row.RoundTripMS < 40 {
		t.Errorf("the lab's 10 ms and someone else's 30: shown %d ms, measured %v", row.LatencyMS, deref(row.RoundTripMS))
	}
	inside(t, "toxiproxy", "toxiproxy-cli", "toxic", "remove", "-n", "someone_elses", "client-standby")
	if row := links(t)["client-standby"]; row.LatencyMS != 10 {
		t.Errorf("someone else's taken off: shown %d ms", row.LatencyMS)
	}
	seen := inside(t, "toxiproxy", "toxiproxy-cli", "inspect", "client-standby")
	if !strings.Contains(seen, "latency=10") {
		t.Errorf("toxiproxy-cli inspect shows\n%s\nwanted the lab's latency=10", seen)
	}
	inside(t, "toxiproxy", "toxiproxy-cli", "toggle", "client-standby")
	if row := links(t)["client-standby"]; !row.Cut || row.RoundTripMS != nil {
		t.Errorf("toggled off by toxiproxy-cli: shown %+v, wanted cut", row)
	}
	script(t, "latency", "off")
	if row := links(t)["client-standby"]; row.Cut || row.LatencyMS != 0 || row.RoundTripMS == nil {
		t.Errorf("after off: %+v, wanted nothing on it", row)
	}
}

// A proxy in the environment, as Docker's configuration puts it into each container, is none for the lab's services.
func TestProxyOfTheEnvironmentIsNotAsked(t *testing.T) {
	t.Parallel()
	const nowhere = "http://127.0.0.2:9"
	args := []string{"exec"}
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"} {
		args = append(args, "-e", name+"="+nowhere)
	}
	rows := parseRows(t, docker(t, append(args, container("lab"), "lab", "latency", "--json")...))
	if row := rows["client-primary"]; row.RoundTripMS == nil {
		t.Errorf("%+v", row)
	}
}

func deref(ms *float64) float64 {
	if ms == nil {
		return math.NaN()
	}
	return *ms
}

func TestJitterBandwidthAndPresetsReplaceWhatWasThere(t *testing.T) {
	setLatency(t, "20ms", "client-primary", "--jitter", "5ms", "--bandwidth", "1000")
	set := link.Settings{LatencyMS: 20, JitterMS: 5, DownKBps: 1000, UpKBps: 1000}
	if row := links(t)["client-primary"]; row.Settings != set {
		t.Errorf("shown %+v, wanted 20 ms, jitter 5, 1000 KB/s", row)
	}
	conn, start := connect(t, "app", route{path: "direct", link: "client-primary"}.endpoint(t)), time.Now()
	one(t, conn, "SELECT repeat('x', 1000000)")
	if took := time.Since(start); took < 800*time.Millisecond {
		t.Errorf("1000 KB at 1000 KB/s took %v", took)
	}
	script(t, "latency", "7ms", "client-primary")
	if row := links(t)["client-primary"]; row.Settings != (link.Settings{LatencyMS: 7}) {
		t.Errorf("shown %+v, wanted 7 ms and nothing else", row)
	}
	presets, err := link.LoadPresets(root)
	if err != nil {
		t.Fatal(err)
	}
	listed := script(t, "latency", "presets")
	lines := map[string]string{}
	for _, preset := range presets {
		if preset.LatencyMS < 100 { // the slow ones are set alike, and take their time
			lines[preset.Name] = "latency " + preset.Name + " pgbouncer-transaction --json"
		}
	}
	answers := labSays(t, slices.Collect(maps.Values(lines))...)
	for _, preset := range presets {
		if line, set := lines[preset.Name]; set {
			row := parseRows(t, answers[line].out)["client-pgbouncer"]
			if row.Settings != preset.Settings {
				t.Errorf("preset %s: shown %+v, wanted %+v", preset.Name, row.Settings, preset.Settings)
			}
		}
		if !strings.Contains(listed, preset.Name) || !strings.Contains(strings.Join(strings.Fields(listed), " "),
			strings.Join(strings.Fields(preset.Source), " ")) {
			t.Errorf("'latency presets' lacks %s or its source", preset.Name)
		}
	}
}

// Replication goes over its link while there is latency on it, and is as late as was set.
func TestReplicationGoesOverItsLinkOnDemand(t *testing.T) {
	writer, reader, sees := connect(t, "app", primary), connect(t, "app", standby), connect(t, "monitor", primary)
	names := services(t)
	comesFrom := func(client, shown string) {
		t.Helper()
		testkit.Eventually(t, func() string {
			rows := table(t, sees, "SELECT host(client_addr) AS at FROM pg_stat_replication WHERE state = 'streaming'")
			if len(rows) != 1 {
				return fmt.Sprintf("%d standbys stream", len(rows))
			}
			return differs(names[rows[0]["at"]], client)
		})
		if row := links(t)["primary-standby"]; row.Replication != shown {
			t.Errorf("shown as %q, wanted %q", row.Replication, shown)
		}
	}
	comesFrom("standby", "straight")
	const latency = 400 * time.Millisecond
	setLatency(t, latency.String(), "primary-standby")
	comesFrom("toxiproxy", "over the link")
	if lag := replicationLag(t, writer, reader); lag < latency {
		t.Errorf("with %v on the link, a write shows on the standby after %v", latency, lag)
	}
	script(t, "latency", "0", "primary-standby")
	comesFrom("standby", "straight")
	script(t, "latency", "cut", "primary-standby")
	script(t, "latency", "off", "primary-standby")
	comesFrom("standby", "straight")
	replicationLag(t, writer, reader)
}

// replicationLag is the time from before a commit on the primary until the standby shows it.
func replicationLag(t *testing.T, writer, reader *pgx.Conn) time.Duration {
	t.Helper()
	const mark = "filler = 'lag'"
	shows := func(rows string) func() string {
		return func() string {
			return differs(one(t, reader, "SELECT count(*) FROM pgbench_history WHERE "+mark), rows)
		}
	}
	start := time.Now()
	one(t, writer, "INSERT INTO pgbench_history (filler) VALUES ('lag') RETURNING 1")
	testkit.Eventually(t, shows("1"))
	lag := time.Since(start)
	table(t, writer, "DELETE FROM pgbench_history WHERE "+mark)
	testkit.Eventually(t, shows("0"))
	return lag
}
