package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/link"
	"pooler-lab/internal/plan"
	"pooler-lab/internal/result"
	"pooler-lab/internal/sample"
	"pooler-lab/internal/server"
	"pooler-lab/internal/topology"
	"pooler-lab/internal/trial"
)

// k6StandIn stands in for k6: it does what STANDIN says and writes a summary such as its output lab does. It notes each
// SIGINT in the file signals beside the summary.
const k6StandIn = `#!/usr/bin/env bash
set -u
summary=$(sed -n 's/.*--out lab=\([^ ]*\).*/\1/p' <<<"$*")
signals=$(dirname "$summary")/signals
report() {
	echo "{\"sides\": [$(side "$@")]}" >"$summary"
}
side() {
	cat <<END
{"window": {"start": "2026-11-21T16:00:00.5Z", "end": "2026-11-21T16:00:01.5Z", "seconds": 1,
  "ready": 1, "failed": 0},
 "errors": $1, "finish": ${3-null},
 "trends": {"pg_statement": {
  "measure": {"count": 50, "min": 1, "avg": 2, "med": 2, "p90": 3, "p95": 3, "p99": 4, "max": 5}}},
 "counters": {"pg_transactions": {"whole": 55, "measure": $2}, "pg_prepare_transactions": {"whole": 1},
  "pg_connections": {"whole": 1}, "pg_round_trips": {"measure": 50}},
 "first_connects": {"pg_connect": {"count": 1, "med": 9}}, "later_connects": {"pg_connect": {"count": 4, "med": 2}},
 "statements": {"read": {"count": 50, "med": 1}}}
END
}
# groups N writes lines of N groups in which the first side does about 4 in 5 of what the second does. A pair that is
# to end by itself has GROUPS_MOST; another one goes on until the stop file is there.
told() { sed -n 's/.*"'"$1"'":"\([^"]*\)".*/\1/p' <<<"$LAB_TRIAL"; }
groups() {
	local n side='"seconds": 0.46, "trends": {}, "counters": {"pg_transactions":'
	for ((n = 1; n <= $1; n++)); do
		[ -e "$(told stop_file)" ] && break
		echo "{\"number\": $n, \"order\": \"ABBA\", \"start\": \"2026-11-21T16:00:00Z\"," \
			"\"end\": \"2026-11-21T16:00:0$((n % 8 + 1))Z\"," \
			"\"sides\": [{$side $((80 + n % 3 * ${NOISE-1}))}}, {$side 100}}]}" >>"$(told groups_file)"
	done
}
pair() {
	echo "{\"sides\": [$(side '[]' 50), $(side '[]' 50)]," \
		"\"slot_ms\": 230, \"median_ms\": [1, 2], \"groups\": 1, \"too_slow\": \"$1\"}" >"$summary"
}
if [ -n "${LAB_TRIAL-}" ]; then
	case $STANDIN in
	nonsense)
		groups 2
		echo nonsense >>"$(told groups_file)"
		until [ -e "$(told stop_file)" ]; do sleep 0.02; done
		pair ''
		exit 0
		;;
	events | dropping) # two cells that run at once, until the last event is over
		printf 2026-11-21T16:00:00.5Z >"$(told opened_file).new"
		mv "$(told opened_file).new" "$(told opened_file)"
		until [ -e "$(told stop_file)" ]; do sleep 0.02; done
		{
			echo cell,path,workload,client,number,begin,end,outcome,server,transaction,warning
			row() { echo "$1,direct,$2,$3,$4,2026-11-21T16:00:00.6Z,2026-11-21T16:00:00.7Z,$5,primary,7,"; }
			row 0 write 1 1 ok
			[ "$STANDIN" = dropping ] || row 0 write 1 2 ok
			row 0 write 1 3 57P01
			row 1 read 2 1 ok
		} >"${summary%.json}.csv"
		echo "{\"sides\": [$(side '[]' 50), $(side '[]' 50)]}" |
			sed '0,/"counters": {/ s//"counters": {"pg_iterations": {"whole": 2}, /' |
			sed 's/"counters": {"pg_transactions"/"counters": {"pg_iterations": {"whole": 1}, "pg_transactions"/' >"$summary"
		exit 0
		;;
	slow) pair 'an iteration of the side \"of\" takes 60ms'; exit 0 ;;
	never) pair '", "failure": "no client of the side \"to\" is ready'; exit 0 ;;
	gone) pair '", "failure": "no client of the side \"to\" is left'; exit 0 ;;
	waits | stuck)
		trap 'pair ""; exit 105' INT
		groups 5
		touch "$signals"
		until [ "$STANDIN" = waits ] && [ -e "$(told stop_file)" ]; do sleep 0.02; done
		pair ''
		exit 0
		;;
	broken) ;;
	*)
		groups "${GROUPS_MOST-100}"
		while [ -z "${GROUPS_MOST-}" ] && ! [ -e "$(told stop_file)" ]; do sleep 0.02; done
		pair ''
		exit 0
		;;
	esac
fi
refused='[{"phase": "measure", "code": "53300", "count": 9, "message": "too many clients"}]'
case $STANDIN in
slow | gone | never | nonsense) report '[]' 50 ;;
good | events | dropping) report '[]' 50 ;;
errors) report '[{"phase": "measure", "code": "57P01", "count": 2, "message": "terminating connection"}]' 50 ;;
nothing) report "$refused" 0 ;;
finished)
	report '[]' 50 '{"connected_seconds": 0.5, "connected": 1, "finished": 1, "starved": 0, "seconds": 2,
		"tps_with_connect": 25, "tps": 33, "mean_connect_seconds": 0.5}' ;;
shutout)
	report "$refused" 0 '{"connected_seconds": 0, "connected": 0, "finished": 0, "starved": 1, "seconds": 1,
		"tps_with_connect": 0, "tps": 0}' ;;
mistaken | mistaken-finish)
	case $STANDIN in
	mistaken) report '[]' 0 ;;
	*) report '[]' 0 '{"connected": 1, "starved": 1, "seconds": 1}' ;;
	esac
	echo 'level=error msg="TypeError: Not \"a\" function\n\tat attempt (lab.js:298:33(27))\n\tat warmUp (lab.js:1)\n"' \
		'hint="script exception"' >&2
	;;
broken) echo 'ReferenceError: pg is not defined' >&2; exit 107 ;;
mute) exit 0 ;;
waits)
	trap 'echo SIGINT >>"$signals"; report "[]" 50; sleep 0.3; exit 105' INT
	touch "$signals"
	while :; do sleep 0.02; done ;;
esac
`

