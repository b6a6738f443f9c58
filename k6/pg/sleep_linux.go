package pg

import (
	"syscall"
	"time"
)

// preciseSleep blocks the thread, not only the goroutine, for at most the
// given time: the kernel's own timers are exact to about 50 µs.
func preciseSleep(wait time.Duration) {
	request := syscall.NsecToTimespec(wait.Nanoseconds())
	// A signal ends the sleep early; the caller looks at the clock again.
	_ = syscall.Nanosleep(&request, nil)
}
