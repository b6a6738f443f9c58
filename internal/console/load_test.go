package console

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pooler-lab/internal/result"
	"pooler-lab/internal/topology"
	"pooler-lab/k6/summary"
	"pooler-lab/test/testkit"
)

// standInK6 prints a second of two paths ten times a second until it is interrupted.
const standInK6 = `
trap 'note interrupted; exit 105' INT
note "$LAB_LIVE"
while :; do
	echo '{"time":"2026-11-21T22:00:00Z","paths":{"direct":{"tps":800,"p50_ms":10.9,"p95_ms":12.1,"connect_ms":null,'\
'"errors":2,"codes":{"refused":2},"transactions":800,'\
'"response_time":{"counts":[0,0,0,0,0,0,300,500,0,0,0,0,0,0,0,0,0],"sum":8.5},"connect_time":{"sum":0}}}}'
	sleep 0.1
done
`

const someLoad = `{"workload": "select", "clients": 3, "paths": ["direct", "app-pool"], "keep": false,
 "loop": "closed"}`

func TestLoadStartsPausesGoesOnAndStops(t *testing.T) {
	t.Parallel()
	program, notes := standInProgram(t, "k6", standInK6)
	b := newBench(t, func(b *bench) { b.source.K6 = program })
	e := b.listen()
	if status, said := b.post("/api/load", someLoad); status != 200 || !strings.Contains(said, `"state":"starting"`) {
		t.Fatalf("%d %s", status, said)
	}
	state := func(want string) func() bool { return func() bool { return b.state().Load.State == want } }
	testkit.Until(b.t, "the load runs", state(LoadRunning))
	if !e.figures(t).Ticks[0].Gap {
		t.Error("the first second of a k6 doesn't say that there is a gap before it")
	}
	next := e.figures(t)
	if p := next.Ticks[0].Paths["direct"]; next.Ticks[0].Gap || p.TPS != 800 || *p.P50MS != 10.9 || p.ConnectMS != nil ||
		p.Codes["refused"] != 2 {
		t.Errorf("%+v", next.Ticks)
	}
	free := b.hold("lesson 00-tour")
	testkit.Until(b.t, "the load pauses", state(LoadPaused))
	if l := b.state().Load; !strings.Contains(l.Reason, "lesson 00-tour") || l.Clients != 3 {
		t.Errorf("%+v", l)
	}
	free()
	testkit.Until(b.t, "the load goes on", state(LoadRunning))
	b.post("/api/load", strings.Replace(someLoad, "3", "4", 1))
	testkit.Until(b.t,
		"another k6 takes its place",
		func() bool { l := b.state().Load; return l.State == LoadRunning && l.Clients == 4 },
	)
	b.post("/api/load/stop", ``)
	testkit.Until(b.t, "the load is off", state(LoadOff))
	told := noted(t, notes)
	if n := strings.Count(told, "interrupted"); n != 3 {
		t.Errorf("%d interrupts for three ends:\n%s", n, told)
	}
	for _, part := range []string{
		"run --quiet --no-color --summary-mode disabled --no-thresholds --out live=pg_response_time",
		"/k6/live.js",
		`"clients":3,"loop":"closed","keep":false,"rate":0,"scale":1`,
		`{"name":"direct","dsn":"host=toxiproxy port=15001 dbname=lab user=app sslmode=disable","pool":0}`, `"pool":3}`} {
		if !strings.Contains(told, part) {
			t.Errorf("k6 wasn't told %s:\n%s", part, told)
		}
	}
}

// figures waits for an update with figures.
func (e *events) figures(t *testing.T) update {
	t.Helper()
	return e.next(t, "figures come", func(next update) bool { return len(next.Ticks[0].Paths) > 0 })
}

func TestLoadSaysWhyK6Ended(t *testing.T) {
	t.Parallel()
	program, _ := standInProgram(t, "k6", "echo 'it is out of luck' >&2; exit 107\n")
	b := newBench(t, func(b *bench) { b.source.K6 = program })
	b.post("/api/load", someLoad)
	testkit.Until(b.t, "the load is off", func() bool {
		l := b.state().Load
		return l.State == LoadOff && l.Reason != ""
	})
	if reason := b.state().Load.Reason; reason != "k6 ended by itself, with code 107: it is out of luck" {
		t.Errorf("reason %q", reason)
	}
}

