package pooler

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"pooler-lab/internal/result"
	"pooler-lab/internal/session"
	"pooler-lab/internal/shared"
	"pooler-lab/internal/topology"
)

// pgpoolKind is Pgpool-II. Any session with it is a console: it answers its own SHOW commands itself.
var pgpoolKind = Kind{
	Name:          "pgpool",
	Title:         "Pgpool-II",
	Console:       topology.Endpoint{Port: 9999, DBName: "postgres"},
	Version:       "SHOW pool_version",
	VersionColumn: "pool_version",
	KeepsServers:  true,
	configuration: "pgpool/pgpool.conf",
	mostClients:   "num_init_children",
	open:          func(s service) Pooler { return &pgpool{service: s, holds: true} },
}

func init() { register(pgpoolKind) }

// A pgpool is one Pgpool-II.
type pgpool struct {
	service
	holds bool // its children may hold server connections for measured clients: at first, whoever used it before
	// closers are the sessions that tell its children to close their server connections.
	closers chan *session.Session
	opened  int // how many there are

	astray time.Time // since when it has been known not to find the nodes; zero where it does
	anew   bool      // it has been told to start anew since then
}

// Close ends the lab's sessions; a closer that still sleeps ends with the program.
func (p *pgpool) Close() {
	p.service.Close()
	for len(p.closers) > 0 {
		(<-p.closers).Close()
	}
}

// Prove asks on the probe's own connection whether it is Pgpool-II that answers, and which hosts its servers are.
func (p *pgpool) Prove(ctx context.Context, u Use, through *session.Session, _ string) ([]result.Fact, error) {
	version, err := through.AskOne(ctx, pgpoolKind.Version)
	if err != nil {
		wrong := result.Expect("what answers SHOW pool_version", "an error: "+err.Error(), "Pgpool-II")
		return []result.Fact{wrong}, nil
	}
	said := version["pool_version"]
	facts := []result.Fact{{What: "Pgpool-II's version", Said: said, Want: "any", Holds: said != ""}}
	nodes, err := through.Ask(ctx, "SHOW POOL_NODES")
	if err != nil {
		return facts, fmt.Errorf("ask Pgpool-II for its nodes: %w", err)
	}
	var hosts []string
	for _, n := range nodes {
		hosts = append(hosts, n["hostname"])
	}
	wanted := u.Nodes
	if u.Proxied {
		wanted = slices.Repeat([]string{topology.Proxy}, len(wanted))
	}
	list := result.Expect("the list of Pgpool-II's nodes", strings.Join(hosts, ", "), strings.Join(wanted, ", "))
	return append(facts, list), nil
}

// tables makes Pgpool-II look up what it wants to know of pgbench's tables; it does so once after its start.
const tables = "SELECT FROM pgbench_accounts, pgbench_branches, pgbench_tellers, pgbench_history LIMIT 0"

func (p *pgpool) Learn(ctx context.Context, through *session.Session) (int64, error) {
	_, err := through.Ask(ctx, tables)
	return 1, err
}

// Counters is how many SELECTs Pgpool-II sent to each of its servers since it started.
func (p *pgpool) Counters(ctx context.Context, u Use) (Counters, error) {
	rows, err := p.console.Ask(ctx, "SHOW POOL_BACKEND_STATS")
	if err != nil {
		return Counters{}, err
	}
	var c Counters
	var n session.Numbers
	for i, r := range rows {
		if _, has := r["select_cnt"]; !has {
			return Counters{}, errors.New("SHOW POOL_BACKEND_STATS has no column select_cnt")
		}
		name := r["hostname"]
		if name == topology.Proxy && i < len(u.Nodes) {
			name = u.Nodes[i] // its hosts are all toxiproxy there; Prove has seen that they are in this order
		}
		c.Selects = append(c.Selects,
			result.Share{Node: name, Role: strings.TrimSpace(r["role"]), Selects: n.Of(r, "select_cnt")})
	}
	return c, n.Err
}

// Overhead is of all servers together, for a statement goes to one of them. Pgpool-II itself commits once on each for
// every client that connects (its own connection's start, or a SET of application_name on one that it kept), and
// when the client leaves a DISCARD ALL on the primary and on the server that its SELECTs went to: if that is the
// primary, it is one. It sends a BEGIN and its COMMIT to both of those servers, too. How often they were two is the
// part of the count that stays unsure.
// (Pgpool-II's own SHOW POOL_BACKEND_STATS loses counts where children count at the same moment.)
func (p *pgpool) Overhead(u Use, l LoadCounts) Overhead {
	connections, nodes := l.K6.Connections+l.Own.Connections, int64(len(u.Nodes))
	return Overhead{
		less: []deduction{{"connections' own", connections * nodes}, {"DISCARD ALLs", connections},
			{"prepares", l.K6.Prepares}, {"the lab's own", l.Own.Statements}},
		unsure: (connections + l.K6.Explicit) * (nodes - 1),
	}
}

