package console

import (
	"context"
	"log"
	"slices"
	"sync"
	"time"

	"pooler-lab/k6/live/second"
)

// restartAfter is how long a k6 has to have run so that another one takes its place when it ends by itself.
const restartAfter = 10 * time.Second

// load is the live load: one k6 at a time, since none can change its workload or clients while it runs.
type load struct {
	source *Source
	root   string
	log    *log.Logger
	change *pulse

	mu      sync.Mutex
	wanted  *loadOrder // nil is none
	since   time.Time
	paused  string // why, "" where it isn't
	state   string
	reason  string
	seconds []map[string]second.Path // that nobody has been told of
	begun   bool                     // a new k6 has, and its first second hasn't been told
}

func newLoad(s *Source, root string, log *log.Logger) *load {
	return &load{source: s, root: root, log: log, change: newPulse(), state: LoadOff}
}

// order starts a load, or puts it in the place of the one that runs.
func (l *load) order(o *loadOrder) {
	l.mu.Lock()
	l.wanted, l.since, l.reason = o, time.Now().UTC(), ""
	switch {
	case o != nil:
		l.state = LoadStarting
	case l.state == LoadStarting || l.state == LoadRunning:
		l.state = LoadStopping
	}
	l.mu.Unlock()
	l.change.beat()
}

// pause has the load stand still for a reason, and go on when there is none.
func (l *load) pause(reason string) {
	l.mu.Lock()
	news := l.paused != reason
	l.paused = reason
	l.mu.Unlock()
	if news {
		l.change.beat()
	}
}

// active says whether there is a load to be watched.
func (l *load) active() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state != LoadOff
}

// still says whether no k6 runs.
func (l *load) still() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state == LoadOff || l.state == LoadPaused
}

// next is what is to run now, nil for nothing, and the pulse that tells of a change.
func (l *load) next() (*loadOrder, <-chan struct{}) {
	changed := l.change.wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.paused != "" {
		return nil, changed
	}
	return l.wanted, changed
}

// supervise runs what is wanted until ctx ends.
func (l *load) supervise(ctx context.Context) {
	for ctx.Err() == nil {
		order, changed := l.next()
		if order == nil {
			l.rest()
			select {
			case <-ctx.Done():
			case <-changed:
			}
			continue
		}
		began := time.Now()
		err := l.runK6(ctx, order)
		if err == nil || ctx.Err() != nil {
			continue
		}
		l.log.Printf("live load: %v", err)
		l.failed(order, err, time.Since(began) > restartAfter)
	}
}

// rest notes that nothing runs.
func (l *load) rest() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state, l.seconds, l.begun = LoadOff, nil, false
	if l.wanted != nil {
		l.state = LoadPaused
	}
}

// failed notes that a k6 ended that should not have. One that ran well for a while is started once more.
func (l *load) failed(order *loadOrder, err error, again bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reason = err.Error()
	if l.wanted == order && !again {
		l.wanted = nil
	}
}

// runK6 runs one until something else is wanted; the error says why it ended by itself.
func (l *load) runK6(ctx context.Context, order *loadOrder) error {
	l.to(LoadStarting)
	g, err := l.start(ctx, order)
	if err != nil {
		return err
	}
	l.mu.Lock()
	l.begun, l.seconds = true, nil
	l.mu.Unlock()
	for {
		now, changed := l.next()
		if now != order || ctx.Err() != nil {
			l.to(LoadStopping)
			g.Stop()
			return nil
		}
		select {
		case <-ctx.Done():
		case <-changed:
		case <-g.Ended():
			return g.why()
		}
	}
}

func (l *load) to(state string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state = state
}

// told takes a second in that k6 printed.
func (l *load) told(line second.Line) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state == LoadStarting {
		l.state, l.reason = LoadRunning, ""
	}
	l.seconds = append(l.seconds, line.Paths)
}

// take returns the second that is to be told next, none where there is none; gap says that it is the first of a new
// k6. k6's seconds and the beat's don't begin at the same moment: one is kept in reserve, so that neither is missing
// when k6 is a little late, and more than one are never kept.
func (l *load) take() (paths map[string]second.Path, gap bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.seconds) > 2 {
		l.seconds = l.seconds[len(l.seconds)-2:]
	}
	if len(l.seconds) == 0 {
		return map[string]second.Path{}, false
	}
	paths, l.seconds = l.seconds[0], l.seconds[1:]
	gap, l.begun = l.begun, false
	return paths, gap
}

// describe returns the load as it is.
func (l *load) describe() Load {
	choices := choicesOf(l.source.Set)
	l.mu.Lock()
	defer l.mu.Unlock()
	all := Load{State: l.state, Reason: l.reason, Paths: []string{}, Keep: true, Choices: choices}
	if l.state == LoadPaused {
		all.Reason = l.paused
	}
	if o := l.wanted; o != nil {
		since := l.since
		all.Workload, all.Clients, all.Paths, all.Since = o.Workload, o.Clients, slices.Clone(o.Paths), &since
		all.Keep = o.Keep == nil || *o.Keep
	}
	return all
}
