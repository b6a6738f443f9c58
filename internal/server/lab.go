package server

import (
	"context"
	"fmt"
	"strconv"

	"pooler-lab/internal/topology"
)

// A Lab holds the lab's own sessions with its servers. It belongs to one goroutine.
type Lab struct {
	nodes       map[string]*Node
	poolers     map[string]*line
	caches      map[string]bool          // Pgpool-II services whose children may hold backends of measured connections
	janitors    map[string]chan *session // of each Pgpool-II service: see hireJanitors
	turned      []turned                 // settings that are to be put back
	admitted    []string                 // nodes that the role without a password was let in on, nil where it isn't
	madeFresh   bool                     // there is a fresh database
	labPassword string
}

// NewLab describes the servers of the lab; each is connected to when it is first asked.
// The services are those of its paths.
func NewLab(services []string, labPassword string) *Lab {
	l := &Lab{nodes: map[string]*Node{}, poolers: map[string]*line{}, caches: map[string]bool{}, janitors: map[string]chan *session{},
		labPassword: labPassword}
	for _, s := range services {
		l.caches[s] = isPgpool(s) // whoever used it before the run
	}
	for _, name := range []string{primary, standby} {
		l.nodes[name] = NewNode(name, NodeDSN(name), labPassword)
	}
	return l
}

// NodeDSN is how the lab's own role reaches a PostgreSQL server: directly, and in database postgres, so that what it
// does there isn't counted where clients are.
func NodeDSN(name string) string {
	return topology.Endpoint{Host: name, Port: 5432, DBName: "postgres"}.DSN("lab")
}

// pooler is the lab's session with one: PgBouncer's admin console, or any session of Pgpool-II, which answers
// its own SHOW commands itself.
func (l *Lab) pooler(service string) *line {
	if l.poolers[service] == nil {
		at := topology.Endpoint{Host: service, Port: 9999, DBName: "postgres"}
		if isPgBouncer(service) {
			at = topology.Endpoint{Host: service, Port: 6432, DBName: "pgbouncer"}
		}
		l.poolers[service] = &line{name: service, dsn: at.DSN("lab"), password: l.labPassword}
	}
	return l.poolers[service]
}

// Clear ends all backends of measured connections on the nodes that j can reach, so that pools start empty and
// counts are handed in. Pgpool-II closes its own: one that finds a backend gone makes its next client wait a second.
func (l *Lab) Clear(ctx context.Context, j Journey) error {
	for service, holds := range l.caches {
		if holds {
			l.closeIdle(ctx, service, j.nodes())
			l.caches[service] = false
		}
	}
	for _, name := range j.nodes() {
		if err := l.nodes[name].Clear(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Scale is that of the data that is loaded; the error says so where it isn't, or isn't complete.
func (l *Lab) Scale(ctx context.Context) (int, error) {
	s, err := open(ctx, topology.Endpoint{Host: primary, Port: 5432, DBName: "lab"}.DSN("lab"), l.labPassword)
	if err != nil {
		return 0, fmt.Errorf("connect to the primary: %w", err)
	}
	defer s.close()
	r, err := s.askOne(ctx, "SELECT scale FROM lab_data")
	if err != nil {
		return 0, fmt.Errorf("the data isn't loaded yet, wait until the lab is healthy: %w", err)
	}
	scale, err := strconv.Atoi(r["scale"])
	if err != nil {
		return 0, fmt.Errorf("read the scale of the data: %w", err)
	}
	return scale, nil
}

// Close ends the lab's own sessions.
func (l *Lab) Close() {
	for _, n := range l.nodes {
		n.close()
	}
	for _, p := range l.poolers {
		p.close()
	}
	for _, j := range l.janitors {
		dismiss(j)
	}
}

// Versions asks every server of the paths for its version. Where one doesn't tell, the reason stands in its place.
func (l *Lab) Versions(ctx context.Context, services []string) map[string]string {
	versions := map[string]string{}
	for _, s := range services {
		version, err := l.version(ctx, s)
		if err != nil {
			version = "unknown: " + err.Error()
		}
		versions[s] = version
	}
	return versions
}

func (l *Lab) version(ctx context.Context, service string) (string, error) {
	switch {
	case l.nodes[service] != nil:
		return l.nodes[service].Version(ctx)
	case isPgBouncer(service):
		r, err := l.pooler(service).askOne(ctx, "SHOW VERSION")
		return r["version"], err
	case isPgpool(service):
		r, err := l.pooler(service).askOne(ctx, "SHOW pool_version")
		return r["pool_version"], err
	}
	return "", fmt.Errorf("nobody knows how to ask")
}
