package result

import "strings"

// A Manifest says on what and under which settings a run was made, as the running components told it. Where one didn't
// tell, 'unknown: <why>' stands in its place.
type Manifest struct {
	Versions       map[string]string `json:"versions"` // of each component
	Authentication []Login           `json:"authentication"`
	Scale          int               `json:"scale"`           // of pgbench's tables
	MaxConnections map[string]string `json:"max_connections"` // of each database
	// HugePages says of each database whether its shared memory is in huge pages: on or off.
	HugePages map[string]string `json:"huge_pages,omitempty"`
	Limits    []Limit           `json:"limits"`
	Host      Host              `json:"host"`
}

// A Login is what a role's clients are asked for where paths begin.
type Login struct {
	Role   string   `json:"role"`
	Method string   `json:"method"`
	Paths  []string `json:"paths"`
}

// A Limit is the share of the machine that each of some services may use. Empty is no limit.
type Limit struct {
	Of       string   `json:"of"` // nodes, poolers, yugabyte
	Services []string `json:"services"`
	CPUs     string   `json:"cpus"`
	Memory   string   `json:"memory"` // as Compose has it
}

// CPUs says what each service of a kind may use of the CPU, for people.
func (m Manifest) CPUs(of string) string {
	for _, l := range m.Limits {
		switch {
		case l.Of != of || l.CPUs == "":
		case strings.HasPrefix(l.CPUs, unknown):
			return "an unknown CPU limit"
		default:
			return l.CPUs + " CPU"
		}
	}
	return "no CPU limit"
}

// unknown begins what stands in place of what a component didn't tell.
const unknown = "unknown: "

// Unknown says that a component didn't tell, and why.
func Unknown(err error) string { return unknown + strings.Join(strings.Fields(err.Error()), " ") }

// A Host is the machine as the generator sees it.
type Host struct {
	CPUs        int    `json:"cpus"`
	MemoryBytes int64  `json:"memory_bytes"`
	Kernel      string `json:"kernel"`
	Arch        string `json:"arch"`
}
