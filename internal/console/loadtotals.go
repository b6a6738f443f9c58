package console

import (
	"sync"

	"pooler-lab/k6/live/second"
)

// A loadTotal is what the clients of one path of the live load have seen since the console began.
type loadTotal struct {
	transactions   int64
	errors         map[string]int64 // by code
	response, open second.Histogram // response times, and times to open a connection
}

// loadTotals are those of all paths.
type loadTotals struct {
	mu    sync.Mutex
	paths map[string]*loadTotal
}

func newLoadTotals() *loadTotals { return &loadTotals{paths: map[string]*loadTotal{}} }

// add adds a second of all paths.
func (t *loadTotals) add(paths map[string]second.Path) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for name, seen := range paths {
		total := t.paths[name]
		if total == nil {
			total = &loadTotal{errors: map[string]int64{}}
			t.paths[name] = total
		}
		total.transactions += seen.Transactions
		for code, n := range seen.Codes {
			total.errors[code] += n
		}
		total.response.Add(seen.ResponseTime)
		total.open.Add(seen.ConnectTime)
	}
}
