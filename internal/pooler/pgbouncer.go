package pooler

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"pooler-lab/internal/result"
	"pooler-lab/internal/session"
	"pooler-lab/internal/topology"
)

// pgbouncerKind is PgBouncer. Its admin console is a database of its own.
var pgbouncerKind = Kind{
	Name:          "pgbouncer",
	Title:         "PgBouncer",
	Console:       topology.Endpoint{Port: 6432, DBName: "pgbouncer"},
	Version:       "SHOW VERSION",
	VersionColumn: "version",
	PoolSize:      "default_pool_size",
	configuration: "pgbouncer/pgbouncer.ini",
	mostClients:   "max_client_conn",
	open:          func(s service) Pooler { return &pgbouncer{s} },
}

func init() { register(pgbouncerKind) }

// A pgbouncer is one PgBouncer.
type pgbouncer struct{ service }

// Prove asks whether the probe is PgBouncer's client, whether the server process that answered it is PgBouncer's
// server connection, in which database and mode, and over which address.
func (b *pgbouncer) Prove(ctx context.Context, u Use, _ *session.Session, pid string) ([]result.Fact, error) {
	var err error
	show := func(what string) (rows []session.Row) {
		if err == nil {
			rows, err = b.console.Ask(ctx, "SHOW "+what)
		}
		return rows
	}
	server := session.Find(show("SERVERS"), "remote_pid", pid)
	facts := []result.Fact{
		result.Expect("PgBouncer's database of the server process that answered", server["database"], u.Database),
		result.Expect("the address that PgBouncer reaches the database at", server["addr"], u.ServerAddresses...),
		result.Expect("the pool mode", poolOf(show("POOLS"), u)["pool_mode"], u.Mode),
	}
	if u.PoolSize > 0 {
		facts = append(facts, sizeOf(session.Find(show("DATABASES"), "name", u.Database), u))
	}
	others := func(c session.Row) bool { return c["application_name"] != session.Name }
	address := poolOf(slices.DeleteFunc(show("CLIENTS"), others), u)["addr"]
	facts = append(facts, result.Expect("the client's address as PgBouncer sees it", address, u.ClientAddresses...))
	if err != nil { // then they don't say what they seem to
		return nil, err
	}
	return facts, nil
}

// sizeOf wants the database's pools to be as large as they are to be.
func sizeOf(database session.Row, u Use) result.Fact {
	return result.Expect("the size of the pool", database["pool_size"], strconv.Itoa(u.PoolSize))
}

// poolOf returns the first row of the role in the database.
func poolOf(rows []session.Row, u Use) session.Row {
	for _, r := range rows {
		if r["user"] == u.Role && r["database"] == u.Database {
			return r
		}
	}
	return nil
}

// Fill has PgBouncer open a server connection and use it, as a client like k6's that has come and gone.
func (b *pgbouncer) Fill(ctx context.Context, u Use) (Own, error) {
	s, err := session.OpenAs(ctx, session.LoadName, u.DSN, u.Password)
	if err == nil {
		_, err = s.Ask(ctx, "SELECT 1")
		s.Close()
	}
	if err != nil {
		return Own{}, fmt.Errorf("fill the pool of %s: %w", b.login.Service, err)
	}
	return Own{Connections: 1, Statements: 1}, b.Settle(ctx, u)
}

// Settle waits until PgBouncer has reset the server connections that its last clients left: a DISCARD ALL that is
// under way counts too.
func (b *pgbouncer) Settle(ctx context.Context, u Use) error {
	return until(ctx, "PgBouncer to reset its server connections", func() (bool, error) {
		pools, err := b.console.Ask(ctx, "SHOW POOLS")
		pool := poolOf(pools, u)
		return err == nil && (pool == nil || pool["sv_active"] == "0" && pool["sv_tested"] == "0"), err
	})
}

