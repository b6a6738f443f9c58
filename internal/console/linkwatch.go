package console

import (
	"context"
	"errors"
	"sync"
	"time"

	"pooler-lab/internal/link"
)

// A linkWatch knows what the links are, and who changed them. toxiproxy is the truth: this is what it said last. Each
// link is read and changed by itself, so that one that is stalled holds up no other.
type linkWatch struct {
	source Links
	links  map[string]*watchedLink

	mu      sync.Mutex // of what follows, and of what was seen of each link
	up      Reachable
	started time.Time // toxiproxy, as refresh saw it last
	swaps   []Swap    // that nobody has been told of
}

// A watchedLink is one of them.
type watchedLink struct {
	name string
	busy sync.Mutex // held by who reads or changes it: an older answer must not take the place of a newer one
	seen seenLink   // written by who holds busy, under the watch's lock
}

// A seenLink is what toxiproxy said last of a link.
type seenLink struct {
	known   bool       // it has said something
	now     link.Proxy // where the link is stalled: what it was before
	problem error      // why it couldn't be read last
}

func newLinkWatch(source Links, names []string) *linkWatch {
	w := &linkWatch{source: source, links: map[string]*watchedLink{}, up: Reachable{Reason: notMeasuredYet}}
	for _, name := range names {
		w.links[name] = &watchedLink{name: name}
	}
	return w
}

// refresh reads the links and notes what has changed since the last time. It passes over a link that somebody reads or
// changes just now, and doesn't wait for one that couldn't be read the last time.
func (w *linkWatch) refresh(ctx context.Context) {
	by := ByElsewhere
	if started, err := w.source.Started(ctx); err == nil && w.startedAnew(started) {
		by = ByRestart
	}
	var all sync.WaitGroup
	for name, l := range w.links {
		if !l.busy.TryLock() {
			continue
		}
		read := func() {
			defer l.busy.Unlock()
			_ = w.read(ctx, l, by) // the state says what went wrong
		}
		if w.see(name).problem != nil {
			go read()
		} else {
			all.Go(read)
		}
	}
	all.Wait()
}

// startedAnew notes when toxiproxy started, and says whether that was since the last time.
func (w *linkWatch) startedAnew(started time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.started
	w.started = started
	return !before.IsZero() && started.After(before)
}

// change changes links with do, all at once, and sees what they are before and afterwards. Its error is of those links
// that couldn't be changed.
func (w *linkWatch) change(ctx context.Context, names []string, do func(ctx context.Context, link string) error) error {
	return link.Each(names, func(name string) error {
		l := w.links[name]
		l.busy.Lock()
		defer l.busy.Unlock()
		if err := w.read(ctx, l, ByElsewhere); err != nil { // what happened before isn't ours
			return err
		}
		done := do(ctx, name)
		if err := w.read(context.WithoutCancel(ctx), l, ByConsole); done == nil {
			return err
		}
		return done
	})
}

// read reads a link for who holds its busy, and notes what has changed by whom.
func (w *linkWatch) read(ctx context.Context, l *watchedLink, by string) error {
	asked := time.Now()
	now, err := w.source.Proxy(ctx, l.name)
	if ctx.Err() != nil { // whoever wanted to know has gone
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var away *link.UnreachableError
	if errors.As(err, &away) {
		w.up = Reachable{Reason: err.Error()}
		return err
	}
	w.up = Reachable{Up: true}
	before := l.seen
	var stalled *link.StalledError
	switch {
	case errors.As(err, &stalled): // once it goes on, whatever was changed meanwhile is told
		l.seen.problem = err
	case err != nil:
		l.seen = seenLink{problem: err}
	default:
		l.seen = seenLink{known: true, now: now}
	}
	if err != nil || !before.known || before.now.Describe() == now.Describe() {
		return err
	}
	w.swaps = append(w.swaps, Swap{Time: asked.UTC(), Link: l.name, Text: now.Describe(), By: by})
	return nil
}

// noteReset notes that a link's connections were ended: nothing of it is left to be seen in toxiproxy.
func (w *linkWatch) noteReset(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.swaps = append(w.swaps, Swap{Time: time.Now().UTC(), Link: name, Text: "connections reset", By: ByConsole})
}

// take returns the swaps that nobody has been told of.
func (w *linkWatch) take() []Swap {
	w.mu.Lock()
	defer w.mu.Unlock()
	swaps := append([]Swap{}, w.swaps...) // none is an empty list in JSON, too
	w.swaps = nil
	return swaps
}

// see returns what was last seen of a link.
func (w *linkWatch) see(name string) seenLink {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.links[name].seen
}

// reachable says whether toxiproxy answers.
func (w *linkWatch) reachable() Reachable {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.up
}
