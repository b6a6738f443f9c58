package result

import (
	"math"
	"slices"
	"time"

	"pooler-lab/internal/lesson"
	"pooler-lab/k6/summary"
)

// A Repeat is one execution of a cell. Times in it are milliseconds unless a name says otherwise.
type Repeat struct {
	Block    int       `json:"block"`    // from 1
	Position int       `json:"position"` // within the block's shuffled order, from 1
	Attempt  int       `json:"attempt"`  // from 1; those before it were rejected
	Status   Status    `json:"status"`
	Reason   string    `json:"reason,omitempty"` // why it is not ok
	Started  time.Time `json:"started"`
	Ended    time.Time `json:"ended"`

	Proof     []Fact     `json:"proof"` // what the servers said of themselves
	RoundTrip *RoundTrip `json:"round_trip,omitempty"`
	Measured  *Measured  `json:"measured,omitempty"`
	Counts    []Count    `json:"counts"`
	Uncounted string     `json:"uncounted,omitempty"` // why the servers' counts could not be read
	Shares    []Share    `json:"selects"`             // SELECTs that a balancing path sent to each node
	Resources *Resources `json:"resources,omitempty"`
	// Nodes are what the own views of PostgreSQL nodes said while k6 ran; YugabyteDB isn't sampled.
	Nodes  []Node  `json:"nodes,omitempty"`
	Pooler *Pooler `json:"pooler,omitempty"` // what the path's pooler said
	Flags  []Flag  `json:"flags"`
	// Events are what happened to the nodes, Ledger what the cell's clients saw of it; none without events.
	Events []Event `json:"events,omitempty"`
	Ledger *Ledger `json:"ledger,omitempty"`
	// Scenarios are what became of each that the plan has; such a repeat has nothing measured.
	Scenarios []Scenario `json:"scenarios,omitempty"`

	Summary string `json:"k6_summary,omitempty"` // what k6's output lab wrote, or the lab of pgbench, relative to run.json
	Log     string `json:"k6_log,omitempty"`     // what k6 printed, kept where the repeat failed
	Exit    int    `json:"k6_exit"`
}

// An Event is one that a plan wanted. Times are seconds from the window's opening.
type Event struct {
	lesson.Event
	Began float64 `json:"began"`
	Ended float64 `json:"ended"` // when clients could see it
	Error string  `json:"error,omitempty"`
}

// A Ledger is what the attempts of a cell's clients come to. Steps are counted from the window's opening.
type Ledger struct {
	File        string   `json:"file"`       // of all attempts of all cells that ran at once: CSV, relative to run.json
	Attempts    int      `json:"attempts"`   // that ended in the window
	Lost        int      `json:"lost"`       // writes that were acknowledged and aren't there
	Unreported  int      `json:"unreported"` // writes that were reported as failed and are there
	Warned      int      `json:"warned"`     // attempts that succeeded with a warning of the server
	Outages     []Outage `json:"outages"`    // of each client
	StepSeconds float64  `json:"step_seconds"`
	Succeeded   []int    `json:"succeeded"` // attempts that ended so in each step
	Failed      []int    `json:"failed"`
	Open        []int    `json:"open"` // attempts under way where the step begins
}

// An Outage is the longest time in which none of a client's attempts succeeded, in seconds from the window's opening.
type Outage struct {
	Client int     `json:"client"`
	From   float64 `json:"from"`
	To     float64 `json:"to"`
	ToEnd  bool    `json:"to_end,omitempty"` // it was still going on when the window closed
}

// Seconds is how long it was; infinite where nobody knows, since the window closed before its end.
func (o Outage) Seconds() float64 {
	if o.ToEnd {
		return math.Inf(1)
	}
	return o.To - o.From
}

// Flagged says whether the repeat has a flag of that kind.
func (r *Repeat) Flagged(kind FlagKind) bool {
	return slices.ContainsFunc(r.Flags, func(f Flag) bool { return f.Kind == kind })
}

// A RoundTrip is what a SELECT 1 on a warm connection of the cell's path took before load.
type RoundTrip struct {
	SetMS      float64 `json:"set_ms"`      // latency on its link; of links side by side the longest
	MeasuredMS float64 `json:"measured_ms"` // median
	Samples    int     `json:"samples"`
}

// What a round trip may differ from what was set: milliseconds, or a share of it where that is more.
const (
	latencySlack = 1.5
	latencyShare = 0.10
)

// AsSet says whether the round trip is what was set.
func (r *RoundTrip) AsSet() bool {
	return math.Abs(r.MeasuredMS-r.SetMS) <= max(latencySlack, latencyShare*r.SetMS)
}

// Measured is what k6 saw. Trends and TPS are of the measured window alone, counts and errors of all of it.
type Measured struct {
	WindowSeconds float64 `json:"window_seconds"`
	// WarmedSeconds is how long all clients of a closed loop had iterated when the window opened; 0 where it opened as
	// soon as they were ready.
	WarmedSeconds float64 `json:"warmed_seconds,omitempty"`
	// Tenths are the iterations that ended in each tenth of a window of one cell.
	Tenths       []int64 `json:"tenths,omitempty"`
	Transactions int64   `json:"transactions"` // committed within the window
	TPS          float64 `json:"tps"`
	// Trends are by metric: pg_connect, pg_statement, pg_response_time, ...
	Trends       map[string]Trend `json:"trends"`
	Late         int64            `json:"late_iterations"`    // of an open loop: begun more than one interval late
	Dropped      int64            `json:"dropped_iterations"` // due within the window and never begun
	ClientsReady int              `json:"clients_ready"`
	Counted      Counted          `json:"counted"`
	Errors       []Error          `json:"errors"`

	// FirstConnects are of the test's first connect alone, LaterConnects of those after it; both by metric.
	FirstConnects map[string]Trend   `json:"first_connects,omitempty"`
	LaterConnects map[string]Trend   `json:"later_connects,omitempty"`
	Counters      map[string]float64 `json:"counters,omitempty"`   // sums within the window, by metric
	Statements    map[string]Trend   `json:"statements,omitempty"` // pg_statement by the statement's name
	Finish        *Finish            `json:"finish,omitempty"`     // where each client did a fixed number of transactions
}

