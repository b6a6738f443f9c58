package test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"pooler-lab/internal/link"
	"pooler-lab/internal/wan"
	"pooler-lab/test/testkit"
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

// early is how much faster than it is set a link may be, in ms: see wan.MostEarly.
const early = float64(wan.MostEarly) / float64(time.Millisecond)

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

// Each link has the latency that was set on it, and no other one. Jitter, bandwidth and presets take its place.
func TestLatencyIsSetOnItsOwnLink(t *testing.T) {
	setLatency(t, "off")
	set := map[string]float64{}
	for i, name := range slices.Sorted(maps.Keys(links(t))) {
		set[name] = 1.5 * float64(i+1)
		inside(t, "lab", "lab", "latency", fmt.Sprintf("%gms", set[name]), name)
	}
	if len(set) < 8 {
		t.Fatalf("there are only %v", set)
	}
	for name, row := range links(t) {
		if row.LatencyMS != set[name] || row.RoundTripMS != nil && *row.RoundTripMS < set[name]-early {
			t.Errorf("%s: set %g ms, shown %+v", name, set[name], row)
		}
	}
	const changed = "client-primary"
	script(t, "latency", "20ms", changed, "--jitter", "5ms", "--bandwidth", "1000")
	want := link.Settings{LatencyMS: 20, JitterMS: 5, DownKBps: 1000, UpKBps: 1000}
	if row := links(t)[changed]; row.Settings != want {
		t.Errorf("%s is shown as %+v, wanted %+v", changed, row, want)
	}
	presets, err := link.LoadPresets(root)
	if err != nil {
		t.Fatal(err)
	}
	oneLine := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	listed := oneLine(script(t, "latency", "presets"))
	for _, preset := range presets {
		if !strings.Contains(listed, preset.Name) || !strings.Contains(listed, oneLine(preset.Source)) {
			t.Errorf("'latency presets' lacks %s or its source", preset.Name)
		}
	}
	script(t, "latency", presets[0].Name, "direct")
	if row := links(t)[changed]; row.Settings != presets[0].Settings {
		t.Errorf("%s is shown as %+v, wanted the preset %+v", changed, row, presets[0])
	}
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
	for _, r := range routes(t) {
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
		if took := roundTrip(t, over[path]); took < ms-early {
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

// What is written on the primary shows on the standby, which takes no writes itself. Replication goes over its link
// while there is latency on it, and is as late as half of a round trip.
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
	if lag := replicationLag(t, writer, reader); lag < latency/2-wan.MostEarly {
		t.Errorf("with %v on the link, a write shows on the standby after %v", latency, lag)
	}
	script(t, "latency", "0", "primary-standby")
	comesFrom("standby", "straight")
	script(t, "latency", "cut", "primary-standby")
	script(t, "latency", "off", "primary-standby")
	comesFrom("standby", "straight")
	replicationLag(t, writer, reader)
	_, err := tryTable(t, reader, "DELETE FROM pgbench_history")
	if err == nil || !strings.Contains(err.Error(), "25006") {
		t.Errorf("a write on the standby: %v, wanted SQLSTATE 25006", err)
	}
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

// BenchmarkRoundTripAsSet measures what a link adds to a SELECT 1 beside the direct path, each after the other.
func BenchmarkRoundTripAsSet(b *testing.B) {
	e, err := paths(b).Find("direct")
	if err != nil {
		b.Fatal(err)
	}
	over, err := e.Endpoint("client-primary")
	if err != nil {
		b.Fatal(err)
	}
	slow, quick := connect(b, "app", over), connect(b, "app", primary)
	for _, set := range []float64{0.5, 1, 2, 5, 10, 20, 50, 80, 200} {
		setLatency(b, fmt.Sprintf("%gms", set), "client-primary")
		var with, without []float64
		for range max(20, 200/int(max(1, set/10))) {
			with, without = append(with, roundTrip(b, slow)), append(without, roundTrip(b, quick))
		}
		slices.Sort(with)
		slices.Sort(without)
		at := func(all []float64, share float64) float64 { return all[int(share*float64(len(all)-1))] }
		base := at(without, 0.5)
		b.Logf("%g ms set: p5 %.3f, median %.3f, p95 %.3f ms beside direct's %.3f", set, at(with, 0.05)-base,
			at(with, 0.5)-base, at(with, 0.95)-base, base)
		within := max(0.1, 0.03*set)
		figure(b, fmt.Sprintf("round trip, %g ms set", set), at(with, 0.5)-base, " ms", set-within, set+within)
	}
}

// BenchmarkBesideStock measures what a link costs beside a proxy of toxiproxy's own to the same server: without
// latency, and with 10 ms, which the other one has from a stock toxic. They alternate.
func BenchmarkBesideStock(b *testing.B) {
	const stock, port = "stock", 15990
	cli := func(args ...string) { inside(b, "toxiproxy", append([]string{"toxiproxy-cli"}, args...)...) }
	cli("create", "-l", fmt.Sprintf("0.0.0.0:%d", port), "-u", "primary:5432", stock)
	b.Cleanup(func() { cli("delete", stock) })
	own, err := paths(b).Link("client-primary")
	if err != nil {
		b.Fatal(err)
	}
	pgbench := func(transactions int) []string {
		return []string{"pgbench", "-n", "-S", "-c", "10", "-t", fmt.Sprint(transactions)}
	}
	const megabytes = "COPY (SELECT repeat('x', 1000) FROM generate_series(1, 200000)) TO STDOUT"
	for _, test := range []struct {
		name    string
		ms      int
		program []string
		count   float64
		unit    string
		mostCPU float64
	}{
		{"10 readers", 0, pgbench(3000), 30000, "read", 1.2},
		{"200 MB", 0, []string{"psql", "-qo", "/dev/null", "-c", megabytes}, 200, "MB", 1.2},
		// The kernel's timers cost more than Go's, which are late.
		{"10 readers at 10 ms", 10, pgbench(200), 2000, "read", 2},
	} {
		if test.ms > 0 {
			setLatency(b, fmt.Sprintf("%dms", test.ms), own.Name)
			cli("toxic", "add", "-t", "latency", "-a", fmt.Sprintf("latency=%d", test.ms), stock)
		}
		var times, cpus []float64    // of the link, to those of the other
		var ownSum, stockSum float64 // of CPU time
		for range 5 {
			ownTime, ownCPU := through(b, own.Port(), test.program)
			time, cpu := through(b, port, test.program)
			times, cpus = append(times, ownTime/time), append(cpus, ownCPU/cpu)
			ownSum, stockSum = ownSum+ownCPU, stockSum+cpu
		}
		slices.Sort(times)
		slices.Sort(cpus)
		each := 1e6 / (float64(len(cpus)) * test.count)
		b.Logf("%s: time %.2f, CPU %.2f of stock's; CPU a %s: %.0f us, stock's %.0f us", test.name, times, cpus,
			test.unit, ownSum*each, stockSum*each)
		figure(b, test.name+": time, to stock's", times[2], "", 0, 1.1)
		figure(b, test.name+": CPU, to stock's", cpus[2], "", 0, test.mostCPU)
	}
}

// through runs a program over a port of toxiproxy, and says how long it and how much CPU time toxiproxy took, in s.
func through(b *testing.B, port int, program []string) (took, cpu float64) {
	b.Helper()
	used := func() (ticks float64) {
		for _, line := range strings.Split(inside(b, "toxiproxy", "sh", "-c", "cat /proc/[0-9]*/stat"), "\n") {
			if fields := strings.Fields(line); len(fields) > 14 && fields[1] == "(toxiproxy-serve)" {
				user, _ := strconv.ParseFloat(fields[13], 64)
				system, _ := strconv.ParseFloat(fields[14], 64)
				ticks = user + system
			}
		}
		return ticks / 100
	}
	args := []string{"exec", "-e", "PGHOST=toxiproxy", "-e", fmt.Sprintf("PGPORT=%d", port), "-e", "PGUSER=app",
		"-e", "PGDATABASE=lab", "-e", "PGSSLMODE=disable", "-e", "PGPASSWORD=" + password("app"), container("lab")}
	before, begun := used(), time.Now()
	docker(b, append(args, program...)...)
	took = time.Since(begun).Seconds()
	return took, used() - before
}
