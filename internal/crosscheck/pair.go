package crosscheck

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"pooler-lab/internal/outcome"
	"pooler-lab/internal/pgbench"
	"pooler-lab/internal/suggest"
	"pooler-lab/internal/topology"
)

// pair is two paths whose ratio of throughput both programs measure, of SELECTs by key. Side A is the direct path.
type pair struct {
	paths    [2]string
	clients  int // of each path
	protocol string
	role     string
	required bool // the two ratios have to be the same
	groups   int  // of slots, in a part
	seed     uint64

	pgbench, k6 measured
	err         error // why it wasn't measured
}

// measured is what one program found, in all parts.
type measured []*part

// part is one run of a pair by one program.
type part struct {
	slots   []pgbench.Slot
	ratios  []float64    // of B's throughput to A's, one a group of slots
	clients [2][]float64 // transactions of each client, by side
	cpu     time.Duration
}

// leastQuotient and mostQuotient are how far the ratios of both programs may be apart, and those of equal paths from 1.
const (
	leastQuotient = 0.95
	mostQuotient  = 1.05
)

// requiredClients are the numbers of clients, with the simple protocol, at which the ratio of each of requiredPaths to
// the direct path has to be the same with both programs.
var requiredClients = []int{10, 90}

// allClients and allProtocols are what --all has.
var (
	allClients   = []int{1, 10, 35, 90}
	allProtocols = []string{"simple", "prepared"}
)

// pairPlan returns the pairs: first the direct path with itself, which checks the method, then with each other path.
func pairPlan(set *topology.Set, o options) ([]*pair, error) {
	clients, protocols := requiredClients, allProtocols[:1]
	if o.all {
		clients, protocols = allClients, allProtocols
	}
	if o.own {
		clients = []int{o.clients}
	}
	paths, err := pairPaths(set, o.paths)
	if err != nil {
		return nil, err
	}
	var pairs []*pair
	for _, path := range paths {
		for _, protocol := range protocols {
			for _, n := range clients {
				pairs = append(pairs, &pair{paths: [2]string{direct, path}, clients: n, protocol: protocol, role: "app",
					groups: o.groups / 2, required: path == direct || isRequired(path, protocol, n)})
			}
		}
	}
	return pairs, nil
}

// pairPaths returns the paths to PostgreSQL without latency, or those of them that are wanted: the direct path first.
// pgbench has no application's pool.
func pairPaths(set *topology.Set, wanted []string) ([]string, error) {
	paths := []string{direct}
	for _, p := range set.Paths {
		if p.Database == "postgresql" && p.Name != direct && !p.ApplicationPool && p.WithoutLatency == "" {
			paths = append(paths, p.Name)
		}
	}
	for _, name := range wanted {
		if !slices.Contains(paths, name) {
			return nil, suggest.Unknown("path", name, paths)
		}
	}
	if len(wanted) > 0 {
		paths = slices.DeleteFunc(paths, func(path string) bool { return !slices.Contains(wanted, path) })
	}
	return paths, nil
}

// direct is the path that all others are compared with.
const direct = "direct"

func isRequired(path, protocol string, clients int) bool {
	return slices.Contains(requiredPaths, path) && protocol == "simple" && slices.Contains(requiredClients, clients)
}

// measure lets both programs measure the pair: k6, pgbench, pgbench, k6. k6 is first, since it says at once where the
// clients can't all be connected.
func (p *pair) measure(ctx context.Context, ends [2]topology.Endpoint, scale int) error {
	byK6 := func() error { return add(&p.k6)(p.runK6(ctx, ends, scale)) }
	byPgbench := func() error { return add(&p.pgbench)(p.runPgbench(ctx, ends)) }
	for _, program := range []func() error{byK6, byPgbench, byPgbench, byK6} {
		p.seed = rand.Uint64()
		if err := program(); err != nil {
			return err
		}
	}
	return nil
}

// add returns a function that adds a part to those of a program.
func add(parts *measured) func(*part, error) error {
	return func(one *part, err error) error {
		if err == nil {
			*parts = append(*parts, one)
		}
		return err
	}
}

// done says whether both programs measured it, if only in part.
func (p *pair) done() bool { return len(p.pgbench) > 0 && len(p.k6) > 0 }

// name is the pair for people.
func (p *pair) name() string {
	return fmt.Sprintf("%s, %d clients, %s", p.paths[pgbench.B], p.clients, p.protocol)
}

// ratios are those of all groups.
func (m measured) ratios() (all []float64) {
	for _, one := range m {
		all = append(all, one.ratios...)
	}
	return all
}

// fairness is Jain's index over the clients of a side, the mean of the parts.
func (m measured) fairness(side pgbench.Side) float64 {
	sum := 0.0
	for _, one := range m {
		sum += pgbench.Jain(one.clients[side])
	}
	return sum / float64(len(m))
}

// tps is a side's throughput.
func (m measured) tps(side pgbench.Side) float64 {
	var slots []pgbench.Slot
	for _, one := range m {
		slots = append(slots, one.slots...)
	}
	return pgbench.TPS(slots, side)
}

// cpuMicros is the CPU time that the program took for a transaction of either side, in microseconds.
func (m measured) cpuMicros() float64 {
	var cpu time.Duration
	transactions := 0.0
	for _, one := range m {
		cpu += one.cpu
		for _, slot := range one.slots {
			transactions += slot.All
		}
	}
	return float64(cpu.Microseconds()) / transactions
}

// quotient is the ratio of ratios: k6's to pgbench's.
func (p *pair) quotient() outcome.Interval {
	return quotient(p.k6.ratios(), p.pgbench.ratios())
}

// agreement says whether the ratio is the same with both programs. Equal paths must be equal with each of them.
func (p *pair) agreement() agreement {
	switch {
	case !p.done():
		return differs
	case p.paths[pgbench.A] != p.paths[pgbench.B]:
		return judge(p.quotient(), leastQuotient, mostQuotient)
	}
	found := agrees
	for _, ratios := range [][]float64{p.pgbench.ratios(), p.k6.ratios()} {
		switch judge(outcome.Summary(ratios), leastQuotient, mostQuotient) {
		case differs:
			return differs
		case inconclusive:
			found = inconclusive
		}
	}
	return found
}
