package k6run

import (
	"encoding/json"
	"fmt"
)

// A Cell is what k6/lib/lab.js is told of a cell.
type Cell struct {
	Path     string          `json:"path"`
	DSN      string          `json:"dsn"` // without a password: that is in PGPASSWORD
	Role     string          `json:"role"`
	Link     string          `json:"link"` // under study
	Latency  int             `json:"latency_ms"`
	Workload string          `json:"workload,omitempty"` // a name that the script exports; its default without one
	Params   json.RawMessage `json:"params"`             // an object
	Protocol string          `json:"protocol"`

	Clients      int `json:"clients"`
	PoolSize     int `json:"pool_size"`     // of the pooler, 0 where it is as configured
	Instances    int `json:"instances"`     // of the application, each with a pool; 0 is a connection a client
	InstancePool int `json:"instance_pool"` // connections of each pool
	Transactions int `json:"transactions"`  // of each client; 0 is a window of Seconds

	Rate     float64 `json:"rate"`           // iterations per second over all clients; 0 is a closed loop
	Seconds  float64 `json:"seconds"`        // 0 has no window: until k6 is ended
	Warmup   float64 `json:"warmup_seconds"` // least time that the clients of a closed loop warm up
	Deadline float64 `json:"deadline_seconds"`
	Scale    int     `json:"scale"`
	Seed     uint32  `json:"seed"`
}

// GettingReady is what clients with so many connections may take to connect and to do their first iterations, in
// seconds. A window waits for them, so this only ends what hangs. It is several times what a slow machine needs.
func GettingReady(connections int) float64 { return 120 + 0.5*float64(connections) }

// Env is the environment that tells k6 of the cell.
func (c Cell) Env() ([]string, error) {
	if len(c.Params) == 0 {
		c.Params = json.RawMessage("{}")
	}
	text, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("write the cell for k6: %w", err)
	}
	return []string{"LAB_CELL=" + string(text)}, nil
}
