package console

import (
	"fmt"
	"sync"
	"time"
)

// lockEvery is how often to look whether something measures. A run that was started elsewhere reads the data into the
// caches first, which takes longer: load and probes are gone by then.
const lockEvery = 250 * time.Millisecond

// A lock says whether something measures, so that all else has to stand still.
type lock struct {
	mu        sync.Mutex
	elsewhere string // what measures that the console hasn't started
	own       string // the lesson that the console runs
}

// text says why nothing can be changed just now, "" where it can.
func (l *lock) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.own != "":
		return fmt.Sprintf("lesson %s is running, so live load and probes pause and nothing can be swapped: wait until it has ended, or cancel it", l.own)
	case l.elsewhere != "":
		return fmt.Sprintf("%s is under way, started from a terminal, so live load and probes pause and nothing can be swapped: wait until it has ended, or end it with 'scripts/lab cancel'", l.elsewhere)
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
	return true
}

func (l *lock) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.own = ""
}
