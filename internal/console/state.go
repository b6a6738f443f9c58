package console

import (
	"time"

	"pooler-lab/internal/link"
	"pooler-lab/internal/result"
	"pooler-lab/k6/summary"
)

// A State is what the console knows at one moment: the JSON of /api/state, which each event has, too. Null is not
// known.
type State struct {
	Time      time.Time `json:"time"`
	Toxiproxy Reachable `json:"toxiproxy"`
	Links     []Link    `json:"links"`
	Nodes     []Node    `json:"nodes"`
	Load      Load      `json:"load"`
	Lesson    *Running  `json:"lesson"` // under way, null where none is
	LastRun   *LastRun  `json:"last_run"`
	Lock      string    `json:"lock"` // why nothing can be swapped just now, "" where it can
	// Waits is what each database's sessions waited for in the last seconds.
	Waits []result.Node `json:"waits"`
}

// Reachable says whether something answers.
type Reachable struct {
	Up     bool   `json:"up"`
	Reason string `json:"reason"` // it doesn't
}

// A Link is what one is set to, and what it is.
type Link struct {
	Name     string `json:"name"`
	HostPort int    `json:"host_port"` // of 127.0.0.1 on the host, 0 where it isn't published
	Known    bool   `json:"known"`     // the settings are of now: not while a lesson runs, or toxiproxy doesn't answer
	link.Settings
	Cut        bool     `json:"cut"`
	Others     bool     `json:"others"` // faults that the lab never sets
	MeasuredMS *float64 `json:"measured_ms"`
	Reason     string   `json:"reason"`  // it isn't measured
	Off        string   `json:"off"`     // why nothing can travel over it in this lab
	UsedBy     []string `json:"used_by"` // paths that can go over it
	// Replication is of the link between primary and standby: straight, over the link, or unknown: why.
	Replication string `json:"replication"`
}

// What a node's state can be.
const (
	Up      = "up"
	Down    = "down"
	Off     = "off" // not part of this lab
	Unknown = "unknown"
)

// A Node is a box of the map: the client, a pooler, a database.
type Node struct {
	Name                string   `json:"name"`
	Kind                string   `json:"kind"` // client, pooler or database
	State               string   `json:"state"`
	Reason              string   `json:"reason"`
	Role                string   `json:"role"`     // of PostgreSQL: primary or standby
	Backends            *int     `json:"backends"` // sessions of clients and poolers, the lab's own left out
	ReplicationLagMS    *float64 `json:"replication_lag_ms"`
	ReplicationLagBytes *int64   `json:"replication_lag_bytes"`
	WaitingClients      *int     `json:"waiting_clients"`
	ServersActive       *int     `json:"servers_active"`
	ServersIdle         *int     `json:"servers_idle"`
	PoolSize            *int     `json:"pool_size"`
	SelectsPerSecond    *float64 `json:"selects_per_second"` // that a pooler sent to it; of the pooler itself: to all

	Conninfo string `json:"-"` // of a standby
}

// What the live load's state can be.
const (
	LoadOff      = "off"
	LoadStarting = "starting"
	LoadRunning  = "running"
	LoadStopping = "stopping"
	LoadPaused   = "paused"
)

// A LoadRequest is what the live load is to be, and what it is.
type LoadRequest struct {
	Workload string   `json:"workload"`
	Clients  int      `json:"clients"` // of each path
	Paths    []string `json:"paths"`
	Loop     string   `json:"loop"` // open or closed
	Keep     bool     `json:"keep"` // clients keep their connections
}

// Load is the live load as it is.
type Load struct {
	LoadRequest
	State  string     `json:"state"`
	Reason string     `json:"reason"`
	Text   string     `json:"text"` // all of it in a sentence
	Rate   int        `json:"rate"` // iterations a second on each path, 0 in a closed loop
	Since  *time.Time `json:"since"`

	last map[string]summary.PathSecond // what its paths saw in the second told last
}

// How clients of the live load begin an iteration.
const (
	LoopOpen   = "open"   // at a constant rate, whether or not the one before has ended
	LoopClosed = "closed" // when the one before has ended: as fast as it can
)

// Running is the lesson under way.
type Running struct {
	Name      string `json:"name"`
	State     string `json:"state"`     // running or cancelling
	Elsewhere bool   `json:"elsewhere"` // started from a terminal
	Pair      string `json:"pair"`      // what the groups of the pair under way show until now, "" where they show nothing

	result.Progress // zero before it has a run
}

// LastRun is what became of the lesson that ended last.
type LastRun struct {
	Lesson string    `json:"lesson"`
	Run    string    `json:"run"` // "" where it ended before it had one
	Status string    `json:"status"`
	Reason string    `json:"reason"`
	Ended  time.Time `json:"ended"` // when the console saw that
}

// A Tick is one second of the charts.
type Tick struct {
	Time  time.Time                     `json:"time"`
	Paths map[string]summary.PathSecond `json:"paths"` // of the live load, none while it doesn't run
	Gap   bool                          `json:"gap"`   // a new k6 began: don't join the lines across
}

// A Swap is a change of a link, or of a PostgreSQL node.
type Swap struct {
	Time time.Time `json:"time"`
	Link string    `json:"link"` // or the node
	Text string    `json:"text"`
	By   string    `json:"by"` // console, elsewhere or restart
}

// Who changed a link.
const (
	ByConsole   = "console"
	ByElsewhere = "elsewhere"
	ByRestart   = "restart" // of toxiproxy, which keeps nothing
)

// A Prediction is what somebody said before a run: the request has it, and the run's folder keeps it. All of it may be
// left out.
type Prediction struct {
	Words       string             `json:"words"`
	Path        string             `json:"path"` // that wins
	Factor      *float64           `json:"factor"`
	Comparisons map[string]float64 `json:"comparisons"` // ratios, by the comparison's name
	At          time.Time          `json:"at"`
}
