package console

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"pooler-lab/internal/fault"
	"pooler-lab/internal/topology"
)

// breakWait is how long a verb may take: a node may have to be cloned.
const breakWait = 5 * time.Minute

// faults breaks PostgreSQL nodes, one verb at a time, and sees what becomes of them, whoever breaks them.
type faults struct {
	busy sync.Mutex
	last map[string]string // what the nodes were; nil before they have been looked at
}

// breakNode carries out a verb, as scripts/break does, and answers with what it says, line by line as that becomes
// true. It goes on where nobody waits for the answer: half a switchover is worse than none.
func (p *parts) breakNode(w http.ResponseWriter, r *http.Request) error {
	var request struct {
		Node string `json:"node"` // "" for both
	}
	if err := readJSON(r, &request); err != nil {
		return err
	}
	if err := p.locked(); err != nil {
		return err
	}
	if !p.faults.busy.TryLock() {
		return &httpError{http.StatusConflict, "the verb before is still under way"}
	}
	defer p.faults.busy.Unlock()
	said := &spoken{ResponseWriter: w}
	f, err := fault.New(p.source.Set, said)
	if err != nil {
		return err
	}
	defer f.Close()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), breakWait)
	defer cancel()
	err = f.Do(ctx, r.PathValue("verb"), request.Node)
	p.wake.beat()
	if err != nil && said.begun { // the answer has begun as one that is well
		fmt.Fprintln(said, err)
		return nil
	}
	return badRequest(err)
}

// A spoken answer is text that its reader gets as it is written.
type spoken struct {
	http.ResponseWriter
	begun bool
}

// Write sends some of it. Where nobody reads it any more, that is no error.
func (s *spoken) Write(text []byte) (int, error) {
	if !s.begun {
		s.begun = true
		s.Header().Set("Content-Type", "text/plain; charset=utf-8")
		s.Header().Set("Cache-Control", "no-store")
	}
	_, _ = s.ResponseWriter.Write(text)
	_ = http.NewResponseController(s.ResponseWriter).Flush()
	return len(text), nil
}

// take returns what has become of the nodes since it was called last.
func (f *faults) take(at time.Time) (swaps []Swap) {
	now := map[string]string{}
	for _, node := range topology.Nodes() {
		now[node] = "healed"
		if broken, is := fault.Find(node); is {
			now[node] = broken.Is()
		}
	}
	now["primary is"] = topology.Primary()
	for _, what := range slices.Sorted(maps.Keys(now)) {
		if is := now[what]; f.last != nil && f.last[what] != is {
			swaps = append(swaps, Swap{Time: at, Link: what, Text: is, By: ByConsole})
		}
	}
	f.last = now
	return swaps
}
