// Package pooler knows the kinds of pooler that can stand between client and database: how each proves that a path
// goes through it, what it counts, what it tells of its pools, and how its settings change while it runs.
//
// A kind is one file. It registers a Kind, whose name the key pooler of configs/paths.yaml gives; no other Go file
// of the lab asks which kind a pooler is.
package pooler

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"pooler-lab/internal/result"
	"pooler-lab/internal/session"
	"pooler-lab/internal/shared"
	"pooler-lab/internal/topology"
	"pooler-lab/internal/wording"
)

// A Kind is one software. Its fields are what has to be known of it before a service of the kind is asked.
type Kind struct {
	Name  string // in configs/paths.yaml
	Title string // for people

	// Console is where the lab's own role asks a service for its state, which no client's statistics count; the service
	// is its Host. Version is a statement that the pooler answers itself there, and VersionColumn where it says its
	// version.
	Console       topology.Endpoint
	Version       string
	VersionColumn string

	// PoolSize is the setting that lessons vary as pool_sizes; "" where a pool's size can't change while it runs.
	PoolSize string
	// KeepsServers says that it takes its time to let go of server connections that no client uses: what the lab's
	// own connections used is counted with the load, and taken out again.
	KeepsServers bool
	// NoticesLate says that it finds out that a server has ended a connection only when a client needs it, and may reset
	// that client's. So a connection of the lab's own comes first, which Fill makes.
	NoticesLate bool

	// configuration is the kind's file in configs/, and mostClients the setting in it of how many clients one service
	// takes at once: see Limits.
	configuration, mostClients string

	open func(service) Pooler
}

// A service is what all kinds of pooler have. What a kind doesn't do, None does.
type service struct {
	None
	kind    Kind
	console *session.Line
	login   Login
}

func (s *service) Version(ctx context.Context) (string, error) {
	r, err := s.console.AskOne(ctx, s.kind.Version)
	return r[s.kind.VersionColumn], err
}

func (s *service) Close() { s.console.Close() }

// A Login is what a pooler has to know of who connects.
type Login struct {
	Service  string
	Password string   // of the lab's own role
	Measured []string // roles that measured clients have
}

// A Pooler is one service of the lab that pools connections, as the lab's own role sees it. It belongs to one
// goroutine. A path without a pooler has one, too: None.
type Pooler interface {
	// Version is the software's own.
	Version(context.Context) (string, error)

	// Enter is called before the lab's own first connection through the pooler.
	Enter(context.Context) error
	// Learn has the pooler look up what it wants to know of the lab's tables, over a connection through it: a lookup
	// that comes with the first client would count as the load's. It returns how many statements that took.
	Learn(ctx context.Context, through *session.Session) (statements int64, err error)
	// Prove is what the pooler says of the connection through it whose server process is pid, beside what it has to
	// say.
	Prove(ctx context.Context, u Use, through *session.Session, pid string) ([]result.Fact, error)
	// Fill opens server connections before the load, so that no client waits for the first one.
	Fill(context.Context, Use) (Own, error)

	// Settle waits until the pooler has reset the server connections that its last clients left: what it does there
	// counts, too.
	Settle(context.Context, Use) error
	// CloseServers has the pooler close the server connections that it keeps for measured clients, as far as it has to
	// do that itself.
	CloseServers(context.Context)
	// Emptied waits until the pooler knows that the server connections of its pool are gone, where the servers have
	// ended them, or empties the pool itself where they can't be asked to.
	Emptied(context.Context, Use) error

	// Counters is what the pooler has counted since it started.
	Counters(context.Context, Use) (Counters, error)
	// Counted sets what it counted itself during a load beside what k6 did; none where it counts no transactions.
	Counted(Use, LoadCounts) []result.Count
	// Overhead is what the servers commit for a load beside its clients' transactions.
	Overhead(Use, LoadCounts) Overhead
	// Opened is how many server connections were opened for a load; not ok where it can't tell, and its overhead
	// doesn't depend on that.
	Opened(Use, LoadCounts) (sessions int64, ok bool)
	// Sample is how it is filled just now, all pools of measured clients together.
	Sample(context.Context, Use) (result.Pooler, error)
	// State is how it is just now, for whoever watches.
	State(context.Context) (State, error)

	// Setting reads a setting that can be changed while the pooler runs, as the pooler writes it.
	Setting(ctx context.Context, name string) (string, error)
	// Apply puts a setting in force and returns when it is.
	Apply(ctx context.Context, name, value string) error
	// Reset makes it what its configuration says, and empties its pools. It says what it has done; nothing where a start
	// of the lab alone can change the pooler.
	Reset(context.Context) (did string, err error)
	// HoldsBack says whether it can hold transactions back, and follows the primary at once: it is told its address. One
	// that looks for the primary itself does so once both nodes answer.
	HoldsBack() bool
	// Pause waits until the transactions under way have ended, and holds back those that come, where clients keep no
	// server connection for longer than a transaction.
	Pause(context.Context) error
	// Resume lets go what a Pause holds back, and returns whether there was any.
	Resume(context.Context) (held bool, err error)
	// Held says what keeps clients of a database, or of any where it is "", from their servers, such as a pause; empty
	// where nothing does.
	Held(ctx context.Context, database string) (string, error)
	// Follows returns an error unless the pooler sends writes to that PostgreSQL node.
	Follows(ctx context.Context, primary string) error
	// CloseIdle has it close the server connections that no client uses, where that can be asked for.
	CloseIdle(context.Context) error
	// Close ends the lab's own sessions with it.
	Close()
}

