package console

import (
	"context"
	"fmt"
	"log"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"pooler-lab/internal/console/api"
	"pooler-lab/internal/metric"
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
	lonely time.Duration
	grace  time.Duration
	totals *loadTotals

	mu      sync.Mutex
	wanted  *loadRequest // nil is none
	since   time.Time
	paused  string // why, "" where it isn't
	state   string
	reason  string
	seconds []map[string]second.Path // that nobody has been told of
	begun   bool                     // a new k6 has, and its first second hasn't been told
}

func newLoad(s *Source, root string, log *log.Logger) *load {
	return &load{
		source: s,
		root:   root,
		log:    log,
		change: newPulse(),
		lonely: lonely,
		grace:  k6Grace,
		totals: newLoadTotals(),
		state:  api.LoadOff,
	}
}

// replace starts a load in the place of the one that runs; nil is none.
func (l *load) replace(request *loadRequest) { l.replaceFor(request, "") }

// replaceFor gives a reason, too.
func (l *load) replaceFor(request *loadRequest, reason string) {
	l.mu.Lock()
	l.wanted, l.since, l.reason = request, time.Now().UTC(), reason
	switch {
	case request != nil:
		l.state = api.LoadStarting
	case l.state == api.LoadStarting || l.state == api.LoadRunning:
		l.state = api.LoadStopping
	}
	l.mu.Unlock()
	l.change.beat()
}

// lonely is how long a load goes on that nobody watches.
const lonely = time.Minute

// endUnwatched ends a load that nobody has watched since left, nor started, for too long.
func (l *load) endUnwatched(left time.Time) {
	l.mu.Lock()
	begun, wanted := l.since, l.wanted != nil
	l.mu.Unlock()
	if wanted && time.Since(left) > l.lonely && time.Since(begun) > l.lonely {
		l.replaceFor(nil, "it ended by itself: nobody had watched it for a minute")
	}
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
	return l.state != api.LoadOff
}

// still says whether no k6 runs.
func (l *load) still() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state == api.LoadOff || l.state == api.LoadPaused
}

// next is what is to run now, nil for nothing, and the pulse that tells of a change.
func (l *load) next() (*loadRequest, <-chan struct{}) {
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
		request, changed := l.next()
		if request == nil {
			l.rest()
			select {
			case <-ctx.Done():
			case <-changed:
			}
			continue
		}
		began := time.Now()
		err := l.runK6(ctx, request)
		if err == nil || ctx.Err() != nil {
			continue
		}
		l.log.Printf("live load: %v", err)
		l.failed(request, err, time.Since(began) > restartAfter)
	}
}

// rest notes that nothing runs.
func (l *load) rest() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state, l.seconds, l.begun = api.LoadOff, nil, false
	if l.wanted != nil {
		l.state = api.LoadPaused
	}
}

// failed notes that a k6 ended that should not have. One that ran well for a while is started once more.
func (l *load) failed(request *loadRequest, err error, again bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reason = err.Error()
	if l.wanted == request && !again {
		l.wanted = nil
	}
}

// runK6 runs one until something else is wanted; the error says why it ended by itself.
func (l *load) runK6(ctx context.Context, request *loadRequest) error {
	l.to(api.LoadStarting)
	over, err := noteLiveLoad(filepath.Join(l.root, "results"), noteOf(request))
	if err != nil {
		return err
	}
	defer over()
	g, err := l.start(ctx, request)
	if err != nil {
		return err
	}
	l.mu.Lock()
	l.begun, l.seconds = true, nil
	l.mu.Unlock()
	for {
		now, changed := l.next()
		if now != request || ctx.Err() != nil {
			l.to(api.LoadStopping)
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

// noteOf is what other programs are told of the load.
func noteOf(r *loadRequest) string {
	rate := "as fast as it can"
	if n := r.rate(); n > 0 {
		rate = fmt.Sprintf("%d iterations/s each", n)
	}
	return fmt.Sprintf("%s on %s, %s", r.Workload, strings.Join(r.Paths, ", "), rate)
}

// told takes a second in that k6 printed.
func (l *load) told(line second.Line) {
	l.totals.add(line.Paths)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state == api.LoadStarting {
		l.state, l.reason = api.LoadRunning, ""
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
func (l *load) describe() api.Load {
	choices := choicesOf(l.source.Set)
	l.mu.Lock()
	defer l.mu.Unlock()
	all := api.Load{State: l.state, Reason: l.reason, Paths: []string{}, Keep: true, Choices: choices}
	if l.state == api.LoadPaused {
		all.Reason = l.paused
	}
	if r := l.wanted; r != nil {
		since := l.since
		all.Workload, all.Clients, all.Paths, all.Since = r.Workload, r.Clients, slices.Clone(r.Paths), &since
		all.Loop, all.Rate, all.Keep = r.Loop, r.rate(), r.keeps()
	}
	all.Text = loadText(all)
	return all
}

// loadText says in a sentence how the load is.
func loadText(l api.Load) string {
	switch l.State {
	case api.LoadRunning:
		text := l.Workload + ", as fast as it can, " + metric.Count(l.Clients, "client") + " a path"
		if l.Rate > 0 {
			text = fmt.Sprintf("%s, %d iterations/s on each path", l.Workload, l.Rate)
		}
		if !l.Keep {
			text += ", a new connection for each, which response times include"
		}
		return text
	case api.LoadOff, api.LoadPaused:
		if l.Reason != "" {
			return l.State + ": " + l.Reason
		}
		return l.State
	}
	return l.State + " ..."
}