// Opened can't be told: a child may keep a connection of an earlier client, which costs the servers as much.
func (p *pgpool) Opened(Use, LoadCounts) (int64, bool) { return 0, false }

// Sample counts Pgpool-II's children. It has one for each client: MaxClients are those that serve one, PoolSize is
// how many there are. Clients beyond that wait in the kernel's backlog, which Pgpool-II can't see, and its server
// connections would take a list several times as long: MaxWaiting and MaxWaitMS are nil, MaxServers stays 0.
func (p *pgpool) Sample(ctx context.Context, _ Use) (result.Pooler, error) {
	children, err := p.console.Ask(ctx, listChildren)
	sum := result.Pooler{Samples: 1, PoolSize: len(children)}
	for _, c := range children {
		if c["status"] != idleChild && slices.Contains(p.login.Measured, c["username"]) {
			sum.MaxClients++
		}
	}
	return sum, err
}

// State is what it counted for each server.
func (p *pgpool) State(ctx context.Context) (State, error) {
	c, err := p.Counters(ctx, Use{})
	var s State
	for _, share := range c.Selects {
		s.Selects = append(s.Selects, share.Selects)
	}
	return s, err
}

const (
	listChildren = "SHOW POOL_PROCESSES"
	// idleChild is the status of a child that waits for a client.
	idleChild = "Wait for connection"
)

// Fill gives every child its server connections, so that no client is a child's first. It connects as k6 does to the
// byte: a child throws its server connections away for a client whose startup message differs from theirs.
func (p *pgpool) Fill(ctx context.Context, u Use) (Own, error) {
	n, err := p.idleChildren(ctx)
	if err != nil {
		return Own{}, err
	}
	sessions, errs := make([]*session.Session, n), make([]error, n)
	var opening sync.WaitGroup
	for i := range n { // all open at once, or one child would serve several
		opening.Go(func() { sessions[i], errs[i] = session.OpenAs(ctx, session.LoadName, u.DSN, u.Password) })
	}
	opening.Wait()
	for _, s := range sessions {
		if s != nil {
			opening.Go(s.Close)
		}
	}
	opening.Wait()
	if err := errors.Join(errs...); err != nil {
		return Own{}, fmt.Errorf("fill the pool of %s: %w", p.login.Service, err)
	}
	// Until they have reset what these clients left.
	err = until(ctx, fmt.Sprintf("%d children of %s to be idle", n, p.login.Service), func() (bool, error) {
		idle, err := p.idleChildren(ctx)
		return err == nil && idle >= n, err
	})
	return Own{Connections: int64(n)}, err
}

func (p *pgpool) idleChildren(ctx context.Context) (int, error) {
	rows, err := p.console.Ask(ctx, listChildren)
	idle := 0
	for _, r := range rows {
		if r["status"] == idleChild {
			idle++
		}
	}
	return idle, err
}

// closeIdleSQL makes Pgpool-II close every idle server connection of all its children, in good order. It does so
// before any DROP DATABASE, since that would fail otherwise, and then sleeps 5 s; the database named here doesn't
// exist. Nothing else makes it let go of them but their age.
const closeIdleSQL = "DROP DATABASE IF EXISTS pooler_lab_closes_idle_connections"

const (
	// closeWait is how long children may take to let go: one whose client has just left is still resetting its
	// connections and doesn't hear, so that it has to be told again.
	closeWait  = 2 * time.Second
	closeTries = 3
	// mostClosers is how many sessions there are to tell, at most, since each then sleeps. They are kept, so that
	// their own children never serve measured clients: a child doesn't hear itself.
	mostClosers = 8
	// listServers has a row for each server connection that a child keeps, and for each that it could keep.
	listServers = "SHOW POOL_POOLS"
)

// Enter opens the closers before measured clients take their children. From now on its children hold server
// connections.
func (p *pgpool) Enter(ctx context.Context) error {
	p.holds = true
	if err := p.openClosers(ctx); err != nil {
		return fmt.Errorf("connect to %s: %w", p.login.Service, err)
	}
	return nil
}

