// Package sample watches what a repeat uses while k6 runs: the host's CPU, and CPU, throttling and memory of the
// containers on its path; and what its databases and its pooler say of sessions, waits and queues meanwhile.
package sample

import (
	"time"

	"pooler-lab/internal/measure"
)

// switchRate is how many context switches a second there were between two samples, nil where no time passed.
func switchRate(from, to measure.HostCPU) *float64 {
	if !to.At.After(from.At) {
		return nil
	}
	v := float64(to.Switches-from.Switches) / to.At.Sub(from.At).Seconds()
	return &v
}

// Stolen begins to watch what the hypervisor gives to other machines. The function that it returns says which share of
// the host's CPU time that was since then, nil where the kernel doesn't tell.
func Stolen() func() *float64 {
	from, err := measure.ReadHostCPU()
	return func() *float64 {
		to, unread := measure.ReadHostCPU()
		if err != nil || unread != nil {
			return nil
		}
		_, stolen := to.Since(from).Shares()
		return stolen
	}
}

// LostWhileBusy keeps one CPU busy for d and returns which share of the time that was asked of the host's CPUs was
// stolen: the hypervisor gave it to other machines. A machine that is idle isn't told what it would lose. It is nil
// where the kernel doesn't tell, or has counted nothing yet.
func LostWhileBusy(d time.Duration) *float64 {
	from, err := measure.ReadHostCPU()
	for end := time.Now().Add(d); time.Now().Before(end); {
	}
	to, unread := measure.ReadHostCPU()
	if err != nil || unread != nil {
		return nil
	}
	busy, stolen := to.Since(from).Shares()
	if busy == nil || *busy == 0 {
		return nil
	}
	*stolen /= *busy
	return stolen
}
