package pairing

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"

	"pooler-lab/internal/pooler"
	"pooler-lab/internal/topology"
)

// A Lab is what says whether there is room for two cells at once: clients that wait keep their connections.
type Lab struct {
	Set    *topology.Set
	Limits map[string]pooler.Limits // by kind of pooler
	// MaxConnections is what primary and standby accept, 0 where that isn't known.
	MaxConnections int
}

// ReadLab knows the lab of these paths by its configs/, and by LAB_MAX_CONNECTIONS in the environment.
func ReadLab(set *topology.Set) (Lab, error) {
	l := Lab{Set: set, Limits: map[string]pooler.Limits{}}
	for _, p := range set.Paths {
		if _, known := l.Limits[p.Pooler]; known || p.Pooler == "" {
			continue
		}
		kind, err := pooler.Find(p.Pooler)
		if err != nil {
			return l, err
		}
		if l.Limits[p.Pooler], err = kind.Limits(set.Root); err != nil {
			return l, err
		}
	}
	l.MaxConnections, _ = strconv.Atoi(os.Getenv("LAB_MAX_CONNECTIONS"))
	return l, nil
}

// yugabyteConnections is what YugabyteDB accepts unless its flag ysql_max_connections says otherwise, which compose.yaml
// doesn't set: https://docs.yugabyte.com/stable/develop/quality-of-service/limiting-connections/
const yugabyteConnections = 300

// reserved is how many of a server's connections are not for measured clients: three that PostgreSQL keeps for
// superusers (superuser_reserved_connections), and those of the lab itself, of health checks and of who looks on.
const reserved = 20

// connections is how many the side's clients have open at most.
func connections(s side) int {
	if s.Instances > 0 {
		return s.Instances * s.InstancePool
	}
	return s.Clients
}

// poolSize is how many server connections the side's pool has, 0 where there is one for each client.
func (l Lab) poolSize(s side) int {
	if s.PoolSize > 0 {
		return s.PoolSize
	}
	return l.Limits[s.path.Pooler].PoolSize
}

// room refuses cells that have no room beside each other.
func (l Lab) room(sides [2]side) string {
	for _, why := range []string{l.roomForClients(sides), l.roomInSessionPools(sides), l.roomInServers(sides)} {
		if why != "" {
			return why
		}
	}
	return ""
}

// roomForClients refuses more clients than a pooler takes.
func (l Lab) roomForClients(sides [2]side) string {
	sum := map[string]int{} // by service
	for _, s := range sides {
		service, most := s.path.PoolerService(), l.Limits[s.path.Pooler].Clients
		if sum[service] += connections(s); service != "" && sum[service] > most {
			return fmt.Sprintf("%d connections, and %s takes %d", sum[service], service, most)
		}
	}
	return ""
}

// A pool is server connections that sides share.
type pool struct {
	service  string
	clients  int
	size     int // 0 is one for each client
	database string
	nodes    []string
}

// servers is how many of its server connections the clients can hold.
func (p pool) servers() int {
	if p.size > 0 {
		return min(p.clients, p.size)
	}
	return p.clients
}

// roomInSessionPools refuses more clients than a pool of sessions has server connections: who has none waits for a
// client to leave, and none leaves.
func (l Lab) roomInSessionPools(sides [2]side) string {
	sides = [2]side{sessionPooled(sides[0]), sessionPooled(sides[1])}
	for _, p := range l.pools(sides) {
		if p.clients > p.servers() {
			return fmt.Sprintf("%d connections, and the session pool of %s has %d", p.clients, p.service, p.size)
		}
	}
	return ""
}

// sessionPooled is the side where its pool lends server connections for as long as a session lasts, and else a side
// without clients.
func sessionPooled(s side) side {
	if s.path.Pools != "session" {
		none := *s.Cell
		none.Clients, none.Instances = 0, 0
		s.Cell = &none
	}
	return s
}

// roomInServers refuses more server connections than a database takes.
func (l Lab) roomInServers(sides [2]side) string {
	sum := map[string]int{} // by node
	for _, p := range l.pools(sides) {
		most := l.MaxConnections
		if p.database != "postgresql" {
			most = yugabyteConnections
		}
		for _, node := range p.nodes {
			if sum[node] += p.servers(); most > 0 && sum[node] > most-reserved {
				return fmt.Sprintf("%d connections, and %s has room for %d", sum[node], node, most-reserved)
			}
		}
	}
	return ""
}

// pools are those of the sides, in the order of their names. A pool is of a database and a role. Where each client has
// a process of its own in the pooler, any of these may keep a server connection that a client before it had.
func (l Lab) pools(sides [2]side) []pool {
	all := map[string]*pool{}
	for i, s := range sides {
		service := s.path.PoolerService()
		p := pool{service: service, size: l.poolSize(s), database: s.path.Database, nodes: nodes(s.path)}
		name := strconv.Itoa(i) // a side without a pooler shares with none
		if service != "" {
			at, _ := s.path.Endpoint(s.Link)
			name = fmt.Sprintf("%s/%s/%s", service, at.DBName, s.Role)
		}
		if all[name] == nil {
			all[name] = &p
		}
		all[name].clients += connections(s)
		if forked := l.Limits[s.path.Pooler].Clients; service != "" && p.size == 0 {
			all[name].clients = max(all[name].clients, forked)
		}
	}
	var sorted []pool
	for _, name := range slices.Sorted(maps.Keys(all)) {
		sorted = append(sorted, *all[name])
	}
	return sorted
}

// nodes are the databases that the path leads to.
func nodes(p topology.Path) []string {
	return slices.DeleteFunc(slices.Clone(p.Services), func(s string) bool { return s == p.PoolerService() })
}
