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

	"pooler-lab/test/testkit"
)

// events are what a page is told.
type events struct {
	first   update
	updates chan update
	leave   func()
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
	e := &events{updates: make(chan update, 100), leave: func() { response.Body.Close() }}
	go func() {
		defer close(e.updates)
		for lines := bufio.NewReader(response.Body); ; {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			var u update
			if text, ok := strings.CutPrefix(line, "data: "); ok && json.Unmarshal([]byte(text), &u) == nil {
				e.updates <- u
			}
		}
	}()
	e.first = <-e.updates
	return e
}

// next waits for an update that is so.
func (e *events) next(t *testing.T, what string, so func(update) bool) update {
	t.Helper()
	for late := time.After(testkit.Patience); ; {
		select {
		case next, ok := <-e.updates:
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
	return e.next(t, "a swap is told", func(next update) bool { return len(next.Swaps) > 0 }).Swaps[0]
}

// told waits for a swap, whenever it was.
func (e *events) told(t *testing.T, wanted Swap) {
	t.Helper()
	e.next(t, fmt.Sprintf("%+v is told", wanted), func(next update) bool {
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
	first, second := <-e.updates, <-e.updates
	if len(second.Ticks) != 1 || second.Ticks[0].Time.Before(first.Ticks[0].Time) {
		t.Errorf("%v follows %v", second.Ticks, first.Ticks)
	}
	if len(first.State.Links) != len(b.source.Set.Links) || first.Ticks[0].Paths == nil {
		t.Errorf("%+v", first)
	}
	b.post("/api/links/client-primary", `{"latency_ms": 2}`)
	e.swap(t)
	if late := b.listen().first; len(late.Ticks) < 2 || len(late.Swaps) != 1 ||
		(view{late.State}).link("client-primary").LatencyMS != 2 {
		t.Errorf("%d ticks, swaps %+v", len(late.Ticks), late.Swaps)
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
		good.next(t, "the other page is told", func(next update) bool { return next.State.Time.Equal(large.Time) })
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
