package lesson

import (
	"errors"
	"fmt"
	"slices"

	"pooler-lab/internal/wording"
)

// PathTraits are what a lesson has to know about a path to spread its cells over it.
type PathTraits struct {
	Name string
	// Plain says that the path can be measured without toxiproxy. A pooler near the application can't:
	// without latency between it and the database it is the same path as the plain one.
	Plain    bool
	Links    []string // that latency can be put on; the first is the one used unless an experiment names another
	Roles    []string // that can log in over it
	Pooler   string   // the service that pools its connections, "" where none does
	PoolSize string   // the pooler's setting that pool_sizes varies, "" where there is none
	OwnPool  bool     // the application keeps a pool: its cells have instances
	Straight bool     // to a PostgreSQL server, so that a database made anew can be reached over it
	// NamedOnly says that "*" doesn't mean it.
	NamedOnly bool
}

// A Cell is one path x latency x workload x client count x protocol of an experiment, and whatever else that varies.
type Cell struct {
	ID         string `json:"id"`
	Experiment string `json:"experiment"`
	Path       string `json:"path"`
	Latency    Value  `json:"latency_ms"` // of round trip, that the link adds; None has no toxiproxy in it
	Link       string `json:"link"`       // the link under study, empty without toxiproxy
	Workload   string `json:"workload"`
	Clients    int    `json:"clients"`
	Protocol   string `json:"protocol"`
	Driver     string `json:"driver,omitempty"` // the program that its clients are in, "" for k6: see DrivenBy
	Shared
	// Wanted is how many times it is to run, once a block. Paired says how many of these blocks are pairs: a cell
	// beside another, alternating with it. The pairs come first.
	Wanted int `json:"repeats_wanted"`
	Paired int `json:"pairs,omitempty"`
	// Planned is how many blocks its experiment gives it, where it is paired: as many as it runs in where a pair of it
	// can't be measured after all.
	Planned int `json:"repeats_planned,omitempty"`

	Role          string `json:"role"`
	PoolSize      int    `json:"pool_size,omitempty"` // 0: as configured, or no size
	Instances     int    `json:"instances,omitempty"`
	InstancePool  int    `json:"instance_pool,omitempty"`
	HotRows       int    `json:"hot_rows,omitempty"`       // accounts that clients draw from; 0: all
	PgbenchScript string `json:"pgbench_script,omitempty"` // where pgbench drives it
}

// Connections is how many the cell's clients have open at most.
func (c Cell) Connections() int {
	if c.Instances > 0 {
		return c.Instances * c.InstancePool
	}
	return c.Clients
}

// Cells spreads the lesson's experiments over the paths, in the lab's order, then latency, workload, clients,
// protocol, driver, role, pool size, instances and hot rows as the lesson lists them. A latency or role that a path
// can't have makes no cell.
func (l *Lesson) Cells(paths []PathTraits) ([]Cell, error) {
	var cells []Cell
	for _, e := range l.Experiments {
		for _, p := range paths {
			if _, has := e.Settings[p.Pooler][p.PoolSize]; has {
				return nil, fmt.Errorf("experiment %s: settings of %s: %s is what pool_sizes is for", e.Name, p.Pooler, p.PoolSize)
			}
		}
		chosen, err := e.pathsOf(paths)
		if err != nil {
			return nil, fmt.Errorf("experiment %s: %w", e.Name, err)
		}
		for _, p := range chosen {
			for _, c := range e.cells(p) {
				if c.DrivenBy() == Pgbench {
					c.PgbenchScript = pgbenchScript(l.Pgbench[c.Workload])
				}
				cells = append(cells, c)
			}
		}
	}
	if len(cells) == 0 {
		return nil, errors.New("no cells are left: a path without a link (socket) has no latency to set, " +
			"a pooler near the application is only measured with one, and YugabyteDB knows role app alone")
	}
	return cells, nil
}

// pathsOf returns those of all that the experiment asks for.
func (e *Experiment) pathsOf(all []PathTraits) ([]PathTraits, error) {
	if slices.Contains(e.Paths, "*") {
		return slices.DeleteFunc(slices.Clone(all), func(p PathTraits) bool {
			return p.NamedOnly || e.FreshDatabase && !p.Straight
		}), nil
	}
	var names []string
	for _, p := range all {
		names = append(names, p.Name)
		if e.FreshDatabase && !p.Straight && slices.Contains(e.Paths, p.Name) {
			return nil, fmt.Errorf("fresh_database is for paths straight to a PostgreSQL server, and %s isn't one", p.Name)
		}
	}
	for _, p := range e.Paths {
		if !slices.Contains(names, p) {
			return nil, wording.Unknown("path", p, names)
		}
	}
	if err := e.checkDocumented(names); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(all), func(p PathTraits) bool { return !slices.Contains(e.Paths, p.Name) }), nil
}
