//go:build !linux

package pg

import "time"

// preciseSleep sleeps as exactly as Go's timers do.
func preciseSleep(wait time.Duration) {
	time.Sleep(wait)
}
