package metric

import (
	"strings"

	"pooler-lab/internal/result"
)

// servers are what the machines and the databases had to do.
func servers() []Metric {
	return []Metric{
		{Name: "memory_database_mb", Heading: "memory database", Unit: "MB", Better: Less, kind: counted,
			of:      memory(isDatabase),
			Meaning: "most memory of the path's database nodes together, shared memory that they touched included"},
		{Name: "memory_per_backend_mb", Heading: "memory a backend", Unit: "MB", Better: Less, kind: counted,
			of:      per(memory(isDatabase), backends),
			Meaning: "memory of the database nodes / most backends: shared memory and the nodes' own processes included"},
		{Name: "cpu_database", Heading: "CPU database", Unit: "CPUs", Better: Less, of: cpus(isDatabase),
			Meaning: "CPU seconds a second of the path's database nodes together"},
		{Name: "throttled_database", Heading: "throttled database", Unit: "share", Better: Less, of: throttled(isDatabase),
			Meaning: "share of the periods in which its CPU limit stopped a database node, of the one stopped most"},
		{Name: "context_switches", Heading: "context switches", Unit: "per iteration", Better: Less, of: per(switches, rate),
			Meaning: "context switches of the whole host, whoever caused them, for each iteration"},
		{Name: "generator_us", Heading: "CPU client", Unit: "us", Better: Less, kind: sampled, of: generatorMicros,
			Meaning: "CPU time that k6, or pgbench, takes for a transaction, its start and its end included"},
		{Name: "backends", Heading: "backends", Better: Less, kind: counted, of: backends,
			Meaning: "most backends that served measured connections at once, all nodes together"},
		{Name: "active", Heading: "active", kind: counted, of: nodes(func(n *result.Node) *int { return &n.MaxActive }),
			Meaning: "most backends that were at work at once, all nodes together"},
		{Name: "locks", Heading: "locks", Better: Less, kind: counted,
			of:      nodes(func(n *result.Node) *int { return n.MaxLocks }),
			Meaning: "most locks that measured connections held or waited for at once, all nodes together"},
		{Name: "selects_primary", Heading: "SELECTs primary", kind: counted, drawn: true, of: selects("primary"),
			Meaning: "SELECTs that the pooler sent to the primary, warm-up included"},
		{Name: "selects_standby", Heading: "SELECTs standby", kind: counted, drawn: true, of: selects("standby"),
			Meaning: "SELECTs that the pooler sent to the standby, warm-up included"},
		{Name: "standby_share", Heading: "on standby", Unit: "share", kind: counted, drawn: true, of: standbyShare,
			Meaning: "share of the SELECTs that the standby answered"},
		{Name: "wait_cost", Heading: "sampling cost", Unit: "share", Better: Less, of: waitCost,
			Meaning: "share of the window's time that a node spent on samples of its sessions, of the one that spent most"},
	}
}

// isDatabase says whether a service of a path is a database node; what else a path goes through is a pooler.
func isDatabase(service string) bool {
	return service == "primary" || service == "standby" || strings.HasPrefix(service, "yugabyte")
}

func isPooler(service string) bool { return !isDatabase(service) && service != "toxiproxy" }

func memory(of func(service string) bool) reading {
	return containers(of, func(c result.Container) float64 { return c.MemoryMB })
}

func cpus(of func(service string) bool) reading {
	return containers(of, func(c result.Container) float64 { return c.CPUs })
}

// throttled is measured where one of the containers has a limit.
func throttled(wanted func(service string) bool) reading {
	return func(_ *result.Cell, r *result.Repeat) (most float64, found bool) {
		if r.Resources == nil {
			return 0, false
		}
		for _, c := range r.Resources.Containers {
			if wanted(c.Service) && c.Throttled != nil {
				most, found = max(most, *c.Throttled), true
			}
		}
		return most, found
	}
}

// containers sums over those of the repeat's containers that are wanted.
func containers(wanted func(service string) bool, of func(result.Container) float64) reading {
	return func(_ *result.Cell, r *result.Repeat) (sum float64, found bool) {
		if r.Resources == nil {
			return 0, false
		}
		for _, c := range r.Resources.Containers {
			if wanted(c.Service) {
				sum, found = sum+of(c), true
			}
		}
		return sum, found
	}
}

// nodes sums over the databases that were sampled, where each of them has a count.
func nodes(of func(*result.Node) *int) reading {
	return func(_ *result.Cell, r *result.Repeat) (float64, bool) {
		sum := 0
		for i := range r.Nodes {
			count := of(&r.Nodes[i])
			if count == nil {
				return 0, false
			}
			sum += *count
		}
		return float64(sum), len(r.Nodes) > 0
	}
}

var backends = nodes(func(n *result.Node) *int { return &n.MaxBackends })

// generatorMicros is the CPU time of the clients' program for each transaction that it did, whatever the phase, in
// microseconds.
func generatorMicros(_ *result.Cell, r *result.Repeat) (float64, bool) {
	if r.Resources == nil || r.Resources.GeneratorSeconds == nil || r.Measured.Counted.Transactions == 0 {
		return 0, false
	}
	return 1e6 * *r.Resources.GeneratorSeconds / float64(r.Measured.Counted.Transactions), true
}

func switches(_ *result.Cell, r *result.Repeat) (float64, bool) {
	if r.Resources == nil || r.Resources.Switches == nil {
		return 0, false
	}
	return *r.Resources.Switches, true
}

// per divides one reading by another that isn't 0.
func per(of, by reading) reading {
	return func(c *result.Cell, r *result.Repeat) (float64, bool) {
		a, ok := of(c, r)
		b, okay := by(c, r)
		if !ok || !okay || b == 0 {
			return 0, false
		}
		return a / b, true
	}
}

// selects counts those that a balancing path sent to the nodes of that role.
func selects(role string) reading {
	return func(_ *result.Cell, r *result.Repeat) (sum float64, found bool) {
		for _, s := range r.Shares {
			if s.Role == role {
				sum += float64(s.Selects)
			}
		}
		return sum, len(r.Shares) > 0
	}
}

// rate is how many iterations a second there were.
func rate(c *result.Cell, r *result.Repeat) (float64, bool) {
	n, ok := iterations(c, r)
	if !ok || r.Measured.WindowSeconds == 0 {
		return 0, false
	}
	return n / r.Measured.WindowSeconds, true
}

func standbyShare(c *result.Cell, r *result.Repeat) (float64, bool) {
	primary, _ := selects("primary")(c, r)
	standby, _ := selects("standby")(c, r)
	if primary+standby == 0 {
		return 0, false
	}
	return standby / (primary + standby), true
}

func waitCost(_ *result.Cell, r *result.Repeat) (most float64, found bool) {
	for _, n := range r.Nodes {
		most = max(most, n.CostShare)
	}
	return most, len(r.Nodes) > 0
}
