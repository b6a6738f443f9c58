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
)

// parseRows reads what `latency --json` printed, by link.
func parseRows(t *testing.T, text string) map[string]link.Row {
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
func links(t *testing.T) map[string]link.Row { return parseRows(t, script(t, "latency", "--json")) }

// setLatency runs scripts/latency; when the test ends, nothing is left on any link.
func setLatency(t *testing.T, args ...string) {
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
func calmest(t *testing.T, readings int) map[string]float64 {
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

// off says how a round trip differs from what it was and was asked to become; "" within 1.5 ms or 10 %.
func off(before, after, asked float64) string {
	if got := after - before; math.Abs(got-asked) > max(1.5, asked/10) {
		return fmt.Sprintf("its round trip changed by %.2f ms (%.2f to %.2f), asked was %.0f", got, before, after, asked)
	}
	return ""
}

func TestLatencyChangesItsOwnLinkAndNoOther(t *testing.T) {
	setLatency(t, "off")
	before := calmest(t, 3)
	if len(before) < 8 {
		t.Fatalf("only %v could be measured", before)
	}
	asked := []int{10, 1, 25, 60}
	for i, name := range slices.Sorted(maps.Keys(before)) {
		t.Run(name, func(t *testing.T) {
			ms := asked[i%len(asked)]
			setLatency(t, fmt.Sprintf("%dms", ms), name)
			var wrong string
			for range 4 { // a busy moment of the machine isn't the link's
				if wrong = compare(before, calmest(t, 1), name, ms); wrong == "" {
					break
				}
			}
			if wrong != "" {
				t.Error(wrong)
			}
		})
	}
	eventually(t, 10*time.Second, func() string { return compare(before, calmest(t, 1), "", 0) })
}

// compare says what differs from before, apart from what was asked of one link.
func compare(before, after map[string]float64, changed string, ms int) string {
	var wrong []string
	for name := range before {
		asked := 0
		if name == changed {
			asked = ms
		}
		if said := off(before[name], after[name], float64(asked)); said != "" {
			wrong = append(wrong, name+": "+said)
		}
	}
	return strings.Join(wrong, "\n")
}

// roundTrip is the smallest of a few SELECT 1 on an open connection, in ms.
func roundTrip(t *testing.T, conn *pgx.Conn) float64 {
	t.Helper()
	least := math.Inf(1)
	for range 7 {
		start := time.Now()
		one(t, conn, "SELECT 1")
		least = min(least, float64(time.Since(start).Microseconds())/1000)
	}
	return least
}

// Latency by the path's name acts at once on connections that are open, on the way over the link, and not on the
// way without latency.
func TestLatencyActsOnLiveConnectionsOfItsPath(t *testing.T) {
	plain := map[string]string{"pgbouncer-transaction-near-app": "pgbouncer-transaction",
		"pgbouncer-session-near-app": "pgbouncer-session", "pgpool-near-app": "pgpool"}
	for _, r := range routes {
		if r.link == "" {
			continue
		}
		t.Run(r.path, func(t *testing.T) {
			without := route{path: r.path}
			if name, near := plain[r.path]; near {
				without.path = name
			}
			over, beside := connect(t, "app", r.endpoint(t)), connect(t, "app", without.endpoint(t))
			overBefore, besideBefore := roundTrip(t, over), roundTrip(t, beside)
			setLatency(t, "20ms", r.path)
			if wrong := off(overBefore, roundTrip(t, over), 20); wrong != "" {
				t.Errorf("over %s: %s", r.link, wrong)
			}
			if wrong := off(besideBefore, roundTrip(t, beside), 0); wrong != "" {
				t.Errorf("without latency: %s", wrong)
			}
			script(t, "latency", "off", r.path)
			if wrong := off(overBefore, roundTrip(t, over), 0); wrong != "" {
				t.Errorf("over %s, switched off: %s", r.link, wrong)
			}
		})
	}
}

// Toxiproxy is the truth: what its own client sets is seen and measured, and it sees what the lab sets.
func TestToxiproxysOwnClientIsSeen(t *testing.T) {
	setLatency(t, "10ms", "client-standby")
	before := links(t)["client-standby"]
	inside(t, "toxiproxy", "toxiproxy-cli", "toxic", "add", "-n", "someone_elses", "-t", "latency", "-a", "latency=30",
		"--upstream", "client-standby")
	row := links(t)["client-standby"]
	if row.LatencyMS != 40 || row.RoundTripMS == nil || *row.RoundTripMS < *before.RoundTripMS+28 {
		t.Errorf("the lab's 10 ms and someone else's 30: shown %d ms, measured %v, before %v", row.LatencyMS,
			deref(row.RoundTripMS), deref(before.RoundTripMS))
	}
	inside(t, "toxiproxy", "toxiproxy-cli", "toxic", "remove", "-n", "someone_elses", "client-standby")
	if row := links(t)["client-standby"]; row.LatencyMS != 10 || *row.RoundTripMS > *before.RoundTripMS+10 {
		t.Errorf("someone else's taken off: shown %d ms, measured %v, before %v", row.LatencyMS, deref(row.RoundTripMS),
			deref(before.RoundTripMS))
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

func deref(ms *float64) float64 {
	if ms == nil {
		return math.NaN()
	}
	return *ms
}

func TestCutEndsConnectionsAndRestoreLetsThemIn(t *testing.T) {
	door := route{path: "direct", link: "client-primary"}.endpoint(t)
	conn := connect(t, "app", door)
	setLatency(t, "cut", "client-primary")
	if _, err := tryTable(t, conn, "SELECT 1"); err == nil {
		t.Error("an open connection outlived the cut")
	}
	if _, err := tryConnect(t, "app", door); err == nil {
		t.Error("a new connection came through the cut link")
	}
	if row := links(t)["client-primary"]; !row.Cut || row.Problem != "cut" {
		t.Errorf("shown as %+v, wanted cut", row)
	}
	script(t, "latency", "5ms", "client-primary")
	if row := links(t)["client-primary"]; !row.Cut || row.LatencyMS != 5 {
		t.Errorf("latency set on a cut link: %+v, wanted it cut still", row)
	}
	script(t, "latency", "restore", "direct")
	if row := links(t)["client-primary"]; row.Cut || row.LatencyMS != 5 || deref(row.RoundTripMS) < 5 {
		t.Errorf("restored: %+v, wanted its 5 ms back", row)
	}
	one(t, connect(t, "app", door), "SELECT 1")
}

func TestJitterBandwidthAndPresetsReplaceWhatWasThere(t *testing.T) {
	setLatency(t, "20ms", "client-primary", "--jitter", "5ms", "--bandwidth", "1000")
	if row := links(t)["client-primary"]; row.LatencyMS != 20 || row.JitterMS != 5 || row.DownKBps != 1000 ||
		row.UpKBps != 1000 {
		t.Errorf("shown %+v, wanted 20 ms, jitter 5, 1000 KB/s", row)
	}
	conn, start := connect(t, "app", route{path: "direct", link: "client-primary"}.endpoint(t)), time.Now()
	one(t, conn, "SELECT repeat('x', 1000000)")
	if took := time.Since(start); took < 800*time.Millisecond || took > 3*time.Second {
		t.Errorf("1000 KB at 1000 KB/s took %v", took)
	}
	script(t, "latency", "7ms", "client-primary")
	if row := links(t)["client-primary"]; row.LatencyMS != 7 || row.JitterMS != 0 || row.DownKBps != 0 || row.UpKBps != 0 {
		t.Errorf("shown %+v, wanted 7 ms and nothing else", row)
	}
	presets, err := link.LoadPresets(root)
	if err != nil {
		t.Fatal(err)
	}
	listed := script(t, "latency", "presets")
	for _, preset := range presets {
		if preset.LatencyMS < 100 { // the slow ones are set alike, and take their time
			row := parseRows(t, script(t, "latency", preset.Name, "pgbouncer-transaction", "--json"))["client-pgbouncer"]
			if got := (link.Settings{LatencyMS: row.LatencyMS, JitterMS: row.JitterMS, DownKBps: row.DownKBps,
				UpKBps: row.UpKBps}); got != preset.Settings() {
				t.Errorf("preset %s: shown %+v, wanted %+v", preset.Name, got, preset.Settings())
			}
		}
		if !strings.Contains(listed, preset.Name) || !strings.Contains(strings.Join(strings.Fields(listed), " "),
			strings.Join(strings.Fields(preset.Source), " ")) {
			t.Errorf("'latency presets' lacks %s or its source", preset.Name)
		}
	}
}

// Replication goes over its link while there is latency on it, and is as late as was asked.
func TestReplicationGoesOverItsLinkOnDemand(t *testing.T) {
	writer, reader, sees := connect(t, "app", primary), connect(t, "app", standby), connect(t, "monitor", primary)
	names := services(t)
	from := func() string {
		return names[one(t, sees, "SELECT host(client_addr) FROM pg_stat_replication WHERE state = 'streaming'")]
	}
	if sender := from(); sender != "standby" {
		t.Errorf("replication goes to %s, wanted straight to the standby", sender)
	}
	setLatency(t, "400ms", "primary-standby")
	if sender := from(); sender != "toxiproxy" {
		t.Errorf("with latency on primary-standby, replication goes to %s, wanted toxiproxy", sender)
	}
	if lag := replicationLag(t, writer, reader); lag < 300*time.Millisecond || lag > 2*time.Second {
		t.Errorf("with 400 ms on the link, a write shows on the standby after %v", lag)
	}
	if row := links(t)["primary-standby"]; row.Replication != "over the link" {
		t.Errorf("shown as %q, wanted over the link", row.Replication)
	}
	script(t, "latency", "off", "primary-standby")
	if sender := from(); sender != "standby" {
		t.Errorf("switched off, replication goes to %s, wanted straight to the standby", sender)
	}
	if lag := replicationLag(t, writer, reader); lag > 250*time.Millisecond {
		t.Errorf("switched off, a write shows on the standby after %v", lag)
	}
	if row := links(t)["primary-standby"]; row.Replication != "straight" {
		t.Errorf("shown as %q, wanted straight", row.Replication)
	}
}

// replicationLag is the time from a commit on the primary until the standby shows it.
func replicationLag(t *testing.T, writer, reader *pgx.Conn) time.Duration {
	t.Helper()
	const mark = "filler = 'lag'"
	one(t, writer, "INSERT INTO pgbench_history (filler) VALUES ('lag') RETURNING 1")
	start := time.Now()
	for one(t, reader, "SELECT count(*) FROM pgbench_history WHERE "+mark) == "0" {
		if time.Since(start) > 10*time.Second {
			t.Fatal("a write doesn't show on the standby within 10 s")
		}
		time.Sleep(10 * time.Millisecond)
	}
	lag := time.Since(start)
	table(t, writer, "DELETE FROM pgbench_history WHERE "+mark)
	for one(t, reader, "SELECT count(*) FROM pgbench_history WHERE "+mark) != "0" {
		if time.Since(start) > 20*time.Second {
			t.Fatal("a DELETE doesn't show on the standby within 10 s")
		}
		time.Sleep(10 * time.Millisecond)
	}
	return lag
}

// Bad input is one clear error, and changes nothing.
func TestLatencyRefusesBadInput(t *testing.T) {
	setLatency(t, "3ms", "client-primary")
	before := inside(t, "toxiproxy", "toxiproxy-cli", "inspect", "client-primary")
	cases := map[string]struct{ args, says string }{
		"no number":             {"10parsecs client-primary", `"10parsecs" is no latency: say 10ms, 10 or 0.01s`},
		"negative":              {"-5ms client-primary", "-5ms is negative"},
		"half a millisecond":    {"1.5ms client-primary", "say 1ms or 2ms"},
		"too long":              {"11m client-primary", "more than 10 minutes"},
		"no link":               {"10ms", "on which link?"},
		"two words":             {"10 ms client-primary", "write 10ms in one word"},
		"latency last":          {"client-primary 10ms", "the latency comes first: scripts/latency 10ms client-primary"},
		"first word of paths":   {"10ms pgbouncer", "did you mean one of the paths pgbouncer-transaction, "},
		"unknown link":          {"10ms client-primry", "did you mean client-primary?"},
		"unknown path":          {"10ms drect", "did you mean direct?"},
		"one of two unknown":    {"10ms client-primary nowhere", `unknown link or path "nowhere"`},
		"a path without a link": {"10ms socket", "path socket has no link"},
		"unknown preset":        {"satelite client-primary", "did you mean satellite?"},
		"jitter no number":      {"10ms client-primary --jitter much", "jitter"},
		"jitter above latency":  {"10ms client-primary --jitter 20ms", "jitter of 20 ms is more than the latency of 10 ms"},
		"jitter alone":          {"--jitter 5ms", "go with a latency and a link"},
		"jitter without time":   {"client-primary --jitter 5ms", "a latency is missing before client-primary"},
		"no bandwidth":          {"10ms client-primary --bandwidth 0", `bandwidth "0"`},
		"bandwidth no number":   {"10ms client-primary --bandwidth fast", `bandwidth "fast"`},
		"cut what":              {"cut", "on which link?"},
		"cut unknown":           {"cut nowhere", `unknown link or path "nowhere"`},
		"restore unknown":       {"restore nowhere", `unknown link or path "nowhere"`},
		"off unknown":           {"off nowhere", `unknown link or path "nowhere"`},
		"unknown option":        {"10ms client-primary --delay", "unknown flag: --delay"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if said := refused(t, nil, "latency", strings.Fields(c.args)...); !strings.Contains(said, c.says) {
				t.Errorf("said %q\nwanted %q", said, c.says)
			}
		})
	}
	if after := inside(t, "toxiproxy", "toxiproxy-cli", "inspect", "client-primary"); after != before {
		t.Errorf("a refusal changed the link\nbefore %s\nafter %s", before, after)
	}
}