// CloseServers closes what the children keep: Pgpool-II has to do that itself, as one that finds a server connection
// gone makes its next client wait a second. A Pgpool-II that doesn't answer holds nothing.
func (p *pgpool) CloseServers(ctx context.Context) {
	if !p.holds {
		return
	}
	p.holds = false
	if p.openClosers(ctx) != nil {
		return
	}
	for range closeTries {
		if kept, err := p.keepsServers(ctx); err != nil || !kept || !p.tellToClose(ctx) {
			return
		}
		_ = shared.Until(ctx, closeWait, 20*time.Millisecond, func() (bool, error) {
			kept, err := p.keepsServers(ctx)
			return !kept, err
		})
	}
}

func (p *pgpool) keepsServers(ctx context.Context) (bool, error) {
	rows, err := p.console.Ask(ctx, listServers)
	return keptForOthers(rows, p.login.Measured), err
}

// keptForOthers says whether a child keeps a server connection for a measured role, by the rows of listServers. A child
// that serves the lab's own session doesn't count: it serves nobody else meanwhile, and may be one that doesn't hear.
// The rows of the second server go on to name a role whose connection is closed; those of the first one don't.
func keptForOthers(rows []session.Row, measured []string) bool {
	own := map[string]bool{} // children, by pid
	for _, r := range rows {
		if r["pool_connected"] == "1" && !slices.Contains(measured, r["username"]) {
			own[r["pool_pid"]] = true
		}
	}
	return slices.ContainsFunc(rows, func(r session.Row) bool {
		return r["backend_id"] == "0" && slices.Contains(measured, r["username"]) && !own[r["pool_pid"]]
	})
}

// openClosers opens as many closers as there are tries, beside those that sleep.
func (p *pgpool) openClosers(ctx context.Context) error {
	if p.closers == nil {
		p.closers = make(chan *session.Session, mostClosers)
	}
	for len(p.closers) < closeTries && p.opened < mostClosers {
		s, err := p.openCloser(ctx)
		if err != nil {
			return err
		}
		p.opened++
		p.closers <- s
	}
	return nil
}

func (p *pgpool) openCloser(ctx context.Context) (*session.Session, error) {
	return session.Open(ctx, pgpoolKind.DSN(p.login.Service), p.login.Password)
}

// tellToClose says whether somebody could be told. The statement's end is nothing to wait for.
func (p *pgpool) tellToClose(ctx context.Context) bool {
	waiting := p.closers
	var s *session.Session
	select {
	case s = <-waiting:
	case <-ctx.Done():
		return false
	}
	if s.IsClosed() { // Pgpool-II has been restarted since
		fresh, err := p.openCloser(ctx)
		if err != nil {
			waiting <- s
			return false
		}
		s = fresh
	}
	go func() {
		_, _ = s.Ask(context.Background(), closeIdleSQL) // what comes of it is seen on the servers
		waiting <- s
	}()
	return true
}

// findsAlone is how long it may take to find the nodes by itself, once both are there. Its children may have crashed
// meanwhile ("kind does not match between main(0) slot[0]"), and it doesn't get over that.
const findsAlone = 8 * time.Second

// Follows returns an error until it knows the primary and uses both nodes. Its start script starts it anew where the
// primary changes, and where it is told to since it hasn't found them by itself.
func (p *pgpool) Follows(ctx context.Context, primary string) error {
	err := p.finds(ctx, primary)
	switch {
	case err == nil:
		p.astray, p.anew = time.Time{}, false
	case p.astray.IsZero():
		p.astray = time.Now()
	case !p.anew && time.Since(p.astray) > findsAlone:
		p.anew = true
		return errors.Join(err, shared.WriteFile(filepath.Join(topology.NodesFolder(), "anew"),
			[]byte(p.astray.UTC().Format(time.RFC3339Nano)+"\n")))
	case p.anew:
		return fmt.Errorf("%w: it has been started anew", err)
	}
	return err
}

// finds looks at which of its two nodes it takes for the primary, and whether it uses both.
func (p *pgpool) finds(ctx context.Context, primary string) error {
	nodes, err := p.console.Ask(ctx, "SHOW POOL_NODES")
	if err != nil {
		return err
	}
	number := map[string]string{topology.PrimaryNode: "0", topology.StandbyNode: "1"}[primary]
	if role := session.Find(nodes, "node_id", number)["role"]; role != "primary" {
		return fmt.Errorf("it doesn't take %s for the primary yet", primary)
	}
	for _, n := range nodes {
		if n["status"] == "down" {
			return fmt.Errorf("it leaves %s out", n["hostname"])
		}
	}
	return nil
}
