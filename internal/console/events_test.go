package console

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pooler-lab/internal/testkit"
)

// events are what a page is told.
type events struct {
	first hello
	ticks chan tick
	leave func()
}

// listen opens a page's events.
func (b *bench) listen() *events {
	b.t.Helper()
	response, err := http.Get(b.server.URL + "/events")
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { response.Body.Close() })
	if kind := response.Header.Get("Content-Type"); kind != "text/event-stream" {
		text, _ := io.ReadAll(response.Body)
		b.t.Fatalf("content type %q: %s", kind, text)
	}
	e := &events{ticks: make(chan tick, 100), leave: func() { response.Body.Close() }}
	lines := bufio.NewReader(response.Body)
	if name := readEvent(lines, &e.first); name != "hello" {
		b.t.Fatalf("the first event is %q", name)
	}
	go func() {
		defer close(e.ticks)
		for {
			var next tick
			if readEvent(lines, &next) != "tick" {
				return
			}
			e.ticks <- next
		}
	}()
	return e
}

func readEvent(lines *bufio.Reader, into any) (name string) {
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return ""
		}
		if text, ok := strings.CutPrefix(line, "event: "); ok {
			name = strings.TrimSpace(text)
		} else if text, ok := strings.CutPrefix(line, "data: "); ok {
			if json.Unmarshal([]byte(text), into) != nil {
				return ""
			}
			return name
		}
	}
}

// next waits for a tick that is so.
func (e *events) next(t *testing.T, what string, so func(tick) bool) tick {
	t.Helper()
	for late := time.After(testkit.Patience); ; {
		select {
		case next, ok := <-e.ticks:
			if !ok {
				t.Fatal("the events ended")
			}
			if so(next) {
				return next
			}
		case <-late:
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// swap waits for the next swap.
func (e *events) swap(t *testing.T) Swap {
	t.Helper()
	return e.next(t, "a swap is told", func(next tick) bool { return len(next.Swaps) > 0 }).Swaps[0]
}

// told waits for a swap, whenever it was.
func (e *events) told(t *testing.T, wanted Swap) {
	t.Helper()
	e.next(t, fmt.Sprintf("%+v is told", wanted), func(next tick) bool {
		return slices.ContainsFunc(next.Swaps, func(swap Swap) bool {
			wanted.Time = swap.Time
			return swap == wanted
		})
	})
}

func TestEventsComeAndBeginWithWhatWas(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	e := b.listen()
	first, second := <-e.ticks, <-e.ticks
	if second.Tick.Time.Before(first.Tick.Time) {
		t.Errorf("a tick of %v follows that of %v", second.Tick.Time, first.Tick.Time)
	}
	if len(first.State.Links) != len(b.source.Set.Links) || first.Tick.Paths == nil || first.State.Presets == nil {
		t.Errorf("%+v", first)
	}
	b.post("/api/links/client-primary", `{"latency_ms": 2}`)
	e.swap(t)
	if late := b.listen().first; len(late.History) < 2 || len(late.Swaps) != 1 ||
		(view{late.State}).link("client-primary").LatencyMS != 2 {
		t.Errorf("%d ticks, swaps %+v", len(late.History), late.Swaps)
	}
}

func TestStalledPageIsDroppedAndHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	stalled, err := net.Dial("tcp", strings.TrimPrefix(b.server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer stalled.Close()
	fmt.Fprintf(stalled, "GET /events HTTP/1.1\r\nHost: %s\r\n\r\n", strings.TrimPrefix(b.server.URL, "http://"))
	watchers := func() int { b.hub.mu.Lock(); defer b.hub.mu.Unlock(); return len(b.hub.watchers) }
	testkit.Until(b.t, "the stalled page listens", func() bool { return watchers() == 1 })
	good := b.listen()
	for range 60 {
		large := State{Time: time.Now(), Lock: strings.Repeat("x", 1<<20)} // fills the kernel's buffers soon
		if err := b.hub.tell(large, Tick{Time: large.Time}, nil); err != nil {
			t.Fatal(err)
		}
		good.next(t, "the other page is told", func(next tick) bool { return next.State.Time.Equal(large.Time) })
		if watchers() == 1 {
			return
		}
	}
	t.Error("the stalled page is still among the watchers")
}

func TestProbesRestWhileNobodyWatches(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	time.Sleep(2500 * time.Millisecond)
	if n := b.node.looks.Load(); n != 0 {
		t.Errorf("%d looks, and nobody asked", n)
	}
	testkit.Until(b.t, "once somebody asks, all is measured", func() bool {
		s := b.state()
		return s.node("primary").State == Up && s.link("client-primary").MeasuredMS != nil
	})
}
