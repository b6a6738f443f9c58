// Package lesson reads what a k6 lesson asks (options.ext.lab) and spreads it out into cells.
package lesson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// A Lesson is a question and the groups of cells that answer it.
type Lesson struct {
	Name        string       `json:"lesson"`
	Title       string       `json:"title"`
	Question    string       `json:"question"`
	Explanation string       `json:"explanation"`
	Minutes     float64      `json:"minutes"` // about how long it takes with its default cells
	Experiments []Experiment `json:"groups"`
	Prediction  string       `json:"prediction"` // what to commit to before the figures show, as a question
	Comparisons []Comparison `json:"headlines"`  // the comparisons that the lesson claims, six at most
	Study       *Study       `json:"study"`      // the published one that it asks again, nil where it asks its own
	Charts      []Chart      `json:"charts"`
	Full        *Needs       `json:"full"` // what its full size needs; nil where it has none

	LeftOut []string `json:"-"` // groups that only the full size has, where this isn't it

	File   string `json:"-"` // where the script is
	SHA256 string `json:"-"` // of the script's text, in hex
}

// A Experiment is a set of cells that differ in path, latency, workload, clients or protocol and share the rest.
type Experiment struct {
	Name      string    `json:"name"`
	Workload  Words     `json:"workload"`
	Paths     []string  `json:"paths"` // "*" is every path that has no pool within the application
	Latencies []Latency `json:"latencies"`
	Clients   []int     `json:"clients"`
	Protocol  Words     `json:"protocol"` // prepared where none is given
	// Link is the link under study; without one it is the first that configs/paths.yaml gives for the path.
	Link string `json:"link"`
	// Rate is transactions per second over all clients; 0 is a closed loop.
	Rate    float64 `json:"rate"`
	Seconds float64 `json:"seconds"` // length of the measured window
	Warmup  float64 `json:"warmup_seconds"`
	Repeats int     `json:"repeats"` // 1 where none is given
	// FillPools has every child of a Pgpool-II open its backends before the cell, and PgBouncer a server connection,
	// so that a workload that connects over and over finds a pool in use and not one just started.
	FillPools bool `json:"fill_pools"`

	// Roles say how clients log in: app (SCRAM; the default), app_clear (SCRAM, and PgBouncer holds the clear
	// password) or app_trust (no password).
	Roles Words `json:"roles"`
	// PoolSizes are server connections that PgBouncer may have for the role; none is as configs/ have it. Paths
	// without PgBouncer have one cell, of no size.
	PoolSizes []int `json:"pool_sizes"`
	// Instances is how many application processes the clients are divided among, each with a pool of PodPools connections
	// that its clients share; none is a connection a client. On a path whose application has a pool it is one pod, and
	// a pool of as many connections as it has clients, 10 at most.
	Instances     []int `json:"pods"`
	InstancePools []int `json:"pod_pools"`
	// Writes has each repeat begin with the history truncated, the small tables vacuumed, a checkpoint and a standby
	// that has caught up (PostgreSQL alone). A workload whose name begins with tpcb inserts one row into
	// pgbench_history a transaction: those are counted against k6's.
	Writes bool `json:"writes"`
	// Transactions is how many each client does before it disconnects; the window is then as long as all take, and
	// Seconds is the most it may last. 0 is a window of Seconds.
	Transactions int `json:"transactions"`
	// BandwidthKBs is the link's, in KB (1000 bytes) a second and connection, where the cell goes through toxiproxy; 0 is no limit.
	BandwidthKBs int `json:"bandwidth_kb_s"`
	// ReplicationMS is the latency on the link between primary and standby, in milliseconds of round trip; 0 leaves
	// replication off toxiproxy.
	ReplicationMS int `json:"replication_ms"`
	// FreshDatabase has the clients connect to a database just made, whose first connection builds its caches. It is
	// empty, and only for paths straight to a PostgreSQL server.
	FreshDatabase bool `json:"fresh_database"`
	// Settings are put in force before each repeat and taken back after the cell, by component (primary, standby,
	// pgbouncer) and name.
	Settings map[string]map[string]string `json:"settings"`
	// Params go to the script as they are, as cell.params.
	Params json.RawMessage `json:"params"`
	// WaitsHz is how often each node is asked what its sessions wait for, times a second; 0 is the default.
	WaitsHz float64 `json:"waits_hz"`
	// Metrics are the columns that tables show, by name (see package figure); none is by workload.
	Metrics []string `json:"figures"`
	// Full is what the full size changes: the same fields, of which those given take the place of the ones above.
	Full json.RawMessage `json:"full"`
	// FullOnly groups are part of the full size alone.
	FullOnly bool `json:"full_only"`
}

// Expected is how long the lesson takes as it is, by its author; 0 is not said.
func (l *Lesson) Expected(full bool) time.Duration {
	minutes := l.Minutes
	if full && l.Full != nil {
		minutes = l.Full.Minutes
	}
	return time.Duration(minutes * float64(time.Minute))
}

// parse reads options.ext.lab out of what `k6 inspect` printed.
func parse(inspected []byte) (*Lesson, error) {
	var options struct {
		Ext map[string]json.RawMessage `json:"ext"`
	}
	if err := json.Unmarshal(inspected, &options); err != nil {
		return nil, fmt.Errorf("read what k6 inspect printed: %w", err)
	}
	raw, ok := options.Ext["lab"]
	if !ok {
		return nil, errors.New("it has no options.ext.lab: that is where a lesson holds its question and its cells")
	}
	l := new(Lesson)
	if err := strictly(raw, l); err != nil {
		return nil, fmt.Errorf("read options.ext.lab: %w", err)
	}
	for i := range l.Experiments {
		l.Experiments[i].fill()
	}
	if err := l.validate(); err != nil {
		return nil, err
	}
	return l, l.validateFull()
}

// strictly decodes raw into v and refuses fields that v doesn't have, since those are typing errors.
func strictly(raw []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something follows the end of it")
	}
	return nil
}

func (g *Experiment) fill() {
	if len(g.Protocol) == 0 {
		g.Protocol = Words{"prepared"}
	}
	if g.Repeats == 0 {
		g.Repeats = 1
	}
	if len(g.Roles) == 0 {
		g.Roles = Words{"app"}
	}
	if string(g.Params) == "null" {
		g.Params = nil
	}
}
