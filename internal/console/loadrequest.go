package console

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"pooler-lab/internal/console/api"
	"pooler-lab/internal/suggest"
	"pooler-lab/internal/topology"
)

// mostClients is how many a path may have: all paths of live traffic together are to leave lessons' roles room.
const mostClients = 50

// A liveWorkload is one that live traffic can have.
type liveWorkload struct {
	name, meaning string
	metric        string // that is its response time
	writes        bool
	// capacity is how many iterations a second ten clients in a closed loop get on the slowest path to PostgreSQL,
	// with the CPU limits of .env, on two cores. It is measured; no path of another machine need have it.
	capacity int
}

var liveWorkloads = []liveWorkload{
	{"select", "one row by its key: one round trip", "pg_statement", false, 3000},
	{"selectHeavy", "the sum of 2000 rows: one round trip, and work for the server", "pg_statement", false, 1500},
	{"tpcb", "pgbench's transaction of five statements, which writes: seven round trips", "pg_transaction", true, 400},
	{"tpcbFunction", "the same in one function call: one round trip", "pg_statement", true, 1000},
	{"tpcbPipeline", "the same sent all at once: one round trip", "pg_pipeline", true, 450},
}

// gentleShare is what part of the slowest path's capacity all paths of an open loop share.
const gentleShare = 5

// gentleRate is the iterations a second of an open loop, over all paths.
func (w liveWorkload) gentleRate() int { return w.capacity / gentleShare }

// A loadRequest is what live traffic is to be.
type loadRequest struct {
	Workload string   `json:"workload"`
	Clients  int      `json:"clients"`
	Paths    []string `json:"paths"`
	Loop     string   `json:"loop"` // open where it isn't given
	Keep     *bool    `json:"keep"` // true where it isn't given
}

// responseTime is k6's metric for it: of a client that connects each time it includes the connect.
func (r loadRequest) responseTime(w liveWorkload) string {
	if r.keeps() {
		return w.metric
	}
	return "pg_response_time"
}

// keeps says whether clients keep their connections.
func (r loadRequest) keeps() bool { return r.Keep == nil || *r.Keep }

// rate is the iterations a second on each path, 0 in a closed loop.
func (r loadRequest) rate() int {
	w, err := workloadOf(r.Workload)
	if err != nil || r.Loop == api.LoopClosed {
		return 0
	}
	return max(1, w.gentleRate()/max(1, len(r.Paths)))
}

// choicesOf are what live traffic can be over those paths.
func choicesOf(set *topology.Set) api.Choices {
	c := api.Choices{MostClients: mostClients, Workloads: []api.Workload{}, Paths: []api.Choice{}}
	for _, w := range liveWorkloads {
		c.Workloads = append(c.Workloads, api.Workload{Name: w.name, Meaning: w.meaning, GentleRate: w.gentleRate()})
	}
	for _, p := range set.Paths {
		c.Paths = append(c.Paths, api.Choice{Name: p.Name, Meaning: p.Meaning, Off: noLoadOn(p)})
	}
	return c
}

// noLoadOn says why no live traffic can take the path, "" where it can.
func noLoadOn(p topology.Path) string {
	if off := p.Unavailable(); off != "" {
		return off
	}
	if len(p.Links()) == 0 {
		return "it has no link, and live traffic always goes over one: a latency would never show"
	}
	return ""
}

// check says what of the request can't be.
func (r *loadRequest) check(set *topology.Set) error {
	w, err := workloadOf(r.Workload)
	if err != nil {
		return err
	}
	if r.Loop == "" {
		r.Loop = api.LoopOpen
	}
	if loops := []string{api.LoopOpen, api.LoopClosed}; !slices.Contains(loops, r.Loop) {
		return suggest.Unknown("loop", r.Loop, loops)
	}
	if r.Clients < 1 || r.Clients > mostClients {
		return fmt.Errorf("%d clients: give a whole number from 1 to %d, for each path", r.Clients, mostClients)
	}
	if len(r.Paths) == 0 {
		return errors.New("paths is empty: name at least one, such as direct")
	}
	for i, name := range r.Paths {
		if slices.Contains(r.Paths[:i], name) {
			return fmt.Errorf("path %s stands there twice", name)
		}
		if err := checkPath(set, name, w); err != nil {
			return err
		}
	}
	return nil
}

// checkPath says why the workload can't take a path.
func checkPath(set *topology.Set, name string, w liveWorkload) error {
	p, err := set.Find(name)
	if err != nil {
		return err
	}
	if off := noLoadOn(p); off != "" {
		return fmt.Errorf("path %s can't be taken: %s", name, off)
	}
	if w.writes && slices.Equal(p.Services, []string{"standby"}) {
		return fmt.Errorf("workload %s writes, and path %s leads to a server that only reads: "+
			"leave that path out, or choose select", w.name, name)
	}
	return nil
}

func workloadOf(name string) (liveWorkload, error) {
	var names []string
	for _, w := range liveWorkloads {
		if w.name == name {
			return w, nil
		}
		names = append(names, w.name)
	}
	return liveWorkload{}, suggest.Unknown("workload of live traffic", name, names)
}

// startLoad starts the live load, or replaces it.
func (p *parts) startLoad(w http.ResponseWriter, r *http.Request) error {
	if err := p.locked(); err != nil {
		return err
	}
	var request loadRequest
	if err := readJSON(r, &request); err != nil {
		return err
	}
	if err := request.check(p.source.Set); err != nil {
		return badRequest(fmt.Errorf("live load: %w", err))
	}
	p.load.replace(&request)
	writeJSON(w, http.StatusOK, map[string]api.Load{"load": p.load.describe()})
	return nil
}

// stopLoad ends it.
func (p *parts) stopLoad(w http.ResponseWriter, _ *http.Request) error {
	if err := p.locked(); err != nil {
		return err
	}
	p.load.replace(nil)
	writeJSON(w, http.StatusOK, map[string]api.Load{"load": p.load.describe()})
	return nil
}
