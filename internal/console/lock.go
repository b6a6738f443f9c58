package console

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

// lockEvery is how often to look whether something measures. A run that was started elsewhere reads the data into the
// caches first, which takes longer: load and probes are gone by then.
const lockEvery = 250 * time.Millisecond

// meanwhile is what the lab doesn't do while something measures.
const meanwhile = "live load and probes pause, and no link can be set"

// lessonPrefix is what the name of what measures begins with where that is a lesson.
const lessonPrefix = "lesson "

// A lock says whether something measures, so that all else has to stand still.
type lock struct {
	mu        sync.Mutex
	elsewhere string        // what measures that the console hasn't started
	own       string        // the lesson that the console runs
	taken     chan struct{} // closed when something begins to measure
}

func newLock() *lock { return &lock{taken: make(chan struct{})} }

// signal tells those who are bound to the lock of what has become of it.
func (l *lock) signal(before bool) {
	now := l.own != "" || l.elsewhere != ""
	if now && !before {
		close(l.taken)
	} else if before && !now {
		l.taken = make(chan struct{})
	}
}

// bound returns a context that ends when something begins to measure, too.
func (l *lock) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	l.mu.Lock()
	taken := l.taken
	l.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-taken:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// text says why nothing can be changed just now, "" where it can.
func (l *lock) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.own != "":
		return fmt.Sprintf("lesson %s is running: %s. Wait until it ends, or cancel it", l.own, meanwhile)
	case strings.HasPrefix(l.elsewhere, lessonPrefix):
		return fmt.Sprintf("%s is under way, started from a terminal: %s. Wait until it ends, or cancel it",
			l.elsewhere, meanwhile)
	case l.elsewhere != "":
		return fmt.Sprintf("%s is under way, started from a terminal: %s. Wait until it ends", l.elsewhere, meanwhile)
	}
	return ""
}

// note says what measures, and whether that is news.
func (l *lock) note(elsewhere string) (news bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.own != "" {
		elsewhere = "" // it is the same one
	}
	news = elsewhere != l.elsewhere
	defer l.signal(l.own != "" || l.elsewhere != "")
	l.elsewhere = elsewhere
	return news
}

// begin locks for a lesson of the console's own; not ok where something measures already.
func (l *lock) begin(lesson string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.own != "" || l.elsewhere != "" {
		return false
	}
	l.own = lesson
	l.signal(false)
	return true
}

func (l *lock) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.own = ""
	l.signal(true)
}
