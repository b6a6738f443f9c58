// Package server asks the lab's servers and poolers what they say of themselves: which one they are, whom they
// see, and how much they counted. It believes no host name.
package server

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"

	"pooler-lab/internal/pooler"
	"pooler-lab/internal/session"
	"pooler-lab/internal/topology"
)

// Servers are the lab's, over sessions of the lab's own. They belong to one goroutine.
type Servers struct {
	nodes       map[string]*Node
	poolers     map[string]pooler.Pooler // by service
	yugabyte    *session.Line
	applied     []applied // settings that are to be restored
	granted     []string  // nodes on which the role without a password may log in, nil where it may not
	madeFresh   bool      // there is a fresh database
	labPassword string
}

// New describes the servers of the lab's paths; each is connected to when it is first asked.
func New(set *topology.Set, labPassword string) (*Servers, error) {
	l := &Servers{nodes: map[string]*Node{}, poolers: map[string]pooler.Pooler{}, labPassword: labPassword}
	for service, kind := range set.Poolers() {
		k, err := pooler.Find(kind)
		if err != nil {
			return nil, fmt.Errorf("pooler of service %s: %w", service, err)
		}
		l.poolers[service] = k.Open(pooler.Login{Service: service, Password: labPassword, Measured: Roles()})
	}
	for _, name := range []string{primary, standby} {
		l.nodes[name] = NewNode(name, NodeDSN(name), labPassword)
	}
	l.yugabyte = session.NewLine(yugabyte, yugabyteDSN(), Password(app))
	return l, nil
}

// NodeDSN is how the lab's own role reaches a PostgreSQL server: directly, and in database postgres, so that what it
// does there isn't counted where clients are.
func NodeDSN(name string) string {
	return topology.Endpoint{Host: name, Port: 5432, DBName: "postgres"}.DSN("lab")
}

// yugabyte is the name of YugabyteDB's service, which has a login for role app alone.
const yugabyte = "yugabyte"

func yugabyteDSN() string {
	return topology.Endpoint{Host: yugabyte, Port: 5433, DBName: "lab"}.DSN(app)
}

// pooler is that of the path.
func (l *Servers) pooler(p Path) pooler.Pooler {
	if found := l.poolers[p.PoolerService()]; found != nil {
		return found
	}
	return pooler.None{}
}

// clear ends all backends of measured connections on the nodes, so that pools start empty and counts are handed in.
// Poolers first let go of those that they have to close themselves.
func (l *Servers) clear(ctx context.Context, nodes []string) error {
	for _, service := range slices.Sorted(maps.Keys(l.poolers)) {
		l.poolers[service].CloseServers(ctx)
	}
	for _, name := range nodes {
		if err := l.nodes[name].Clear(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Scale is that of the data that is loaded; the error says so where it isn't, or isn't complete.
func (l *Servers) Scale(ctx context.Context) (int, error) { return scale(ctx, l.labPassword) }

// Scale is that of the data that is loaded in the lab whose password is in the environment.
func Scale(ctx context.Context) (int, error) { return scale(ctx, os.Getenv("LAB_PASSWORD")) }

func scale(ctx context.Context, password string) (int, error) {
	s, err := session.Open(ctx, dataDSN(primary), password)
	if err != nil {
		return 0, fmt.Errorf("connect to the primary: %w", err)
	}
	defer s.Close()
	r, err := s.AskOne(ctx, "SELECT scale FROM lab_data")
	if err != nil {
		return 0, fmt.Errorf("the data isn't loaded yet, wait until the lab is healthy: %w", err)
	}
	scale, err := strconv.Atoi(r["scale"])
	if err != nil {
		return 0, fmt.Errorf("read the scale of the data: %w", err)
	}
	return scale, nil
}

// dataDSN is how the lab's own role reaches the data of a PostgreSQL node.
func dataDSN(node string) string {
	return topology.Endpoint{Host: node, Port: 5432, DBName: "lab"}.DSN("lab")
}

// Close ends the lab's own sessions.
func (l *Servers) Close() {
	for _, n := range l.nodes {
		n.Close()
	}
	for _, p := range l.poolers {
		p.Close()
	}
	l.yugabyte.Close()
}