// linksStandIn stands in for toxiproxy.
type linksStandIn struct {
	mu        sync.Mutex
	latency   map[string]float64
	set       map[string]link.Settings // last
	snapshots int
	swap      func(snapshot int, latency map[string]float64) // someone else's doing, before each snapshot
	put       []link.Snapshot
	stalled   string // a link
}

func (s *linksStandIn) Snapshot(ctx context.Context) (link.Snapshot, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if s.stalled != "" {
		return nil, &link.StalledError{Link: s.stalled}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.snapshots++
	if s.swap != nil {
		s.swap(s.snapshots, s.latency)
	}
	var all link.Snapshot
	for _, name := range []string{"client-primary", "client-standby", "primary-standby"} {
		p := link.Proxy{Name: name, Enabled: true}
		if ms := s.latency[name]; ms > 0 {
			p.Toxics = []link.Toxic{{Name: "latency_downstream", Type: "latency", Stream: "downstream", Toxicity: 1,
				Attributes: map[string]any{"latency": float64(ms), "jitter": 0.0}}}
		}
		all = append(all, p)
	}
	return all, nil
}

func (s *linksStandIn) Put(_ context.Context, found link.Snapshot) error {
	s.put = append(s.put, found)
	return nil
}

func (s *linksStandIn) Off(_ context.Context, l string) error {
	delete(s.latency, l)
	return nil
}

func (s *linksStandIn) Set(_ context.Context, l string, to link.Settings) error {
	s.latency[l], s.set[l] = to.LatencyMS, to
	return nil
}

// serversStandIn stands in for the servers.
type serversStandIn struct {
	facts     []result.Fact
	roundTrip float64
	counts    []result.Count
	deaf      error // what counting after the load gives
	prepared  []server.Preparation
	changed   string          // which settings somebody turned meanwhile
	marks     map[string]bool // that are found after a trial with events
	restored  int

	reconciled [][]result.Counted // of each trial
}

func (w *serversStandIn) Prepare(_ context.Context, p server.Preparation, _ ...*server.Side) error {
	w.prepared = append(w.prepared, p)
	return nil
}

func (w *serversStandIn) Changed(context.Context) (string, error) { return w.changed, nil }

func (w *serversStandIn) Restore(context.Context) error {
	w.restored++
	return nil
}

func (w *serversStandIn) CountHistory(_ context.Context, k6 int64) (result.Count, error) {
	return result.Count{What: "rows", K6: k6, Server: 55, Equal: k6 == 55}, nil
}

func (w *serversStandIn) Marks(context.Context) (map[string]bool, error) { return w.marks, nil }

func (w *serversStandIn) Begin(_ context.Context, sides ...*server.Side) error {
	for _, s := range sides {
		s.Facts = w.facts
		s.RoundTrip = &result.RoundTrip{SetMS: s.Route.SetMS, MeasuredMS: w.roundTrip, Samples: 9}
	}
	return nil
}

func (w *serversStandIn) Reconcile(_ context.Context, k6 []result.Counted, sides ...*server.Side) error {
	w.reconciled = append(w.reconciled, k6)
	for _, s := range sides {
		s.Counts = w.counts
	}
	return w.deaf
}

func (w *serversStandIn) SamplePooler(context.Context, server.Route) (result.Pooler, error) {
	return result.Pooler{}, w.deaf
}

// newRunner makes a runner of cells over the direct path, with stand-ins for everything outside this program.
func newRunner(t *testing.T, behaviour string, cells ...lesson.Cell) (*runner, *linksStandIn, *serversStandIn) {
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "k6"), []byte(k6StandIn), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("STANDIN", behaviour)
	results := t.TempDir()
	id, started, err := result.NewFolder(results, "00-tour")
	if err != nil {
		t.Fatal(err)
	}
	set := &topology.Set{Links: []topology.Link{{Name: "client-primary", Upstream: "primary:5432"},
		{Name: "client-standby", Upstream: "standby:5432"}, {Name: "pgbouncer-primary", Upstream: "primary:5432"}},
		Paths: []topology.Path{{Name: "direct", Meaning: "no pooler", Database: "postgresql",
			Services: []string{"primary"}, Pools: "none",
			Plain: topology.Endpoint{Host: "primary", Port: 5432, DBName: "lab"},
			Over: []topology.Over{{Links: []string{"client-primary"},
				Endpoint: topology.Endpoint{Host: "toxiproxy", Port: 15001, DBName: "lab"}}}},
			{Name: "pooled", Meaning: "a pooler", Database: "postgresql", Services: []string{"pgbouncer", "primary"},
				Pools: "transaction", Pooler: "pgbouncer", Plain: topology.Endpoint{Host: "pgbouncer", Port: 6432, DBName: "lab"},
				Over: []topology.Over{{Links: []string{"pgbouncer-primary"},
					Endpoint: topology.Endpoint{Host: "pgbouncer", Port: 6432, DBName: "lab_far"}}}}}}
	p := &plan.Plan{Lesson: &lesson.Lesson{About: lesson.About{Name: "00-tour", Title: "t", Question: "q?",
		File:   "/lab/x.js",
		SHA256: "0000000000000000000000000000000000000000000000000000000000000000"}},
		Cells: cells, Paths: []result.Path{{Name: "direct", Database: "postgresql"}}}
	doc := p.Document(7)
	doc.ID, doc.Started = id, started
	doc.Manifest = result.Manifest{
		Versions: map[string]string{}, Authentication: []result.Login{}, MaxConnections: map[string]string{},
		Limits: []result.Limit{}, Host: result.Host{CPUs: 1},
	}
	sampler := sample.NewResources(topology.Docker{URL: "http://127.0.0.1:1", Project: "lab"}, nil)
	t.Cleanup(sampler.Close)
	sessions := sample.NewSessions(func(string) string { return "host=127.0.0.1 port=1 user=lab sslmode=disable" }, "",
		topology.Roles())
	t.Cleanup(sessions.Close)
	links, servers := &linksStandIn{latency: map[string]float64{}, set: map[string]link.Settings{}},
		&serversStandIn{roundTrip: 0.2}
	folder := filepath.Join(results, id)
	if err := os.Mkdir(filepath.Join(folder, trial.K6Folder), 0o755); err != nil {
		t.Fatal(err)
	}
	progress := newProgress(t.Output(), doc, 0)
	lab := &trial.Lab{Set: set, Links: links, Servers: servers, Sampler: sampler, Sessions: sessions, Script: "/lab/x.js",
		Folder: folder, Seed: doc.Seed, Phase: progress.enter, Groups: progress.groups}
	r := &runner{lab: lab, progress: progress, doc: doc}
	lab.NotRestored = r.notRestored
	return r, links, servers
}

// plain is a cell without latency.
func plain(id string) lesson.Cell {
	return lesson.Cell{ID: id, Experiment: "g", Path: "direct", Workload: "select", Clients: 1, Protocol: "simple",
		Role: "app", Shared: lesson.Shared{Seconds: 1}, Wanted: 1}
}

// slow is a cell with 10 ms.
func slow(id string) lesson.Cell {
	c := plain(id)
	c.Latency, c.Link = lesson.Number(10), "client-primary"
	return c
}

var errDown = errors.New("the primary is down")

func flagKinds(r result.Repeat) []string {
	var kinds []string
	for _, f := range r.Flags {
		kinds = append(kinds, string(f.Kind))
	}
	slices.Sort(kinds)
	return kinds
}