// Emptied waits until PgBouncer knows that the server connections of the pool are gone, or their number would follow
// an earlier pool's size.
func (b *pgbouncer) Emptied(ctx context.Context, u Use) error {
	if !u.PostgreSQL {
		if _, err := b.console.Ask(ctx, `RECONNECT "`+u.Database+`"`); err != nil {
			return fmt.Errorf("empty PgBouncer's pool: %w", err)
		}
		return nil
	}
	return until(ctx, "PgBouncer's pool to be empty", func() (bool, error) {
		servers, err := b.console.Ask(ctx, "SHOW SERVERS")
		return err == nil && poolOf(servers, u) == nil, err
	})
}

// Counters is how many transactions PgBouncer counted in the database since it started, and how many server connections
// the pool holds.
func (b *pgbouncer) Counters(ctx context.Context, u Use) (Counters, error) {
	rows, err := b.console.Ask(ctx, "SHOW STATS")
	if err != nil {
		return Counters{}, err
	}
	stats := session.Find(rows, "database", u.Database) // none where nobody has used it yet
	var n session.Numbers
	c := Counters{Transactions: n.Of(stats, "total_xact_count")}
	pools, err := b.console.Ask(ctx, "SHOW POOLS")
	if err != nil {
		return c, err
	}
	if pool := poolOf(pools, u); pool != nil {
		for _, column := range serverColumns {
			c.Servers += n.Of(pool, column)
		}
	}
	return c, n.Err
}

// Counted sets SHOW STATS beside k6's count.
func (b *pgbouncer) Counted(_ Use, l LoadCounts) []result.Count {
	return []result.Count{count("transactions, SHOW STATS of PgBouncer", l.K6.Transactions, l.Transactions,
		deduction{"prepares", l.K6.Prepares}, deduction{"the lab's own", l.Own.Statements})}
}

// Overhead is what PgBouncer itself commits on its server connections, and what opening them does: it SETs the clients'
// parameters (their application_name) when a server connection gets a client that has others. In transaction mode all
// clients have the same, so that is once a server connection. The last one may never have had a client, which stays
// unsure: PgBouncer opens one at a time, and it can come when nobody waits for it any more. In session mode DISCARD ALL
// follows each client and undoes it.
func (b *pgbouncer) Overhead(u Use, l LoadCounts) Overhead {
	o := Overhead{unsure: min(l.Sessions, 1)}
	o.less = []deduction{{"SETs", l.Sessions - o.unsure}}
	if u.Mode == "session" {
		// A client that sends nothing gets no server connection.
		connections := l.K6.Connections - l.K6.Silent + l.Own.Connections
		o = Overhead{less: []deduction{{"SETs", connections}, {"DISCARD ALLs", connections}}}
	}
	o.less = append(o.less, deduction{"connections' own", l.Sessions}, deduction{"prepares", l.K6.Prepares},
		deduction{"the lab's own", l.Own.Statements})
	return o
}

// Opened is how many the pool held at the load's end: it began empty, and keeps what it opens.
func (b *pgbouncer) Opened(_ Use, l LoadCounts) (int64, bool) { return l.Servers, true }

// The columns of SHOW POOLS that count clients, and those that count server connections; older versions of PgBouncer
// have fewer.
var (
	clientColumns = []string{"cl_active", "cl_waiting", "cl_active_cancel_req", "cl_waiting_cancel_req"}
	serverColumns = []string{
		"sv_active", "sv_active_cancel", "sv_being_canceled", "sv_idle", "sv_used", "sv_tested", "sv_login",
	}
)

// Sample adds up the pools of measured clients; the longest wait is that of one of them.
func (b *pgbouncer) Sample(ctx context.Context, u Use) (result.Pooler, error) {
	return b.sample(ctx, "name", u)
}

// sample finds the database by that column of SHOW DATABASES.
func (b *pgbouncer) sample(ctx context.Context, column string, u Use) (result.Pooler, error) {
	pools, databases, err := b.pools(ctx)
	if err != nil {
		return result.Pooler{}, err
	}
	return b.sum(pools, session.Find(databases, column, u.Database))
}

