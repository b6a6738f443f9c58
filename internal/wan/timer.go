package wan

import (
	"container/heap"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// clock and at are the time, and a timer that is over at a moment. Tests put others in their places.
var (
	clock = time.Now
	at    = func(due time.Time) *timer { return scheduler().add(due) }
)

// After is closed once that time is over, to some microseconds.
func After(d time.Duration) <-chan struct{} { return at(clock().Add(d)).over }

// A timer is somebody who waits.
type timer struct {
	due  time.Time
	over chan struct{}
}

// A schedule wakes all who wait, by one timer of the kernel's. Go's own timers are late by up to a millisecond where
// nothing else happens: the runtime waits for them in whole milliseconds.
type schedule struct {
	lock   sync.Mutex
	timers timers
	fd     int
	file   *os.File
}

// scheduler is the one schedule.
var scheduler = sync.OnceValue(func() *schedule {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		panic(fmt.Sprintf("make a timer of the kernel's: %v", err)) // each Linux since 2.6.27 has them
	}
	s := &schedule{fd: fd, file: os.NewFile(uintptr(fd), "timer")}
	go s.run()
	return s
})

// add has a timer wait. One that is no longer wanted is over like all others, and nobody hears it.
func (s *schedule) add(due time.Time) *timer {
	t := &timer{due, make(chan struct{})}
	s.lock.Lock()
	defer s.lock.Unlock()
	heap.Push(&s.timers, t)
	if s.timers[0] == t {
		s.set()
	}
	return t
}

// set has the kernel wake the schedule for its first timer.
func (s *schedule) set() {
	left := max(time.Until(s.timers[0].due), 1) // 0 would be never
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(left.Nanoseconds())}
	if err := unix.TimerfdSettime(s.fd, 0, &spec, nil); err != nil {
		panic(fmt.Sprintf("set a timer of the kernel's: %v", err))
	}
}

// run ends timers when they are due.
func (s *schedule) run() {
	var expired [8]byte
	for {
		if _, err := s.file.Read(expired[:]); err != nil {
			panic(fmt.Sprintf("read a timer of the kernel's: %v", err))
		}
		s.lock.Lock()
		for len(s.timers) > 0 && time.Until(s.timers[0].due) <= 0 {
			close(heap.Pop(&s.timers).(*timer).over)
		}
		if len(s.timers) > 0 {
			s.set()
		}
		s.lock.Unlock()
	}
}

// timers are a heap: the first is due first.
type timers []*timer

func (t timers) Len() int           { return len(t) }
func (t timers) Less(i, j int) bool { return t[i].due.Before(t[j].due) }
func (t timers) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *timers) Push(x any)        { *t = append(*t, x.(*timer)) }
func (t *timers) Pop() any {
	old := *t
	last := old[len(old)-1]
	old[len(old)-1] = nil
	*t = old[:len(old)-1]
	return last
}
