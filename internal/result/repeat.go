package result

import "time"

// A Repeat is one execution of a cell. Times in it are milliseconds unless a name says otherwise.
type Repeat struct {
	Block    int       `json:"block"`    // from 1
	Position int       `json:"position"` // within the block's shuffled order, from 1
	Attempt  int       `json:"attempt"`  // 2 where the first one was rejected or failed
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
	Flags     []Flag     `json:"flags"`

	Summary string `json:"k6_summary,omitempty"` // k6's own summary, relative to run.json
	Log     string `json:"k6_log,omitempty"`     // what k6 printed, kept where the repeat failed
	Exit    int    `json:"k6_exit"`
}

// A Fact is one thing that a server said of itself, and what it had to be.
type Fact struct {
	What  string `json:"what"`
	Said  string `json:"said"`
	Want  string `json:"want"`
	Holds bool   `json:"holds"`
}

// A RoundTrip is what a SELECT 1 on a warm connection of the cell's path took before load.
type RoundTrip struct {
	AskedMS    float64 `json:"asked_ms"`    // sum of the latencies on the links it goes over
	MeasuredMS float64 `json:"measured_ms"` // median
	Samples    int     `json:"samples"`
}

// Measured is what k6 saw. Trends and TPS are of the measured window alone, counts and errors of all of it.
type Measured struct {
	WindowSeconds float64          `json:"window_seconds"`
	Transactions  int64            `json:"transactions"` // committed within the window
	TPS           float64          `json:"tps"`
	Trends        map[string]Trend `json:"trends"`          // by metric: pg_connect, pg_statement, pg_response, ...
	Late          int64            `json:"late_samples"`    // of a paced cell: begun more than one interval late
	Dropped       int64            `json:"dropped_samples"` // due within the window and never begun
	ClientsReady  int              `json:"clients_ready"`   // when the window opened
	Counted       Counted          `json:"counted"`
	Errors        []Error          `json:"errors"`
}

// An Error is how often one thing went wrong.
type Error struct {
	Code    string `json:"code"` // SQLSTATE, or refused, dial, timeout, dropped, cancelled, ...
	Phase   string `json:"phase"`
	Count   int64  `json:"count"`
	Message string `json:"message"` // of the first
}

// Counted is what k6 counted from its start to its end, whatever the phase: what servers count too.
type Counted struct {
	Transactions int64 `json:"transactions"` // committed
	Prepares     int64 `json:"prepares"`     // exchanges that only parse: a transaction to the server
	Connections  int64 `json:"connections"`
}

// A Trend sums up one metric, in milliseconds.
type Trend struct {
	Count int64   `json:"count"`
	Min   float64 `json:"min"`
	Avg   float64 `json:"avg"`
	Med   float64 `json:"med"`
	P90   float64 `json:"p90"`
	P95   float64 `json:"p95"`
	P99   float64 `json:"p99"`
	Max   float64 `json:"max"`
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
	HostCPU      *float64    `json:"host_cpu"`      // of all the host's CPUs, whoever used them
	GeneratorCPU *float64    `json:"generator_cpu"` // of all the host's CPUs, used by k6
	GeneratorMB  *float64    `json:"generator_mb"`  // most memory that k6 held
	Containers   []Container `json:"containers"`
	NotMeasured  string      `json:"not_measured,omitempty"` // why a container is missing
}

// A Container is one service of the repeat's path.
type Container struct {
	Service   string   `json:"service"`
	CPUs      float64  `json:"cpus"`      // CPU seconds per second
	Throttled *float64 `json:"throttled"` // share of the periods in which its budget stopped it; null has no budget
	MemoryMB  float64  `json:"memory_mb"` // most seen, anonymous plus shared
}

// A Flag says why a repeat's figures support no verdict, or what a reader has to know of them.
type Flag struct {
	Word string `json:"word"`
	Text string `json:"text"`
}