func (b *pgbouncer) pools(ctx context.Context) (pools, databases []session.Row, err error) {
	if pools, err = b.console.Ask(ctx, "SHOW POOLS"); err != nil {
		return nil, nil, err
	}
	databases, err = b.console.Ask(ctx, "SHOW DATABASES")
	return pools, databases, err
}

func (b *pgbouncer) sum(pools []session.Row, database session.Row) (result.Pooler, error) {
	var r session.Numbers
	waiting, longest := 0, 0.0
	sum := result.Pooler{
		Samples: 1, PoolSize: int(r.Of(database, "pool_size")), MaxWaiting: &waiting, MaxWaitMS: &longest,
	}
	for _, p := range pools {
		if !slices.Contains(b.login.Measured, p["user"]) {
			continue
		}
		for _, column := range clientColumns {
			sum.MaxClients += int(r.Of(p, column))
		}
		for _, column := range serverColumns {
			sum.MaxServers += int(r.Of(p, column))
		}
		waiting += int(r.Of(p, "cl_waiting"))
		longest = max(longest, 1000*float64(r.Of(p, "maxwait"))+float64(r.Of(p, "maxwait_us"))/1000)
	}
	return sum, r.Err
}

// State adds up the pools of measured clients; the size is that of the pools in use, or of database lab where none
// is.
func (b *pgbouncer) State(ctx context.Context) (State, error) {
	pools, databases, err := b.pools(ctx)
	if err != nil {
		return State{}, err
	}
	return b.state(pools, databases)
}

func (b *pgbouncer) state(pools, databases []session.Row) (State, error) {
	var r session.Numbers
	var waiting, active, idle, size int
	for _, p := range pools {
		if !slices.Contains(b.login.Measured, p["user"]) {
			continue
		}
		used, free := int(r.Of(p, "sv_active")), int(r.Of(p, "sv_idle")+r.Of(p, "sv_used"))
		clients := int(r.Of(p, "cl_active") + r.Of(p, "cl_waiting"))
		waiting += int(r.Of(p, "cl_waiting"))
		active, idle = active+used, idle+free
		if used+free+clients > 0 {
			size += int(r.Of(session.Find(databases, "name", p["database"]), "pool_size"))
		}
	}
	if size == 0 {
		size = int(r.Of(session.Find(databases, "name", "lab"), "pool_size"))
	}
	return State{Waiting: &waiting, Active: &active, Idle: &idle, Size: &size}, r.Err
}

// Setting reads one of SHOW CONFIG.
func (b *pgbouncer) Setting(ctx context.Context, name string) (string, error) {
	rows, err := b.console.Ask(ctx, "SHOW CONFIG")
	if err != nil {
		return "", err
	}
	r := session.Find(rows, "key", name)
	switch {
	case r == nil:
		return "", errors.New("PgBouncer has no such setting (SHOW CONFIG lists them)")
	case r["changeable"] != "yes":
		return "", errors.New("PgBouncer can't change it while it runs")
	}
	return r["value"], nil
}

// Apply sets it on the admin console.
func (b *pgbouncer) Apply(ctx context.Context, name, value string) error {
	if _, err := b.console.Ask(ctx, "SET "+name+" = "+session.Quoted(value)); err != nil {
		return err
	}
	now, err := b.Setting(ctx, name)
	if err == nil && !SameValue(now, value) {
		err = fmt.Errorf("it is %s all the same", now)
	}
	return err
}

