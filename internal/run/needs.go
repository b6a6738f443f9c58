package run

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"pooler-lab/internal/lesson"
)

// A capacity is what the lab was started with and what the machine has. 0 is no limit, or not known.
type capacity struct {
	connections int    // LAB_MAX_CONNECTIONS
	nodeMemory  string // LAB_NODE_MEMORY, as Compose has it
	hostBytes   int64
	files       uint64 // that a process of this container may open at most
	scale       int    // of the data
}

func thisCapacity(scale int) capacity {
	c := capacity{scale: scale, nodeMemory: os.Getenv("LAB_NODE_MEMORY"), hostBytes: memoryBytes()}
	c.connections, _ = strconv.Atoi(os.Getenv("LAB_MAX_CONNECTIONS"))
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) == nil {
		c.files = limit.Max
	}
	return c
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
	node := composeBytes(c.nodeMemory)
	lacks(c.connections > 0 && c.connections < needs.MaxConnections,
		"LAB_MAX_CONNECTIONS is %d and has to be %d", c.connections, needs.MaxConnections)
	lacks(node > 0 && node < needs.NodeMemoryGB*gigabyte,
		"LAB_NODE_MEMORY is %s and has to be %s", c.nodeMemory, composeMemory(needs.NodeMemoryGB))
	lacks(c.hostBytes > 0 && float64(c.hostBytes) < needs.HostMemoryGB*gigabyte,
		"this machine has %.1f GB of memory and it takes %g", float64(c.hostBytes)/gigabyte, needs.HostMemoryGB)
	lacks(c.files > 0 && c.files < uint64(needs.Files),
		"a process may open %d files here and k6 opens %d: raise the hard limit of Docker's daemon (default-ulimits)", c.files, needs.Files)
	lacks(c.scale > 0 && c.scale < needs.Scale, "the data's scale is %d and has to be %d (scripts/reset --scale %d)", c.scale, needs.Scale, needs.Scale)
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("the full size doesn't fit: %s (LAB_... are settings in .env; then scripts/up)", strings.Join(missing, "; "))
}

// spokenNeeds lists what the needs are, for people.
func spokenNeeds(needs *lesson.Needs) string {
	var all []string
	for _, n := range []struct {
		value float64
		text  string
	}{{float64(needs.MaxConnections), "%g connections (LAB_MAX_CONNECTIONS)"}, {needs.NodeMemoryGB, "%g GB for each database node (LAB_NODE_MEMORY)"},
		{float64(needs.Scale), "data of scale %g (LAB_SCALE)"}, {needs.HostMemoryGB, "%g GB of memory in all"}, {float64(needs.Files), "%g open files"}} {
		if n.value > 0 {
			all = append(all, fmt.Sprintf(n.text, n.value))
		}
	}
	return strings.Join(all, ", ")
}

// composeBytes reads a memory limit as Compose has it, such as 1g or 512m; 0 where there is none.
func composeBytes(text string) float64 {
	text = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(text)), "b")
	units := map[string]float64{"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
	unit := 1.0
	if n := len(text); n > 0 && units[text[n-1:]] > 0 {
		text, unit = text[:n-1], units[text[n-1:]]
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0
	}
	return value * unit
}

// composeMemory writes gigabytes as Compose has them.
func composeMemory(gb float64) string {
	if gb == float64(int(gb)) {
		return fmt.Sprintf("%dg", int(gb))
	}
	return fmt.Sprintf("%.0fm", gb*1000)
}
