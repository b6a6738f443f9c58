// Package lesson reads a lesson's plan (YAML, beside its k6 script) and spreads it out into cells.
package lesson

import (
	"slices"

	"gopkg.in/yaml.v3"
)

// About is what a run keeps of its lesson.
type About struct {
	Name        string       `json:"name" yaml:"-"` // of its files
	Title       string       `json:"title" yaml:"title"`
	Question    string       `json:"question" yaml:"question"`
	Prediction  string       `json:"prediction,omitempty" yaml:"prediction"` // as a question, before the figures show
	Explanation string       `json:"explanation" yaml:"explanation"`
	File        string       `json:"file" yaml:"-"`                      // where the script is
	SHA256      string       `json:"sha256" yaml:"-"`                    // of plan and script, without what it imports
	Comparisons []Comparison `json:"comparisons" yaml:"comparisons"`     // that the lesson claims, six at most
	Findings    []Finding    `json:"findings,omitempty" yaml:"findings"` // the lab's own
	Study       *Study       `json:"study,omitempty" yaml:"study"`       // that it reproduces, nil where it has none
	Charts      []Chart      `json:"charts,omitempty" yaml:"charts"`
	LeftOut     []string     `json:"left_out,omitempty" yaml:"-"`     // experiments that a run leaves out
	OnlyInFull  []string     `json:"only_in_full,omitempty" yaml:"-"` // those of them that only the full size has
}

// A Lesson is a question and the experiments that answer it.
type Lesson struct {
	About   `yaml:",inline"`
	Minutes float64 `yaml:"minutes"` // about how long a plain run takes
	// Until and AtMost are those of comparisons that have none of their own: see Comparison.
	Until  Percent `yaml:"until"`
	AtMost float64 `yaml:"at_most"`
	Full   *Needs  `yaml:"full"` // what its full size needs; nil where it has none
	// Pgbench are scripts of pgbench that do what a workload does, by the workload: the text, or the name of one of
	// pgbench's own.
	Pgbench map[string]string `yaml:"pgbench"`

	Experiments []Experiment `yaml:"-"` // until Apply all of them, side experiments last
	NoPairs     bool         `yaml:"-"` // Apply has all cells run in blocks
	Once        bool         `yaml:"-"` // a pair that was disturbed is flagged, and not measured again

	enlarged bool // it has its full size
}

// An Experiment is a set of cells that differ in path, latency, workload, clients and so on, and share the rest.
type Experiment struct {
	Name      string   `yaml:"name"`
	Text      string   `yaml:"text"` // what it asks, in a sentence; may be empty
	Workload  Words    `yaml:"workload"`
	Paths     []string `yaml:"paths"` // "*" is every path that isn't NamedOnly
	Latencies []Value  `yaml:"latencies"`
	Clients   []int    `yaml:"clients"`
	Protocol  Words    `yaml:"protocol"` // prepared where none is given
	Driver    Words    `yaml:"driver"`   // the program that clients are in: k6 where none is given, or pgbench
	// Link is the link under study; without one it is the first that configs/paths.yaml gives for the path.
	Link    string `yaml:"link"`
	Repeats int    `yaml:"repeats"` // 1 where none is given
	Shared  `yaml:",inline"`

	// Roles say how clients log in: app (SCRAM; the default), app_clear (SCRAM, and poolers hold the clear
	// password) or app_trust (no password).
	Roles Words `yaml:"roles"`
	// PoolSizes are server connections that the path's pooler may have for the role; none is as configs/ have it. Paths
	// without a pooler that can be told have one cell, of no size.
	PoolSizes []int `yaml:"pool_sizes"`
	// Instances is how many application instances the clients are divided among, each with a pool of InstancePools
	// connections that its clients share; none is a connection a client. On a path whose application has a pool it is
	// one instance, and a pool of as many connections as it has clients, 10 at most.
	Instances     []int `yaml:"instances"`
	InstancePools []int `yaml:"instance_pools"`
	// HotRows are how many of pgbench's accounts clients draw from, the first ones; none is all. Each connection maps the
	// pages of those that it reads: of few, it has soon mapped all.
	HotRows []int `yaml:"hot_rows"`
	// FullOnly experiments are part of the full size alone.
	FullOnly bool `yaml:"full_only"`

	Side bool `yaml:"-"` // left out unless it is asked for
	// Changed are the dimensions in which Apply made its cells others, and the values that the lesson has.
	Changed map[string][]string `yaml:"-"`

	plan *yaml.Node // its keys, those of the lesson's defaults included
	full *yaml.Node // keys that the full size changes, nil where it has none
}

