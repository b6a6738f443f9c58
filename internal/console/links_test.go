package console

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"pooler-lab/internal/link"
	"pooler-lab/internal/topology"
	"pooler-lab/test/testkit"
)

func TestSwapActsOnToxiproxyAndIsSeen(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	steps := []struct {
		address, body string
		want          link.Settings
		cut           bool
	}{
		{"/api/links/client-primary", `{"latency_ms": 10}`, link.Settings{LatencyMS: 10}, false},
		{"/api/links/client-primary", `{"jitter_ms": 4}`, link.Settings{LatencyMS: 10, JitterMS: 4}, false},
		{"/api/links/client-primary", `{"latency_ms": 3}`, link.Settings{LatencyMS: 3, JitterMS: 3}, false},
		{
			"/api/links/client-primary",
			`{"latency_ms": 0, "down_kbps": 500, "up_kbps": 100}`,
			link.Settings{DownKBps: 500, UpKBps: 100},
			false,
		},
		{
			"/api/links/client-primary",
			`{"latency_ms": 79, "down_kbps": 0, "up_kbps": 0}`,
			link.Settings{LatencyMS: 79},
			false,
		},
		{"/api/links/client-primary/cut", ``, link.Settings{LatencyMS: 79}, true},
		{"/api/links/client-primary/reset", `{}`, link.Settings{LatencyMS: 79}, true},
		{"/api/links/client-primary/restore", `{}`, link.Settings{LatencyMS: 79}, false},
		{"/api/links/client-primary/reset", `{}`, link.Settings{LatencyMS: 79}, false},
	}
	for _, s := range steps {
		status, said := b.post(s.address, s.body)
		if status != 200 || !strings.Contains(said, `"name":"client-primary"`) {
			t.Fatalf("%s %s: %d %s", s.address, s.body, status, said)
		}
		if s.cut && !strings.Contains(said, `"measured_ms":null`) {
			t.Errorf("a link that is cut has a round trip: %s", said)
		}
		now, err := b.toxiproxy.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		p, _ := now.Proxy("client-primary")
		if p.Settings() != s.want || p.Enabled == s.cut {
			t.Errorf("%s %s: %+v, enabled %v", s.address, s.body, p.Settings(), p.Enabled)
		}
	}
	testkit.Until(b.t, "the measured round trip follows", func() bool {
		ms := b.state().link("client-primary").MeasuredMS
		return ms != nil && *ms == 80
	})
}

func TestSwapIsLockedWhileSomethingMeasures(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	free := b.hold("lesson 00-tour")
	testkit.Until(b.t, "locked", func() bool { return b.state().Lock != "" })
	for _, address := range []string{"/api/links/all", "/api/links/client-primary/cut", "/api/load", "/api/load/stop"} {
		status, said := b.post(address, `{"latency_ms": 5}`)
		if status != 423 || !strings.Contains(said, "lesson 00-tour is under way, started from a terminal") {
			t.Errorf("%s: %d %s", address, status, said)
		}
	}
	s := b.state()
	if l := s.link("client-primary"); l.MeasuredMS != nil || !strings.HasPrefix(l.Reason, "paused: lesson 00-tour") {
		t.Errorf("%+v", l)
	}
	if n := s.node("primary"); n.State != Unknown || !strings.HasPrefix(n.Reason, "paused: ") {
		t.Errorf("%+v", n)
	}
	free()
	testkit.Until(b.t, "free again", func() bool {
		s := b.state()
		return s.Lock == "" && s.link("client-primary").MeasuredMS != nil && s.node("primary").State == Up
	})
}

func TestChangesMadeElsewhereAreTold(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	events := b.listen()
	if err := b.toxiproxy.Set(t.Context(), "client-pgpool", link.Settings{LatencyMS: 7}); err != nil {
		t.Fatal(err)
	}
	swap := events.swap(t)
	if swap.Link != "client-pgpool" || swap.Text != "7 ms" || swap.By != ByElsewhere {
		t.Errorf("%+v", swap)
	}
	b.post("/api/links/client-pgpool", `{"latency_ms": 9}`)
	if swap = events.swap(t); swap.Text != "9 ms" || swap.By != ByConsole {
		t.Errorf("%+v", swap)
	}
	b.post("/api/links/client-pgpool/reset", `{}`)
	if swap = events.swap(t); swap.Text != "connections reset" || swap.By != ByConsole {
		t.Errorf("%+v", swap)
	}
}

// standInLinks is a toxiproxy that can be away, have links that are stalled, and start anew.
type standInLinks struct {
	Links
	mu      sync.Mutex
	away    bool
	stalled map[string]error
	stuck   map[string]chan struct{} // links whose swaps wait for it
	started time.Time
}

func (s *standInLinks) Set(ctx context.Context, name string, to link.Settings) error {
	s.mu.Lock()
	stuck := s.stuck[name]
	s.mu.Unlock()
	if stuck != nil {
		<-stuck
	}
	return s.Links.Set(ctx, name, to)
}

func (s *standInLinks) Proxy(ctx context.Context, name string) (link.Proxy, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away {
		return link.Proxy{}, &link.UnreachableError{}
	}
	if err := s.stalled[name]; err != nil {
		return link.Proxy{}, err
	}
	return s.Links.Proxy(ctx, name)
}

func (s *standInLinks) Started(context.Context) (time.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.started, nil
}

