package run

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/sample"
	"pooler-lab/internal/server"
	"pooler-lab/internal/topology"
)

// A capacity is what the running lab and the machine have. 0 is no limit, or not known.
type capacity struct {
	connections int   // of the PostgreSQL node that takes the fewest
	nodeBytes   int64 // memory of the PostgreSQL node that may use the least
	hostBytes   int64
	files       uint64 // that a process of this container may open at most
	scale       int    // of the data
}

func thisCapacity(ctx context.Context, servers *server.Servers, scale int) capacity {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	c := capacity{scale: scale, hostBytes: memoryBytes()}
	for _, said := range servers.MaxConnections(ctx, topology.Nodes()) {
		n, _ := strconv.Atoi(said) // 0 where it doesn't tell
		c.connections = least(c.connections, n)
	}
	for _, node := range topology.Nodes() {
		limit, _ := sample.ReadLimit(ctx, topology.DockerURL, os.Getenv("COMPOSE_PROJECT_NAME"), node) // 0 where nobody tells
		c.nodeBytes = least(c.nodeBytes, limit.MemoryBytes)
	}
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) == nil {
		c.files = limit.Max
	}
	return c
}

// least is the smaller one of two limits, of which 0 is none.
func least[N int | int64](a, b N) N {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

const gigabyte = 1e9

// refuse says which of the needs can't be met, and what would change that; nil where all can.
func (c capacity) refuse(needs *lesson.Needs) error {
	var missing []string
	lacks := func(lacking bool, text string, args ...any) {
		if lacking {
			missing = append(missing, fmt.Sprintf(text, args...))
		}
	}
	lacks(c.connections > 0 && c.connections < needs.MaxConnections,
		"LAB_MAX_CONNECTIONS is %d and has to be %d", c.connections, needs.MaxConnections)
	lacks(c.nodeBytes > 0 && float64(c.nodeBytes) < needs.NodeMemoryGB*gigabyte,
		"LAB_NODE_MEMORY is %s and has to be %gg", composeMemory(c.nodeBytes), needs.NodeMemoryGB)
	lacks(c.hostBytes > 0 && float64(c.hostBytes) < needs.HostMemoryGB*gigabyte,
		"this machine has %.1f GB of memory and it takes %g", float64(c.hostBytes)/gigabyte, needs.HostMemoryGB)
	lacks(c.files > 0 && c.files < uint64(needs.Files),
		"a process may open %d files here and k6 opens %d: raise the hard limit of Docker's daemon (default-ulimits)",
		c.files, needs.Files)
	lacks(c.scale > 0 && c.scale < needs.Scale, "the data's scale is %d and has to be %d (scripts/reset --scale %d)",
		c.scale, needs.Scale, needs.Scale)
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("the full size doesn't fit: %s (LAB_... are settings in .env; then scripts/up)",
		strings.Join(missing, "; "))
}

// checkData refuses cells that draw from more accounts than the data has.
func (p *plan) checkData(scale int) error {
	for _, c := range p.cells {
		if all := lesson.Accounts * scale; c.HotRows > all {
			return fmt.Errorf("experiment %s reads %d accounts, and the data has %d: scripts/reset --scale %d loads more",
				c.Experiment, c.HotRows, all, (c.HotRows+lesson.Accounts-1)/lesson.Accounts)
		}
	}
	return nil
}

// spokenNeeds lists what the needs are, for people.
func spokenNeeds(needs *lesson.Needs) string {
	var all []string
	add := func(value float64, text string) {
		if value > 0 {
			all = append(all, fmt.Sprintf(text, value))
		}
	}
	add(float64(needs.MaxConnections), "%g connections (LAB_MAX_CONNECTIONS)")
	add(needs.NodeMemoryGB, "%g GB for each database node (LAB_NODE_MEMORY)")
	add(float64(needs.Scale), "data of scale %g (LAB_SCALE)")
	add(needs.HostMemoryGB, "%g GB of memory in all")
	add(float64(needs.Files), "%g open files")
	return strings.Join(all, ", ")
}

// composeMemory writes a memory limit as Compose has it, such as 1g or 512m.
func composeMemory(bytes int64) string {
	for i, unit := range []string{"g", "m", "k"} {
		if size := int64(1) << (30 - 10*i); bytes%size == 0 {
			return fmt.Sprintf("%d%s", bytes/size, unit)
		}
	}
	return fmt.Sprintf("%d", bytes)
}
