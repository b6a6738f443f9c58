package plan

import (
	"fmt"
	"strings"

	"pooler-lab/internal/lesson"
)

// A Capacity is what the running lab and the machine have. 0 is no limit, or not known.
type Capacity struct {
	Connections int   // of the PostgreSQL node that takes the fewest
	NodeBytes   int64 // memory of the PostgreSQL node that may use the least
	HostBytes   int64
	Files       uint64 // that a process of this container may open at most
	Scale       int    // of the data
}

const gigabyte = 1e9

// Refuse says which of the needs can't be met, and what would change that; nil where all can.
func (c Capacity) Refuse(needs *lesson.Needs) error {
	var missing []string
	lacks := func(lacking bool, text string, args ...any) {
		if lacking {
			missing = append(missing, fmt.Sprintf(text, args...))
		}
	}
	lacks(c.Connections > 0 && c.Connections < needs.MaxConnections,
		"LAB_MAX_CONNECTIONS is %d and has to be %d", c.Connections, needs.MaxConnections)
	lacks(c.NodeBytes > 0 && float64(c.NodeBytes) < needs.NodeMemoryGB*gigabyte,
		"LAB_NODE_MEMORY is %s and has to be %gg", ComposeMemory(c.NodeBytes), needs.NodeMemoryGB)
	lacks(c.HostBytes > 0 && float64(c.HostBytes) < needs.HostMemoryGB*gigabyte,
		"this machine has %.1f GB of memory and it takes %g", float64(c.HostBytes)/gigabyte, needs.HostMemoryGB)
	lacks(c.Files > 0 && c.Files < uint64(needs.Files),
		"a process may open %d files here and k6 opens %d: raise the hard limit of Docker's daemon (default-ulimits)",
		c.Files, needs.Files)
	lacks(c.Scale > 0 && c.Scale < needs.Scale, "the data's scale is %d and has to be %d (scripts/reset --scale %d)",
		c.Scale, needs.Scale, needs.Scale)
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("the full size doesn't fit: %s (LAB_... are settings in .env; then scripts/up)",
		strings.Join(missing, "; "))
}

// CheckData refuses cells that draw from more accounts than the data has.
func (p *Plan) CheckData(scale int) error {
	for _, c := range p.Cells {
		if all := lesson.Accounts * scale; c.HotRows > all {
			return fmt.Errorf("experiment %s reads %d accounts, and the data has %d: scripts/reset --scale %d loads more",
				c.Experiment, c.HotRows, all, (c.HotRows+lesson.Accounts-1)/lesson.Accounts)
		}
	}
	return nil
}

// SpokenNeeds lists what the needs are, for people.
func SpokenNeeds(needs *lesson.Needs) string {
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

// ComposeMemory writes a memory limit as Compose has it, such as 1g or 512m.
func ComposeMemory(bytes int64) string {
	for i, unit := range []string{"g", "m", "k"} {
		if size := int64(1) << (30 - 10*i); bytes%size == 0 {
			return fmt.Sprintf("%d%s", bytes/size, unit)
		}
	}
	return fmt.Sprintf("%d", bytes)
}