// Shared is what all cells of an experiment have in common.
type Shared struct {
	// Rate is iterations per second over all clients; 0 is a closed loop. A run lowers it to what the slowest path holds,
	// unless Overload says that it may be too high.
	Rate     float64 `json:"rate" yaml:"rate"`
	Overload bool    `json:"overload,omitempty" yaml:"overload"`
	Seconds  float64 `json:"seconds" yaml:"seconds"`               // length of the measured window
	Warmup   float64 `json:"warmup_seconds" yaml:"warmup_seconds"` // least time that clients of a closed loop warm up
	// FillPools has the path's pooler open server connections before the cell, so that a workload that connects over and
	// over finds a pool in use and not one just started.
	FillPools bool `json:"fill_pools" yaml:"fill_pools"`
	// Writes has each repeat begin with the history truncated, the small tables vacuumed, a checkpoint and a standby
	// that has caught up (PostgreSQL alone). A workload whose name begins with tpcb inserts one row into
	// pgbench_history a transaction: those are counted against k6's.
	Writes bool `json:"writes,omitempty" yaml:"writes"`
	// Transactions is how many each client does before it disconnects; the window is then as long as all take, and
	// Seconds is the most it may last. 0 is a window of Seconds.
	Transactions int `json:"transactions,omitempty" yaml:"transactions"`
	// BandwidthKBs is the link's, in KB (1000 bytes) a second and connection, where the cell goes through toxiproxy;
	// 0 is no limit.
	BandwidthKBs int `json:"bandwidth_kb_s,omitempty" yaml:"bandwidth_kb_s"`
	// ReplicationMS is the latency on the link between primary and standby, in milliseconds of round trip; 0 leaves
	// replication off toxiproxy.
	ReplicationMS int `json:"replication_ms,omitempty" yaml:"replication_ms"`
	// FreshDatabase has the clients connect to a database just made, whose first connection builds its caches. It is
	// empty, and only for paths straight to a PostgreSQL server.
	FreshDatabase bool `json:"fresh_database,omitempty" yaml:"fresh_database"`
	// Settings are put in force before each repeat and restored after the cell, by component (primary, standby,
	// pgbouncer) and name.
	Settings map[string]map[string]string `json:"settings,omitempty" yaml:"settings"`
	// Events happen to the PostgreSQL nodes while the cells of the experiment run, all at once. Afterwards the nodes are
	// put back.
	Events []Event `json:"events,omitempty" yaml:"events"`
	// Scenarios are what two clients do, step by step: a cell carries out all of them, and has no workload.
	Scenarios []Scenario `json:"-" yaml:"scenarios"`
	// Params go to the script as they are, as cell.params.
	Params map[string]any `json:"params,omitzero" yaml:"params"`
	// SamplesPerSecond is how often each node is asked what its sessions wait for; 0 is the default.
	SamplesPerSecond float64 `json:"samples_per_second,omitempty" yaml:"samples_per_second"`
	// Metrics are the columns that tables show, by name (see package metric); none is by workload.
	Metrics []string `json:"metrics,omitempty" yaml:"metrics"`
	// InBlocks says why its cells run in blocks and never side by side, "" where they may. A pair whose iterations are too
	// slow for slots runs in blocks without it, too, once that is found out: that takes ten seconds.
	InBlocks string `json:"-" yaml:"in_blocks"`
}

// An Event is a verb of scripts/break, carried out so many seconds after the window has opened.
type Event struct {
	At float64 `json:"at" yaml:"at"`
	Do string  `json:"do" yaml:"do"` // as typed there: kill primary
}

// names are those of the lesson's experiments.
func (l *Lesson) names() []string {
	var names []string
	for _, e := range l.Experiments {
		names = append(names, e.Name)
	}
	return names
}

// AllFindings are the lesson's own, then its study's.
func (l *Lesson) AllFindings() []Finding {
	if l.Study == nil {
		return l.Findings
	}
	return slices.Concat(l.Findings, l.Study.Findings)
}
