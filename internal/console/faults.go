package console

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
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

// breakNode carries out a verb, as scripts/break does, and answers with what it says. It goes on where nobody waits for
// the answer: half a switchover is worse than none.
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
	var said strings.Builder
	f, err := fault.New(p.source.Set, &said)
	if err != nil {
		return err
	}
	defer f.Close()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), breakWait)
	defer cancel()
	if err := f.Do(ctx, r.PathValue("verb"), request.Node); err != nil {
		return badRequest(err)
	}
	p.wake.beat()
	writeJSON(w, http.StatusOK, map[string]string{"said": said.String()})
	return nil
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
