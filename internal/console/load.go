package console

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
	"pooler-lab/k6/summary"
)

// load is the live load: one k6 at a time, since none can change its workload or clients while it runs.
type load struct {
	source *source
	root   string
	log    *log.Logger
	totals *loadTotals
	change chan struct{} // has one in it after a change of what is wanted or of the pause

	mu      sync.Mutex
	wanted  *wantedLoad // nil is none
	since   time.Time
	paused  string // why, "" where it isn't
	k6      string // its state, "" where none runs
	reason  string
	seconds []map[string]summary.PathSecond // that nobody has been told of
	told    map[string]summary.PathSecond   // last
	begun   bool                            // a new k6 has, and its first second hasn't been told
}

func newLoad(s *source, root string, log *log.Logger) *load {
	return &load{
		source: s,
		root:   root,
		log:    log,
		totals: newLoadTotals(),
		change: make(chan struct{}, 1),
	}
}

// changed wakes supervise.
func (l *load) changed() {
	select {
	case l.change <- struct{}{}:
	default: // it will be woken
	}
}

// replace starts a load in the place of the one that runs; nil is none, for a reason.
func (l *load) replace(wanted *wantedLoad, reason string) {
	l.mu.Lock()
	l.wanted, l.since, l.reason = wanted, time.Now().UTC(), reason
	if l.k6 != "" {
		l.k6 = LoadStopping
	}
	l.mu.Unlock()
	l.changed()
}

// pause has the load stand still for a reason, and go on when there is none.
func (l *load) pause(reason string) {
	l.mu.Lock()
	news := l.paused != reason
	l.paused = reason
	l.mu.Unlock()
	if news {
		l.changed()
	}
}

// state is the load's, for who holds mu: its k6's, as long as one runs.
func (l *load) state() string {
	switch {
	case l.wanted != nil && l.paused == "":
		return cmp.Or(l.k6, LoadStarting)
	case l.k6 != "":
		return LoadStopping
	case l.wanted != nil:
		return LoadPaused
	}
	return LoadOff
}

// is says whether the load is in one of those states.
func (l *load) is(states ...string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Contains(states, l.state())
}

// current is what is to run now, nil for nothing.
func (l *load) current() *wantedLoad {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.paused != "" {
		return nil
	}
	return l.wanted
}

// supervise runs what is wanted until ctx ends.
func (l *load) supervise(ctx context.Context) {
	for ctx.Err() == nil {
		wanted := l.current()
		if wanted == nil {
			select {
			case <-ctx.Done():
			case <-l.change:
			}
			continue
		}
		if err := l.run(ctx, wanted); err != nil && ctx.Err() == nil {
			l.log.Printf("live load: %v", err)
			l.failed(wanted, err)
		}
	}
}

// failed notes that a k6 ended that should not have. Nothing runs then, unless something else is wanted by now.
func (l *load) failed(wanted *wantedLoad, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.wanted == wanted {
		l.wanted, l.reason = nil, err.Error()
	}
}

// run runs a k6 until something else is wanted; the error says why it ended by itself.
func (l *load) run(ctx context.Context, wanted *wantedLoad) error {
	l.become(LoadStarting)
	defer l.become("")
	over, err := result.HoldLive(filepath.Join(l.root, "results"), noteOf(wanted))
	if err != nil {
		return err
	}
	defer over()
	said := new(tail)
	k6, err := l.start(ctx, *wanted, said)
	if err != nil {
		return err
	}
	for l.current() == wanted && ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-l.change:
		case <-k6.Ended():
			return fmt.Errorf("k6 ended by itself, with code %d: %s", k6.End().Exit, said)
		}
	}
	k6.Stop()
	return nil
}

// become notes that a k6 begins, or that it has ended. No second of it is to be told.
func (l *load) become(k6 string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.k6, l.seconds, l.told, l.begun = k6, nil, nil, k6 != ""
}

// noteOf is what other programs are told of the load.
func noteOf(l *wantedLoad) string {
	text := loadText(Load{State: LoadRunning, LoadRequest: l.LoadRequest, Rate: l.Rate})
	return strings.Join(l.LoadRequest.Paths, ", ") + ": " + text
}

// hear takes a second in that k6 printed.
func (l *load) hear(line summary.Second) {
	l.totals.add(line.Paths)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.k6 == LoadStarting {
		l.k6, l.reason = LoadRunning, ""
	}
	l.seconds = append(l.seconds, line.Paths)
}

// take returns the second that is to be told next, none where there is none; gap says that it is the first of a new
// k6. k6's seconds and the beat's don't begin at the same moment: one is kept in reserve, so that neither is missing
// when k6 is a little late, and more than one are never kept.
func (l *load) take() (paths map[string]summary.PathSecond, gap bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seconds = l.seconds[max(0, len(l.seconds)-2):]
	if len(l.seconds) == 0 {
		l.told = map[string]summary.PathSecond{}
		return l.told, false
	}
	l.told, l.seconds = l.seconds[0], l.seconds[1:]
	gap, l.begun = l.begun, false
	return l.told, gap
}

// describe returns the load as it is.
func (l *load) describe() Load {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := Load{State: l.state(), Reason: l.reason, last: l.told}
	all.Paths, all.Keep = []string{}, true
	if all.State == LoadPaused {
		all.Reason = l.paused
	}
	if w := l.wanted; w != nil {
		since := l.since
		all.LoadRequest, all.Rate, all.Since = w.LoadRequest, w.Rate, &since
	}
	all.Text = loadText(all)
	return all
}

// loadText says in a sentence how the load is.
func loadText(l Load) string {
	switch l.State {
	case LoadRunning:
		text := l.Workload + ", as fast as it can, " + metric.Count(l.Clients, "client") + " a path"
		if l.Rate > 0 {
			text = fmt.Sprintf("%s, %d iterations/s on each path", l.Workload, l.Rate)
		}
		if !l.Keep {
			text += ", a new connection for each, which response times include"
		}
		return text
	case LoadOff, LoadPaused:
		if l.Reason != "" {
			return l.State + ": " + l.Reason
		}
		return l.State
	}
	return l.State + " ..."
}