// What k6's summary says of fixed work, of errors and of a metric stands in run.json as it is.
type (
	Finish = summary.Finish
	Error  = summary.Error
	Trend  = summary.Trend
)

// Counted is what k6 counted from its start to its end, whatever the phase: what servers count too.
type Counted struct {
	Transactions int64 `json:"transactions"` // committed
	Prepares     int64 `json:"prepares"`     // exchanges that only parse: a transaction to the server
	Connections  int64 `json:"connections"`
	Explicit     int64 `json:"explicit,omitempty"` // of the transactions: begun with BEGIN
	Silent       int64 `json:"silent,omitempty"`   // of the connections: they sent no statement
}

// And is what both counted.
func (c Counted) And(other Counted) Counted {
	return Counted{Transactions: c.Transactions + other.Transactions, Prepares: c.Prepares + other.Prepares,
		Connections: c.Connections + other.Connections, Explicit: c.Explicit + other.Explicit,
		Silent: c.Silent + other.Silent}
}

// A Count is one number that k6 and a server both kept.
type Count struct {
	What   string `json:"what"`
	K6     int64  `json:"k6"`
	Raw    int64  `json:"server_raw"`
	Server int64  `json:"server"` // raw, after taking out what is named in Less
	Less   string `json:"less"`   // what of the server's own count isn't the clients'
	Unsure int64  `json:"unsure"` // how many of Server may not be the clients' either
	Equal  bool   `json:"equal"`
}

// A Share is how many of the clients' SELECTs went to one node.
type Share struct {
	Node    string `json:"node"`
	Role    string `json:"role"`
	Selects int64  `json:"selects"`
}

// Resources is what the repeat used while k6 ran. Shares are of 1; nil is not measured.
type Resources struct {
	HostCPU *float64 `json:"host_cpu"` // of all the host's CPUs, whoever used them
	// Stolen is of all the host's CPUs, given to other virtual machines by the hypervisor.
	Stolen       *float64 `json:"stolen_cpu,omitempty"`
	GeneratorCPU *float64 `json:"generator_cpu"` // of all the host's CPUs, used by k6
	GeneratorMB  *float64 `json:"generator_mb"`  // most memory that k6 used
	// GeneratorSeconds is the CPU time that k6 took from its start to its end, nil where it drove two cells.
	GeneratorSeconds *float64 `json:"generator_seconds,omitempty"`
	// Switches is the host's context switches a second, whoever caused them: containers' own can't be told apart.
	Switches    *float64    `json:"context_switches,omitempty"`
	Containers  []Container `json:"containers"`
	NotMeasured string      `json:"not_measured,omitempty"` // why a container is missing
}

// A Container is one service of the repeat's path.
type Container struct {
	Service   string   `json:"service"`
	CPUs      float64  `json:"cpus"`            // CPU seconds per second
	Throttled *float64 `json:"throttled"`       // share of the periods in which its limit stopped it; null has no limit
	Stops     int64    `json:"stops,omitempty"` // periods in which its limit stopped it, of 100 ms
	MemoryMB  float64  `json:"memory_mb"`       // most seen, anonymous plus shared
}

// A Node is one database as its own views showed it while the window was open.
type Node struct {
	Service string  `json:"service"`
	Samples int     `json:"samples"` // of its sessions
	Hz      float64 `json:"hz"`      // samples a second
	CostMS  float64 `json:"cost_ms"` // mean time of a sample by the clock, its round trip and its wait for a CPU included
	// CostShare is the CPU time that sampling took of the server, as a share of the window's time; in a cluster made
	// before it could tell, the time of the samples by the clock.
	CostShare   float64 `json:"cost_share"`
	MaxBackends int     `json:"max_backends"` // of measured connections
	MaxActive   int     `json:"max_active"`
	// MaxLocks are rows of pg_locks that belong to them, sampled once a second; nil where no sample fell into the window.
	MaxLocks *int `json:"max_locks"`
	// Sessions is how many measured ones were seen. Waits are shares of their samples, summing to 1 with CPU and
	// Net/Delay: see internal/sample/waits.sql.
	Sessions int    `json:"sessions"`
	Waits    []Wait `json:"waits"`
	// NotMeasured is why there is no sample.
	NotMeasured string `json:"not_measured,omitempty"`
}

// A Wait is the share of a node's session samples in which sessions waited for one thing: an event as Type:Event,
// CPU (active and waiting for nothing) or Net/Delay (neither active nor in a transaction: the network, or the
// application).
type Wait struct {
	Event string  `json:"event"`
	Share float64 `json:"share"`
}

// A Pooler is what a pooler said of its clients and servers while the window was open.
type Pooler struct {
	Service    string   `json:"service"`
	Samples    int      `json:"samples"`
	MaxClients int      `json:"max_clients"` // linked to it
	MaxWaiting *int     `json:"max_waiting"` // clients that waited for a server connection; nil where it can't see them
	MaxWaitMS  *float64 `json:"max_wait_ms"` // longest that the first of them had waited
	MaxServers int      `json:"max_servers"` // server connections
	PoolSize   int      `json:"pool_size"`   // as it said itself
	// NotMeasured is why there is no sample.
	NotMeasured string `json:"not_measured,omitempty"`
}
