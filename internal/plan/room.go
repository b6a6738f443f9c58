package plan

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/pooler"
	"pooler-lab/internal/result"
	"pooler-lab/internal/topology"
)

// A Room says whether two cells have room beside each other: clients that wait keep their connections.
type Room struct {
	set    *topology.Set
	limits map[string]pooler.Limits // by kind of pooler
	// maxConnections is what primary and standby accept by .env, 0 where that isn't known; Free is what they say
	// themselves, less the sessions of others, as far as they were asked.
	maxConnections int
	Free           map[string]int
}

// readRoom knows the lab of these paths by its configs/, and by LAB_MAX_CONNECTIONS in the environment.
func readRoom(set *topology.Set) (Room, error) {
	l := Room{set: set, limits: map[string]pooler.Limits{}}
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
func (l Room) poolSize(s pathCell) int {
	if s.PoolSize > 0 {
		return s.PoolSize
	}
	return l.limits[s.path.Pooler].PoolSize
}

// A Need is how many connections cells open to a service at once, and how many it takes.
type Need struct {
	Service     string
	Connections int
	Most        int    // 0 where nobody knows
	setting     string // that says so, "" where nobody can change it
}

const maxConnections = "LAB_MAX_CONNECTIONS in .env (then scripts/up)"

// text says that the need can't be met; empty where it can, or nobody knows.
func (n Need) text() string {
	if n.Most == 0 || n.Connections <= n.Most {
		return ""
	}
	takes := "takes"
	if topology.IsDatabase(n.Service) {
		takes = "has room for"
	}
	return fmt.Sprintf("%d connections, and %s %s %d", n.Connections, n.Service, takes, n.Most)
}

// needs are those of the sides together: of poolers, then of databases.
func (l Room) needs(sides ...pathCell) (all []Need) {
	add := func(n Need) {
		i := slices.IndexFunc(all, func(other Need) bool { return other.Service == n.Service })
		if i < 0 {
			all = append(all, n)
			return
		}
		all[i].Connections += n.Connections
	}
	for _, s := range sides {
		if service := s.path.PoolerService(); service != "" {
			limits := l.limits[s.path.Pooler]
			add(Need{service, s.Connections(), limits.Clients, limits.Setting})
		}
	}
	for _, p := range l.pools(sides) {
		for _, node := range p.nodes {
			n := Need{Service: node, Connections: p.servers()}
			free, asked := l.Free[node]
			switch {
			case p.database != "postgresql":
				n.Most = yugabyteConnections - reserved
			case asked:
				n.Most, n.setting = max(1, free-reserved), maxConnections
			case l.maxConnections > 0:
				n.Most, n.setting = max(1, l.maxConnections-reserved), maxConnections
			}
			add(n)
		}
	}
	return all
}

// refuseNeeds refuses cells that together open more connections than a pooler or a database takes.
func (l Room) refuseNeeds(sides [2]pathCell) string {
	for _, n := range l.needs(sides[:]...) {
		if text := n.text(); text != "" {
			return text
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
func (l Room) refuseSessions(sides [2]pathCell) string {
	for _, p := range l.pools(sides[:]) {
		if p.mode == "session" && p.clients > p.servers() {
			return fmt.Sprintf("%d connections, and the session pool of %s has %d", p.clients, p.service, p.size)
		}
	}
	return ""
}

// pools are those of the sides, in the order of their names. A pool is of a database and a role. Where each client has
// a process of its own in the pooler, any of these may keep a server connection that a client before it had.
func (l Room) pools(sides []pathCell) []pool {
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

// sideOf is a cell by itself.
func (l Room) sideOf(c *lesson.Cell) pathCell {
	path, _ := l.set.Find(c.Path) // the plan has found it
	return pathCell{c, path}
}

// NeedsOf are the most that cells need of each service, each cell by itself.
func (l Room) NeedsOf(cells []*lesson.Cell) (all []Need) {
	for _, c := range cells {
		for _, n := range l.needs(l.sideOf(c)) {
			i := slices.IndexFunc(all, func(other Need) bool { return other.Service == n.Service })
			if i < 0 {
				all = append(all, n)
			} else if n.Connections > all[i].Connections {
				all[i] = n
			}
		}
	}
	return all
}

// sizes are the dimensions that decide how many connections a cell opens.
var sizes = []string{"clients", "instances", "instance_pool", "pool_size"}

// CheckRoom refuses cells that the command line has made larger than the lab is. What a lesson itself asks for too
// much, it asks on purpose.
func (p *Plan) CheckRoom() error {
	for i := range p.Cells {
		c := &p.Cells[i]
		had := p.Lesson.Had(c)
		if !slices.ContainsFunc(sizes, func(name string) bool { return had[name] != nil }) {
			continue
		}
		for _, n := range p.Room.NeedsOf([]*lesson.Cell{c}) {
			if text := n.text(); text != "" {
				err := fmt.Errorf("experiment %s: %s: %s. Ask for less", c.Experiment, outcome.Name(&result.Cell{Cell: *c}), text)
				if n.setting != "" {
					err = fmt.Errorf("%w, or raise %s", err, n.setting)
				}
				return err
			}
		}
	}
	return nil
}
