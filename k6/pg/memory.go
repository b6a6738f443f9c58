package pg

import (
	"os"
	"runtime/debug"
	"sync/atomic"
)

// collector sets how often garbage is collected: it weighs memory against time spent on collecting garbage. A VU's
// JavaScript takes about 150 KB that live as long as the test. A few VUs may
// leave four times as much garbage behind before it is collected; thousands
// would not fit.
type collector struct {
	vus atomic.Int64
}

const (
	mostGarbage  = 400  // percent of what lives; Go's own default is 100
	leastGarbage = 10   // the same, for thousands of VUs
	ordinaryVUs  = 1000 // for which Go's default is right
	stride       = 250  // VUs after which it is reckoned anew
)

// another notes one more VU and returns how many there are. GOGC in the
// environment, as ever, goes first.
func (s *collector) another() int64 {
	vus := s.vus.Add(1)
	if vus > 1 && vus%stride != 0 || os.Getenv("GOGC") != "" {
		return vus
	}
	debug.SetGCPercent(garbage(vus))
	return vus
}

// garbage returns how much may be left behind before it is collected, in
// percent of what lives. It goes down twice as steeply once there are thousands:
// 4000 VUs and their connections live in almost a gigabyte.
func garbage(vus int64) int {
	percent := 100 * ordinaryVUs / vus
	if vus > ordinaryVUs {
		percent = percent * ordinaryVUs / vus
	}
	return int(min(mostGarbage, max(leastGarbage, percent)))
}
