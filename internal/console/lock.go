package console

import (
	"context"
	"log"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"pooler-lab/internal/result"
)

// lockEvery is how often to look whether something measures. A run that was started elsewhere reads the data into the
// caches first, which takes longer: load and probes are gone by then.
const lockEvery = 250 * time.Millisecond

// lessonPrefix is what the name of what measures begins with where that is a lesson.
const lessonPrefix = "lesson "

// A lock says what measures, so that all else has to stand still, and how far it is where that is a lesson. All of it
// stands in results/, whoever started the lesson: who measures, the last step of the run, and run.json.
type lock struct {
	until   context.Context // ends when the console does
	results string
	log     *log.Logger

	mu    sync.Mutex
	what  string          // measures, "" for nothing
	own   *lessonProcess  // the console's own lesson, nil where none runs
	now   *Running        // nil where no lesson is under way
	last  *LastRun        // without what run.json says of it
	stale string          // the run of a step that was left behind: it was there while no lesson was under way
	free  context.Context // ends when something begins to measure, and when the console does
	take  context.CancelFunc
}

func newLock(until context.Context, results string, log *log.Logger) *lock {
	l := &lock{until: until, results: results, log: log}
	l.free, l.take = context.WithCancel(until)
	return l
}

// be changes what measures, and says whether that is news.
func (l *lock) be(what string) (news bool) {
	if what == l.what {
		return false
	}
	l.what = what
	l.take()
	if what == "" {
		l.free, l.take = context.WithCancel(l.until)
	}
	return true
}

// whileFree returns a context that ends when something begins to measure.
func (l *lock) whileFree() context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.free
}

// text says why nothing can be changed just now, "" where it can.
func (l *lock) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.what == "" {
		return ""
	}
	state, end := "is under way, started from a terminal", ""
	if l.own != nil {
		state = "is running"
	}
	if strings.HasPrefix(l.what, lessonPrefix) {
		end = ", or cancel it"
	}
	return l.what + " " + state + ": live load and probes pause, and no link can be set. Wait until it ends" + end
}

// lesson is how far the lesson under way is, nil where none is, and what became of the last one.
func (l *lock) lesson() (now *Running, last *LastRun) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now != nil {
		copied := *l.now
		now = &copied
	}
	return now, l.last
}

// look looks what measures and how far it is, and says whether something else measures than before.
func (l *lock) look() (news bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	step, _ := result.LastProgress(l.results) // before the other: a step of a run that has ended meanwhile is stale
	what, _ := result.UnderWay(l.results)
	if l.own != nil { // perhaps it doesn't measure yet
		what = l.what
	}
	name, isLesson := strings.CutPrefix(what, lessonPrefix)
	if !isLesson || l.now != nil && l.now.Name != name {
		l.end()
	}
	switch {
	case !isLesson:
		l.stale = step.Run
		return l.be(what)
	case l.now == nil:
		l.now = &Running{Name: name, State: "running", Elsewhere: l.own == nil}
	}
	if step.Run != l.stale && strings.HasSuffix(step.Run, "-"+name) {
		if l.own != nil && l.now.Run == "" {
			l.begun(step.Run)
		}
		l.now.Progress, l.now.Pair = step, ""
		if step.Pair != nil {
			l.now.Pair = step.Pair.String()
		}
	}
	return l.be(what)
}

// begun notes which run is that of the console's own lesson, and keeps the prediction there.
func (l *lock) begun(id string) {
	l.now.Run = id
	if l.own.prediction != nil {
		if err := writePrediction(l.own.prediction, filepath.Join(l.results, id)); err != nil {
			l.log.Print(err)
		}
	}
}

// begin locks for a lesson of the console's own; not ok where something measures already.
func (l *lock) begin(own *lessonProcess) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.what != "" {
		return false
	}
	own.before = newestRun(l.results, own.lesson)
	l.own, l.now = own, &Running{Name: own.lesson, State: "running"}
	return l.be(lessonPrefix + own.lesson)
}

// ended unlocks after a lesson of the console's own.
func (l *lock) ended() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if id := newestRun(l.results, l.own.lesson); l.now.Run == "" && id != l.own.before { // too short to be seen to run
		l.begun(id)
	}
	l.end()
	l.own = nil
	l.be("")
}

// end notes that the lesson that was under way has ended. One of the console's that has had no run has said why; nobody
// knows what became of one from a terminal.
func (l *lock) end() {
	if l.now == nil {
		return
	}
	if l.own == nil && l.now.Run == "" {
		l.now = nil
		return
	}
	l.last = &LastRun{Lesson: l.now.Name, Run: l.now.Run, Status: string(result.Failed), Ended: time.Now().UTC()}
	if l.own != nil {
		l.last.Reason = l.own.said.String()
	}
	l.stale, l.now = l.now.Run, nil
}

// cancel notes that the lesson under way is asked to end, and returns it where it is the console's own; not ok where
// none is under way.
func (l *lock) cancel() (own *lessonProcess, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now == nil {
		return nil, false
	}
	l.now.State = "cancelling"
	return l.own, true
}