// become changes what it is.
func (s *standInLinks) become(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

func newLinksBench(t *testing.T) (*bench, *standInLinks) {
	t.Helper()
	links := &standInLinks{started: time.Now()}
	b := newBench(t, func(b *bench) {
		links.Links = b.source.Links
		b.source.Links = links
	})
	return b, links
}

// A link that is stalled says why; the others are shown and set as ever.
func TestStalledLinkIsSaid(t *testing.T) {
	t.Parallel()
	b, links := newLinksBench(t)
	testkit.Until(t, "the link is known", func() bool { return b.state().link("client-primary").Known })
	why := &link.StalledError{Link: "client-primary"}
	links.become(func() { links.stalled = map[string]error{"client-primary": why} })
	testkit.Eventually(t, func() string {
		if l := b.state().link("client-primary"); l.Known || l.MeasuredMS != nil || l.Reason != why.Error() {
			return fmt.Sprintf("%+v", l)
		}
		return ""
	})
	if status, said := b.post("/api/links/client-standby", `{"latency_ms": 4}`); status != 200 {
		t.Errorf("another link: %d %s", status, said)
	}
	testkit.Until(t, "the other link's latency is known", func() bool {
		l := b.state().link("client-standby")
		return l.Known && l.LatencyMS == 4
	})
	// What was begun meanwhile is told once the link goes on.
	events := b.listen()
	if err := b.toxiproxy.Set(t.Context(), "client-primary", link.Settings{LatencyMS: 6}); err != nil {
		t.Fatal(err)
	}
	links.become(func() { links.stalled = nil })
	events.told(t, Swap{Link: "client-primary", Text: "6 ms", By: ByElsewhere})
}

// A swap that is stuck on one link keeps no other link from being swapped and read.
func TestStuckSwapHoldsUpNoOtherLink(t *testing.T) {
	t.Parallel()
	b, links := newLinksBench(t)
	stuck, done := make(chan struct{}), make(chan int)
	links.become(func() { links.stuck = map[string]chan struct{}{"client-primary": stuck} })
	go func() {
		status, _ := b.post("/api/links/all", `{"latency_ms": 0, "down_kbps": 900}`)
		done <- status
	}()
	shown := func(name string) link.Settings { return b.state().link(name).Settings }
	testkit.Until(t, "the other links are swapped", func() bool {
		return shown("client-standby").DownKBps == 900 && shown("client-pgpool").DownKBps == 900
	})
	if status, said := b.post("/api/links/client-standby", `{"latency_ms": 4}`); status != 200 {
		t.Errorf("another link: %d %s", status, said)
	}
	testkit.Until(t, "the other link's swap shows", func() bool { return shown("client-standby").LatencyMS == 4 })
	if now := shown("client-primary"); now != (link.Settings{}) {
		t.Errorf("the link whose swap is stuck shows %+v", now)
	}
	close(stuck)
	<-done // 502 where no standby is there to be told
	testkit.Until(t, "the stuck swap shows", func() bool { return shown("client-primary").DownKBps == 900 })
}

// Latencies that went with toxiproxy are told as such.
func TestRestartOfToxiproxyIsTold(t *testing.T) {
	t.Parallel()
	b, links := newLinksBench(t)
	b.post("/api/links/client-pgpool", `{"latency_ms": 9}`)
	events := b.listen()
	links.become(func() {
		links.started = links.started.Add(time.Minute)
		if err := b.toxiproxy.Off(t.Context(), "client-pgpool"); err != nil {
			t.Error(err)
		}
	})
	events.told(t, Swap{Link: "client-pgpool", Text: "0 ms", By: ByRestart})
}

// silentProbe has no answer.
type silentProbe struct{ LinkProbe }

func (silentProbe) Close() {}

func (silentProbe) Sample(ctx context.Context) (time.Duration, error) {
	<-ctx.Done()
	return 0, ctx.Err()
}

// While an answer is waited for, the page doesn't go on showing an old round trip.
func TestLinkWithoutAnAnswerSaysSo(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(b *bench) { b.source.Probe = func(topology.Link) LinkProbe { return silentProbe{} } })
	p, _ := b.ready()
	old := 1.5
	p.trips.note("client-primary", roundTrip{ms: &old})
	testkit.Until(t, "it says so", func() bool {
		l := b.state().link("client-primary")
		return l.MeasuredMS == nil && l.Reason == "no answer yet"
	})
}

func TestToxiproxyAndDatabasesMayGoAway(t *testing.T) {
	t.Parallel()
	b, links := newLinksBench(t)
	for _, away := range []bool{false, true, false} {
		links.become(func() { links.away = away })
		b.node.away.Store(away)
		testkit.Eventually(t, func() string {
			s := b.state()
			measured := s.link("client-primary").MeasuredMS != nil
			if s.Toxiproxy.Up == away || measured == away || (s.node("primary").State == Down) != away {
				return fmt.Sprintf("away: %v, and the state is %+v", away, s)
			}
			return ""
		})
		if status, _ := b.get("/"); status != 200 {
			t.Errorf("away: %v, and the map answers %d", away, status)
		}
		status, said := b.post("/api/links/client-primary", `{"latency_ms": 5}`)
		if want := map[bool]int{true: 502, false: 200}[away]; status != want ||
			strings.Contains(said, "is the lab up?") != away {
			t.Errorf("away: %v, and a swap answers %d %s", away, status, said)
		}
	}
}