// Reset has PgBouncer read its file again, let in clients of databases that are disabled, end all pauses, and drop its
// server connections.
func (b *pgbouncer) Reset(ctx context.Context) (string, error) {
	if _, err := b.console.Ask(ctx, "RELOAD"); err != nil {
		return "", err
	}
	if all, err := b.heldAll(ctx); err != nil {
		return "", err
	} else if all != "" {
		if _, err := b.console.Ask(ctx, "RESUME"); err != nil {
			return "", err
		}
	}
	if _, err := b.each(ctx, "disabled", "ENABLE"); err != nil {
		return "", err
	}
	if _, err := b.Resume(ctx); err != nil {
		return "", err
	}
	if err := b.CloseIdle(ctx); err != nil {
		return "", err
	}
	held, err := b.Held(ctx, "")
	if held != "" {
		err = errors.New(held)
	}
	return "it has read its files again, and nothing is paused or disabled", err
}

// each gives the admin console's command for each database that is in the state, a column of SHOW DATABASES. found says
// whether one was.
func (b *pgbouncer) each(ctx context.Context, state, command string) (found bool, err error) {
	databases, err := b.console.Ask(ctx, "SHOW DATABASES")
	if err != nil {
		return false, err
	}
	for _, d := range databases {
		if d[state] != "1" {
			continue
		}
		if _, err := b.console.Ask(ctx, command+` "`+d["name"]+`"`); err != nil {
			return true, err
		}
		found = true
	}
	return found, nil
}

// Held says whether all of PgBouncer is paused or suspended, and names the databases that are disabled or paused.
func (b *pgbouncer) Held(ctx context.Context, database string) (string, error) {
	all, err := b.heldAll(ctx)
	if all != "" || err != nil {
		return all, err
	}
	databases, err := b.console.Ask(ctx, "SHOW DATABASES")
	var held []string
	for _, d := range databases {
		switch {
		case database != "" && d["name"] != database:
		case d["disabled"] == "1":
			held = append(held, "database "+d["name"]+" is disabled")
		case d["paused"] == "1":
			held = append(held, "database "+d["name"]+" is paused")
		}
	}
	return strings.Join(held, ", "), err
}

// heldAll says whether all of it is paused or suspended, which SHOW DATABASES doesn't tell.
func (b *pgbouncer) heldAll(ctx context.Context) (string, error) {
	state, err := b.console.Ask(ctx, "SHOW STATE")
	for _, key := range []string{"paused", "suspended"} {
		if session.Find(state, "key", key)["value"] == "yes" {
			return "all of it is " + key, err
		}
	}
	return "", err
}

// CloseIdle closes the server connections that no client uses, and those in use once their clients let go of them.
func (b *pgbouncer) CloseIdle(ctx context.Context) error {
	_, err := b.console.Ask(ctx, "RECONNECT")
	return err
}

// HoldsBack says that it can.
func (b *pgbouncer) HoldsBack() bool { return true }

// Pause leaves databases of session mode out: PgBouncer would wait until their clients have gone.
func (b *pgbouncer) Pause(ctx context.Context) error {
	databases, err := b.console.Ask(ctx, "SHOW DATABASES")
	for _, d := range databases {
		if d["pool_mode"] == "session" || d["name"] == "pgbouncer" || d["paused"] == "1" || err != nil {
			continue
		}
		_, err = b.console.Ask(ctx, `PAUSE "`+d["name"]+`"`)
	}
	return err
}

// Resume resumes the databases that are paused.
func (b *pgbouncer) Resume(ctx context.Context) (held bool, err error) {
	return b.each(ctx, "paused", "RESUME")
}

// Follows looks at the addresses that PgBouncer has of its databases' servers: none is the other node's. Its start
// script changes them.
func (b *pgbouncer) Follows(ctx context.Context, primary string) error {
	others, err := net.DefaultResolver.LookupHost(ctx, topology.OtherNode(primary))
	if err != nil {
		return err
	}
	databases, err := b.console.Ask(ctx, "SHOW DATABASES")
	for _, d := range databases {
		if slices.Contains(others, d["host"]) && err == nil {
			err = fmt.Errorf("database %s is still sent to %s", d["name"], d["host"])
		}
	}
	return err
}
