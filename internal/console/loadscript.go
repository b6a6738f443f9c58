package console

import (
	"pooler-lab/internal/topology"
)

// poolSize is the most connections that an application's own pool has on the path that keeps one.
const poolSize = 10

// A livePath is where k6/live.js sends the clients of a path.
type livePath struct {
	Name string `json:"name"`
	DSN  string `json:"dsn"`  // without a password
	Pool int    `json:"pool"` // connections of the application's own pool, 0 where it has none
}

// A liveScript is what k6/live.js is told.
type liveScript struct {
	Workload string     `json:"workload"`
	Clients  int        `json:"clients"` // of each path
	Rate     int        `json:"rate"`    // iterations a second on each path, 0: a closed loop
	Keep     bool       `json:"keep"`
	Scale    int        `json:"scale"`
	Paths    []livePath `json:"paths"`
}

// script is the request in k6/live.js's terms.
func (r loadRequest) script(set *topology.Set, scale int) (liveScript, error) {
	s := liveScript{Workload: r.Workload, Clients: r.Clients, Rate: r.rate(), Keep: r.keeps(), Scale: scale}
	for _, name := range r.Paths {
		p, err := set.Find(name)
		if err != nil {
			return s, err
		}
		endpoint, err := p.Endpoint(p.Links()[0])
		if err != nil {
			return s, err
		}
		path := livePath{Name: name, DSN: endpoint.DSN("app")}
		if p.ApplicationPool {
			path.Pool = min(r.Clients, poolSize)
		}
		s.Paths = append(s.Paths, path)
	}
	return s, nil
}
