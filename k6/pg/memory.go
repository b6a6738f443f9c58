package pg

import (
	"os"
	"runtime/debug"
	"sync/atomic"
)

// spare keeps the process small where it has thousands of VUs: a VU's
// JavaScript takes about 150 KB that live as long as the test, and Go lets
// garbage grow to as much again before it collects it.
type spare struct {
	vus atomic.Int64
}

// fewVUs is how many VUs change nothing.
const fewVUs = 1000

// another notes one more VU. GOGC in the environment, as ever, goes first.
func (s *spare) another() {
	vus := s.vus.Add(1)
	if vus <= fewVUs || vus%fewVUs != 0 || os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(int(max(10, 100*fewVUs/vus)))
}
