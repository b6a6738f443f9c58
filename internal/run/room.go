package run

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"

	"pooler-lab/internal/pooler"
	"pooler-lab/internal/topology"
)

// A room says whether two cells have room beside each other: clients that wait keep their connections.
type room struct {
	set    *topology.Set
	limits map[string]pooler.Limits // by kind of pooler
	// maxConnections is what primary and standby accept, 0 where that isn't known.
	maxConnections int
}

// readRoom knows the lab of these paths by its configs/, and by LAB_MAX_CONNECTIONS in the environment.
func readRoom(set *topology.Set) (room, error) {
	l := room{set: set, limits: map[string]pooler.Limits{}}
	for _, p := range set.Paths {
		if _, known := l.limits[p.Pooler]; known || p.Pooler == "" {
			continue
		}
		kind, err := pooler.Find(p.Pooler)
		if err != nil {
			return l, err
		}
		if l.limits[p.Pooler], err = kind.Limits(set.Root); err != nil {
			return l, err
		}
	}
	l.maxConnections, _ = strconv.Atoi(os.Getenv("LAB_MAX_CONNECTIONS"))
	return l, nil
}

// yugabyteConnections is what YugabyteDB accepts unless its flag ysql_max_connections says otherwise, which
// compose.yaml doesn't set: https://docs.yugabyte.com/stable/develop/quality-of-service/limiting-connections/
const yugabyteConnections = 300

// reserved is how many of a server's connections are not for measured clients: three that PostgreSQL keeps for
// superusers (superuser_reserved_connections), and those of the lab itself, of health checks and of who looks on.
const reserved = 20

// poolSize is how many server connections the side's pool has, 0 where there is one for each client.
func (l room) poolSize(s pathCell) int {
	if s.PoolSize > 0 {
		return s.PoolSize
	}
	return l.limits[s.path.Pooler].PoolSize
}

// refuseClients refuses more clients than a pooler takes.
func (l room) refuseClients(sides [2]pathCell) string {
	sum := map[string]int{} // by service
	for _, s := range sides {
		service, most := s.path.PoolerService(), l.limits[s.path.Pooler].Clients
		if sum[service] += s.Connections(); service != "" && sum[service] > most {
			return fmt.Sprintf("%d connections, and %s takes %d", sum[service], service, most)
		}
	}
	return ""
}

// A pool is server connections that sides share.
type pool struct {
	service  string
	mode     string
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

// refuseSessions refuses more clients than a pool of sessions has server connections: who has none waits for a
// client to leave, and none leaves.
func (l room) refuseSessions(sides [2]pathCell) string {
	for _, p := range l.pools(sides) {
		if p.mode == "session" && p.clients > p.servers() {
			return fmt.Sprintf("%d connections, and the session pool of %s has %d", p.clients, p.service, p.size)
		}
	}
	return ""
}

// refuseServers refuses more server connections than a database takes.
func (l room) refuseServers(sides [2]pathCell) string {
	sum := map[string]int{} // by node
	for _, p := range l.pools(sides) {
		most := l.maxConnections
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
func (l room) pools(sides [2]pathCell) []pool {
	all := map[string]*pool{}
	for i, s := range sides {
		service := s.path.PoolerService()
		p := pool{service: service, mode: s.path.Pools, size: l.poolSize(s), database: s.path.Database,
			nodes: nodes(s.path)}
		name := strconv.Itoa(i) // a side without a pooler shares with none
		if service != "" {
			at, _ := s.path.Endpoint(s.Link)
			name = fmt.Sprintf("%s/%s/%s", service, at.DBName, s.Role)
		}
		if all[name] == nil {
			all[name] = &p
		}
		all[name].clients += s.Connections()
		if forked := l.limits[s.path.Pooler].Clients; service != "" && p.size == 0 {
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
	return slices.DeleteFunc(slices.Clone(p.Services), func(s string) bool { return !topology.IsDatabase(s) })
}