// What k6 says may be long, and the part of it that is kept begins with a whole letter.
func TestTailKeepsWholeLetters(t *testing.T) {
	t.Parallel()
	var said tail
	fmt.Fprint(&said, strings.Repeat("é", tailSize), "!")
	if text := said.String(); !utf8.ValidString(text) || text != strings.Repeat("é", tailSize/2-1)+"!" {
		t.Errorf("%q", text)
	}
}

// A second that k6 prints a little late leaves no hole, and one that piles up doesn't make the charts lag.
func TestSecondsAreToldOneByOne(t *testing.T) {
	t.Parallel()
	l := newLoad(&source{}, "", nil)
	l.k6, l.begun = LoadRunning, true
	say := func(tps float64) { l.hear(summary.Second{Paths: map[string]summary.PathSecond{"direct": {TPS: tps}}}) }
	told := func() string {
		paths, gap := l.take()
		if len(paths) == 0 {
			return "-"
		}
		return fmt.Sprint(paths["direct"].TPS, gap)
	}
	say(1)
	got := []string{told(), told()}
	say(2)
	say(3)
	got = append(got, told())
	say(4)
	got = append(got, told())
	say(5)
	say(6)
	got = append(got, told(), told(), told())
	if all := strings.Join(got, ", "); all != "1 true, -, 2 false, 3 false, 5 false, 6 false, -" {
		t.Error(all)
	}
}

// Without a word on it a load is gentle: all its paths share a fifth of what the slowest path takes.
func TestLoadIsGentleUnlessToldOtherwise(t *testing.T) {
	t.Parallel()
	set, err := topology.Load(repository)
	if err != nil {
		t.Fatal(err)
	}
	two := []string{"direct", "pgpool"}
	cases := []struct {
		name, workload, loop string
		paths                []string
		want                 string
	}{
		{"one path", "select", LoopOpen, two[:1], "direct: select, 600 iterations/s on each path"},
		{"two share it", "select", LoopOpen, two, "direct, pgpool: select, 300 iterations/s on each path"},
		{"another workload", "tpcb", LoopOpen, two, "direct, pgpool: tpcb, 40 iterations/s on each path"},
		{"as fast as it can", "select", LoopClosed, two, "direct, pgpool: select, as fast as it can, 1 client a path"},
	}
	for _, c := range cases {
		request := LoadRequest{Workload: c.workload, Clients: 1, Paths: c.paths, Loop: c.loop, Keep: true}
		if l, err := loadOf(request, set); err != nil || noteOf(l) != c.want {
			t.Errorf("%s: %+v, %v, wanted %s", c.name, l, err, c.want)
		}
	}
}

func TestLoadEndsWhenNobodyWatchesAnyMore(t *testing.T) {
	t.Parallel()
	program, _ := standInProgram(t, "k6", standInK6)
	b := newBench(t, func(b *bench) { b.source.K6 = program })
	p, _ := b.ready()
	b.hub.mu.Lock()
	b.hub.curious = 2 * time.Second
	b.hub.mu.Unlock()
	page := b.listen() // somebody watches
	b.post("/api/load", someLoad)
	running := func() bool { return p.load.describe().State == LoadRunning }
	testkit.Until(b.t, "the load runs", running)
	if what, ok := result.LiveLoad(b.results()); !ok ||
		what != "direct, app-pool: select, as fast as it can, 3 clients a path, "+
			"a new connection for each, which response times include" {
		t.Errorf("other programs are told %q, %v", what, ok)
	}
	time.Sleep(3 * time.Second) // longer than a load goes on that nobody watches
	if !running() {
		t.Fatal("it ended although a page watches")
	}
	page.leave()
	testkit.Until(b.t, "it ends by itself", func() bool { return p.load.describe().State == LoadOff })
	if reason := p.load.describe().Reason; !strings.Contains(reason, "nobody had watched it") {
		t.Errorf("reason %q", reason)
	}
	if what, ok := result.LiveLoad(b.results()); ok {
		t.Errorf("other programs are still told %q", what)
	}
}
