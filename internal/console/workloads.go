package console

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"pooler-lab/internal/suggest"
	"pooler-lab/internal/topology"
)

// mostClients is how many a path may have: all paths of live traffic together are to leave lessons' roles room.
const mostClients = 50

// poolSize is the most connections that an application's own pool has on the path that keeps one.
const poolSize = 10

// A liveWorkload is one that live traffic can have: k6/lib/workloads.js has what it does.
type liveWorkload struct {
	name, meaning string
	latency       string // the metric that is its latency
	writes        bool
}

var liveWorkloads = []liveWorkload{
	{"select", "one row by its key: one round trip", "pg_statement", false},
	{"select-heavy", "the sum of 2000 rows: one round trip, and work for the server", "pg_statement", false},
	{"tpcb", "pgbench's transaction of five statements, which writes: seven round trips", "pg_transaction", true},
	{"tpcb-function", "the same in one function call: one round trip", "pg_statement", true},
	{"tpcb-pipeline", "the same sent all at once: one round trip", "pg_pipeline", true},
}

// A loadOrder is what live traffic is to be.
type loadOrder struct {
	Workload string   `json:"workload"`
	Clients  int      `json:"clients"`
	Paths    []string `json:"paths"`
	Keep     *bool    `json:"keep"` // true where it isn't given
}

// choicesOf are what live traffic can be over those paths.
func choicesOf(set *topology.Set) Choices {
	c := Choices{MostClients: mostClients, Workloads: []Choice{}, Paths: []Choice{}}
	for _, w := range liveWorkloads {
		c.Workloads = append(c.Workloads, Choice{Name: w.name, Meaning: w.meaning})
	}
	for _, p := range set.Paths {
		c.Paths = append(c.Paths, Choice{Name: p.Name, Meaning: p.Meaning, Off: noLoadOn(p)})
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

// check says what of the order can't be.
func (o loadOrder) check(set *topology.Set) error {
	w, err := workloadOf(o.Workload)
	if err != nil {
		return err
	}
	if o.Clients < 1 || o.Clients > mostClients {
		return fmt.Errorf("%d clients: give a whole number from 1 to %d, that each path is to have", o.Clients, mostClients)
	}
	if len(o.Paths) == 0 {
		return errors.New("paths is empty: name at least one, such as direct")
	}
	for i, name := range o.Paths {
		p, err := set.Find(name)
		if err != nil {
			return err
		}
		if slices.Contains(o.Paths[:i], name) {
			return fmt.Errorf("path %s stands there twice", name)
		}
		if off := noLoadOn(p); off != "" {
			return fmt.Errorf("path %s can't be taken: %s", name, off)
		}
		if w.writes && slices.Equal(p.Services, []string{"standby"}) {
			return fmt.Errorf("workload %s writes, and path %s leads to a server that only reads: leave that path out, or choose select", w.name, name)
		}
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

// A livePath is where k6/live.js sends the clients of a path.
type livePath struct {
	Name string `json:"name"`
	DSN  string `json:"dsn"`  // without a password
	Pool int    `json:"pool"` // connections of the application's own pool, 0 where it has none
}

// A liveScript is what k6/live.js is told.
type liveScript struct {
	Workload string     `json:"workload"`
	Clients  int        `json:"clients"`
	Keep     bool       `json:"keep"`
	Scale    int        `json:"scale"`
	Paths    []livePath `json:"paths"`
}

// script is the order in k6/live.js's terms.
func (o loadOrder) script(set *topology.Set, scale int) (liveScript, error) {
	s := liveScript{Workload: o.Workload, Clients: o.Clients, Keep: o.Keep == nil || *o.Keep, Scale: scale}
	for _, name := range o.Paths {
		p, err := set.Find(name)
		if err != nil {
			return s, err
		}
		endpoint, err := p.Endpoint(p.Links()[0])
		if err != nil {
			return s, err
		}
		way := livePath{Name: name, DSN: endpoint.DSN("app")}
		if p.ApplicationPool {
			way.Pool = min(o.Clients, poolSize)
		}
		s.Paths = append(s.Paths, way)
	}
	return s, nil
}

// startLoad starts the live load, or replaces it.
func (p *parts) startLoad(w http.ResponseWriter, r *http.Request) error {
	if err := p.locked(); err != nil {
		return err
	}
	var order loadOrder
	if err := understand(r, &order); err != nil {
		return err
	}
	if err := order.check(p.source.Set); err != nil {
		return wrong(fmt.Errorf("live load: %w", err))
	}
	p.load.order(&order)
	answer(w, http.StatusOK, map[string]Load{"load": p.load.describe()})
	return nil
}

// stopLoad ends it.
func (p *parts) stopLoad(w http.ResponseWriter, _ *http.Request) error {
	if err := p.locked(); err != nil {
		return err
	}
	p.load.order(nil)
	answer(w, http.StatusOK, map[string]Load{"load": p.load.describe()})
	return nil
}
