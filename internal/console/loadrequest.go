package console

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"pooler-lab/internal/topology"
	"pooler-lab/internal/wording"
)

// mostClients is how many a path may have: all paths of live traffic together are to leave lessons' roles room.
const mostClients = 50

// poolSize is the most connections that an application's own pool has on the path that keeps one.
const poolSize = 10

// A workload is what clients of the live load do.
type workload struct {
	Name, Meaning string
	GentleRate    int    // iterations a second over all paths, of an open loop
	metric        string // that is its response time
	writes        bool
}

// workloads are those that live traffic can have. The rate of each is a fifth of what ten clients in a closed loop get
// on the slowest path to PostgreSQL, with the CPU limits of .env, on two cores: it leaves the servers mostly idle. That
// is measured; no path of another machine need have it.
var workloads = []workload{
	{"select", "one row by its key: one round trip", 600, "pg_statement", false},
	{"selectHeavy", "the sum of 2000 rows: one round trip, and work for the server", 300, "pg_statement", false},
	{"tpcb", "pgbench's transaction of five statements, which writes: seven round trips", 80, "pg_transaction", true},
	{"tpcbFunction", "the same in one function call: one round trip", 200, "pg_statement", true},
	{"tpcbPipeline", "the same sent all at once: one round trip", 90, "pg_pipeline", true},
}

// A wantedLoad is a request that can be fulfilled, as k6/live.js is told of it.
type wantedLoad struct {
	LoadRequest
	Rate  int        `json:"rate"` // iterations a second on each path, 0: a closed loop
	Scale int        `json:"scale"`
	Paths []livePath `json:"paths"`

	metric string // that is the response time
}

// A livePath is where the clients of a path are sent.
type livePath struct {
	Name string `json:"name"`
	DSN  string `json:"dsn"`  // without a password
	Pool int    `json:"pool"` // connections of the application's own pool, 0 where it has none
}

// loadOf is the load that a request asks for, or says what of it can't be.
func loadOf(request LoadRequest, set *topology.Set) (*wantedLoad, error) {
	w, err := workloadOf(request.Workload)
	if err != nil {
		return nil, err
	}
	if loops := []string{LoopOpen, LoopClosed}; !slices.Contains(loops, request.Loop) {
		return nil, wording.Unknown("loop", request.Loop, loops)
	}
	if request.Clients < 1 || request.Clients > mostClients {
		return nil, fmt.Errorf("%d clients: give a whole number from 1 to %d, for each path", request.Clients, mostClients)
	}
	if len(request.Paths) == 0 {
		return nil, errors.New("paths is empty: name at least one, such as direct")
	}
	l := &wantedLoad{LoadRequest: request, metric: w.metric}
	if !request.Keep { // a client that connects each time: the response time includes the connect
		l.metric = "pg_response_time"
	}
	if request.Loop == LoopOpen {
		l.Rate = max(1, w.GentleRate/len(request.Paths))
	}
	for i, name := range request.Paths {
		if slices.Contains(request.Paths[:i], name) {
			return nil, fmt.Errorf("path %s stands there twice", name)
		}
		path, err := livePathOf(name, w, request.Clients, set)
		if err != nil {
			return nil, err
		}
		l.Paths = append(l.Paths, path)
	}
	return l, nil
}

// livePathOf is the path of that name, or says why the workload can't take it.
func livePathOf(name string, w workload, clients int, set *topology.Set) (livePath, error) {
	p, err := set.Find(name)
	if err != nil {
		return livePath{}, err
	}
	if off := noLoadOn(p); off != "" {
		return livePath{}, fmt.Errorf("path %s can't be taken: %s", name, off)
	}
	if w.writes && slices.Equal(p.Services, []string{"standby"}) {
		return livePath{}, fmt.Errorf("workload %s writes, and path %s leads to a server that only reads: "+
			"leave that path out, or choose select", w.Name, name)
	}
	endpoint, err := p.Endpoint(p.Links()[0])
	if err != nil {
		return livePath{}, err
	}
	path := livePath{Name: name, DSN: endpoint.DSN("app")}
	if p.ApplicationPool {
		path.Pool = min(clients, poolSize)
	}
	return path, nil
}

// noLoadOn says why no live traffic can take the path, "" where it can.
func noLoadOn(p topology.Path) string {
	if off := p.Unavailable; off != "" {
		return off
	}
	if len(p.Links()) == 0 {
		return "it has no link, and live traffic always goes over one: a latency would never show"
	}
	return ""
}

func workloadOf(name string) (workload, error) {
	var names []string
	for _, w := range workloads {
		if w.Name == name {
			return w, nil
		}
		names = append(names, w.Name)
	}
	return workload{}, wording.Unknown("workload of live traffic", name, names)
}

// startLoad starts the live load, or replaces it.
func (p *parts) startLoad(w http.ResponseWriter, r *http.Request) error {
	request := LoadRequest{Loop: LoopOpen, Keep: true} // where the request doesn't say
	if err := p.locked(); err != nil {
		return err
	}
	if err := readJSON(r, &request); err != nil {
		return err
	}
	wanted, err := loadOf(request, p.source.Set)
	if err != nil {
		return badRequest(fmt.Errorf("live load: %w", err))
	}
	return p.replaceLoad(w, wanted)
}

// stopLoad ends it.
func (p *parts) stopLoad(w http.ResponseWriter, _ *http.Request) error {
	if err := p.locked(); err != nil {
		return err
	}
	return p.replaceLoad(w, nil)
}

func (p *parts) replaceLoad(w http.ResponseWriter, wanted *wantedLoad) error {
	p.hub.ask() // who starts a load may not listen to it
	p.load.replace(wanted, "")
	writeJSON(w, http.StatusOK, map[string]Load{"load": p.load.describe()})
	return nil
}