// A Use is how a cell uses a pooler.
type Use struct {
	Role, Password string // of its clients
	DSN            string // what they connect with
	Database       string // as the pooler names it
	Mode           string // none, session, transaction or statement
	PoolSize       int    // that it has to have, 0 where it doesn't matter
	Nodes          []string
	// Proxied says that toxiproxy lies between the pooler and its servers.
	Proxied bool
	// PostgreSQL says that the servers are the lab's PostgreSQL nodes, whose sessions can be ended.
	PostgreSQL bool
	// ClientAddresses are those that the pooler may see as the probe's, ServerAddresses those that it may reach its
	// servers at.
	ClientAddresses, ServerAddresses []string
}

// Own is what the lab itself did on a path after its servers were counted.
type Own struct{ Connections, Statements int64 }

// Counters is what a pooler counted.
type Counters struct {
	Transactions int64
	Servers      int64          // connections that its pool of the path holds just now
	Selects      []result.Share // that it sent to each server
}

// NodeCounters is what one PostgreSQL server counted.
type NodeCounters struct {
	Name    string
	Commits int64
	// Sessions is how many were opened. Each commits one transaction before its client's first: that of starting up.
	Sessions int64
}

// LoadCounts is what was counted from before a load until after it.
type LoadCounts struct {
	K6           result.Counted
	Own          Own
	Nodes        []NodeCounters
	Sessions     int64 // of the nodes' sessions, those of this load
	Transactions int64 // of the pooler's own count
	Servers      int64 // that the pooler held at the end of the load
}

// A State is how a pooler is. What it can't tell is nil.
type State struct {
	Waiting      *int // clients
	Active, Idle *int // server connections
	Size         *int // that the pools in use may have
	// Selects is how many it has sent to each of its servers since it started, in their order.
	Selects []int64
}

var kinds = map[string]Kind{}

// register is called by each kind's file.
func register(k Kind) { kinds[k.Name] = k }

// Kinds are the names of all.
func Kinds() []string { return slices.Sorted(maps.Keys(kinds)) }

// Find returns the kind of that name; the error names the closest one and lists all.
func Find(name string) (Kind, error) {
	k, ok := kinds[name]
	if !ok {
		return Kind{}, wording.Unknown("kind of pooler", name, Kinds())
	}
	return k, nil
}

// DSN is how the lab's own role asks a service of the kind for its state.
func (k Kind) DSN(service string) string {
	at := k.Console
	at.Host = service
	return at.DSN("lab")
}

// Open describes the service of that name; nothing is connected before it is asked.
func (k Kind) Open(l Login) Pooler {
	return k.open(service{kind: k, console: session.NewLine(l.Service, k.DSN(l.Service), l.Password), login: l})
}

// until waits until so returns true; the error says that ctx ended while it waited for what.
func until(ctx context.Context, what string, so func() (bool, error)) error {
	err := shared.Until(ctx, shared.Forever, 10*time.Millisecond, so)
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("wait for %s: %w", what, err)
	}
	return err
}

// SameValue says whether two spellings of a setting are the same: of some, a pooler takes 5 and shows 5.0.
func SameValue(a, b string) bool {
	if strings.EqualFold(a, b) {
		return true
	}
	x, errA := strconv.ParseFloat(a, 64)
	y, errB := strconv.ParseFloat(b, 64)
	return errA == nil && errB == nil && x == y
}

// All describes the poolers of the lab's paths, by service. Nothing is connected to yet.
func All(set *topology.Set) (map[string]Pooler, error) {
	found := map[string]Pooler{}
	for service, name := range set.Poolers() {
		kind, err := Find(name)
		if err != nil {
			return nil, fmt.Errorf("pooler of service %s: %w", service, err)
		}
		found[service] = kind.Open(Login{Service: service, Password: topology.LabPassword(), Measured: topology.Roles()})
	}
	return found, nil
}

// SizeSetting is the setting of the path's pooler that lessons vary as pool_sizes, "" where there is none.
func SizeSetting(p topology.Path) string {
	kind, _ := Find(p.Pooler) // the zero Kind where there is none
	return kind.PoolSize
}
