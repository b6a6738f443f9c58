package server

import (
	"slices"
	"strings"
	"testing"

	"pooler-lab/internal/pooler"
	"pooler-lab/internal/result"
	"pooler-lab/internal/topology"
	"pooler-lab/test/testkit"
)

// labSet is the part of the lab's paths and links that the tests' paths differ by.
func labSet() *topology.Set {
	to := func(host string, port int, db string) topology.Endpoint {
		return topology.Endpoint{Host: host, Port: port, DBName: db}
	}
	return &topology.Set{
		Links: []topology.Link{
			{Name: "client-primary", Upstream: "primary:5432"}, {Name: "client-pgbouncer", Upstream: "pgbouncer:6432"},
			{Name: "client-pgpool", Upstream: "pgpool:9999"}, {Name: "pgbouncer-primary", Upstream: "primary:5432"},
			{Name: "pgpool-primary", Upstream: "primary:5432"}, {Name: "pgpool-standby", Upstream: "standby:5432"},
		},
		Paths: []topology.Path{
			{Name: "direct", Services: []string{"primary"}, Pools: "none", Plain: to("primary", 5432, "lab"),
				Over: []topology.Over{{Links: []string{"client-primary"}, Endpoint: to("toxiproxy", 15001, "lab")}}},
			{Name: "socket", Services: []string{"primary"}, Pools: "none", Plain: to("/run/postgresql", 5432, "lab")},
			{Name: "pgbouncer-transaction", Pooler: "pgbouncer", Services: []string{"pgbouncer", "primary"},
				Pools: "transaction", Plain: to("pgbouncer", 6432, "lab"),
				Over: []topology.Over{{Links: []string{"client-pgbouncer"}, Endpoint: to("toxiproxy", 15003, "lab")}}},
			{Name: "pgbouncer-session-near-app", Pooler: "pgbouncer", Services: []string{"pgbouncer", "primary"},
				Pools: "session",
				Over: []topology.Over{{Links: []string{"pgbouncer-primary"},
					Endpoint: to("pgbouncer", 6432, "lab_session_near_app")}}},
			{Name: "direct-hosts", Services: []string{"primary", "standby"}, Pools: "none", Plain: topology.Endpoint{
				Host: "primary,standby", Port: 5432, DBName: "lab", Target: "read-write"}},
			{Name: "haproxy", Services: []string{"haproxy", "primary", "standby"}, Pools: "none",
				Plain: to("haproxy", 5432, "lab")},
			{Name: "standby", Services: []string{"standby"}, Pools: "none", Plain: to("standby", 5432, "lab")},
			{Name: "pgpool", Pooler: "pgpool", Balances: true, Services: []string{"pgpool", "primary", "standby"},
				Plain: to("pgpool", 9999, "lab"),
				Over:  []topology.Over{{Links: []string{"client-pgpool"}, Endpoint: to("toxiproxy", 15004, "lab")}}},
			{Name: "pgpool-near-app", Pooler: "pgpool", Services: []string{"pgpool-near-app", "primary", "standby"},
				Over: []topology.Over{{Links: []string{"pgpool-primary", "pgpool-standby"},
					Endpoint: to("pgpool-near-app", 9999, "lab")}}},
		},
	}
}

func pathOf(t *testing.T, name, link string) Route {
	set := labSet()
	p, err := set.Find(name)
	testkit.OK(t, err)
	path, err := NewRoute(set, p, link)
	testkit.OK(t, err)
	return path
}

func TestPath(t *testing.T) {
	tests := []struct {
		name, path, link, pooler string
		proxied                  bool // toxiproxy is the database's client
		links                    int
		nodes                    []string
	}{
		{"direct", "direct", "", "", false, 0, []string{"primary"}},
		{"direct with latency", "direct", "client-primary", "", true, 1, []string{"primary"}},
		{"socket", "socket", "", "", false, 0, []string{"primary"}},
		{"a list of hosts", "direct-hosts", "", "", false, 0, []string{"primary", "standby"}},
		{"a proxy that is no pooler", "haproxy", "", "", false, 0, []string{"primary", "standby"}},
		{"a pooler", "pgbouncer-transaction", "", "pgbouncer", false, 0, []string{"primary"}},
		{"latency before a pooler is none of the database's", "pgbouncer-transaction", "client-pgbouncer", "pgbouncer",
			false, 1, []string{"primary"}},
		{"latency behind a pooler is", "pgbouncer-session-near-app", "pgbouncer-primary", "pgbouncer",
			true, 1, []string{"primary"}},
		{"a balancing pooler with latency before it", "pgpool", "client-pgpool", "pgpool",
			false, 1, []string{"primary", "standby"}},
		{"and behind it, on both links together", "pgpool-near-app", "pgpool-primary", "pgpool-near-app",
			true, 2, []string{"primary", "standby"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := pathOf(t, test.path, test.link)
			if p.PoolerService() != test.pooler || p.pooled() != (test.pooler != "") || p.proxied() != test.proxied ||
				len(p.Crossed) != test.links || !slices.Equal(p.Nodes(), test.nodes) {
				t.Errorf("pooler %s, proxied %v, %d links, nodes %v",
					p.PoolerService(), p.proxied(), len(p.Crossed), p.Nodes())
			}
		})
	}
	set := labSet()
	if _, err := NewRoute(set, set.Paths[1], "client-primary"); err == nil {
		t.Error("the socket goes over a link")
	}
	set.Paths[2].Pooler = "pgbouncr"
	if _, err := NewRoute(set, set.Paths[2], ""); err == nil || !strings.Contains(err.Error(), "did you mean pgbouncer?") {
		t.Errorf("a kind of pooler that nobody knows: %v", err)
	}
}

func TestCounts(t *testing.T) {
	k6 := result.Counted{Transactions: 1000, Prepares: 10, Connections: 10}
	blocks := result.Counted{Transactions: 100, Connections: 1, Explicit: 100}
	silent := result.Counted{Transactions: 100, Connections: 2, Silent: 1}
	zero := tally{nodes: map[string]pooler.NodeCounters{"primary": {Commits: 50, Sessions: 5}}}
	after := func(commits, sessions int64) tally {
		return tally{nodes: map[string]pooler.NodeCounters{"primary": {Commits: 50 + commits, Sessions: 5 + sessions}}}
	}
	pooled := func(t tally, transactions int64) tally { t.pooler.Transactions = transactions; return t }
	both := func(onPrimary, onStandby int64) tally {
		return tally{nodes: map[string]pooler.NodeCounters{"primary": {Commits: onPrimary}, "standby": {Commits: onStandby}}}
	}
	asked := func(commits int64) tally {
		return tally{nodes: map[string]pooler.NodeCounters{"primary": {Commits: commits, Sessions: 10}}}
	}
	filled := zero
	filled.own = pooler.Own{Connections: 1, Statements: 1}
	probed := both(0, 0)
	probed.own = pooler.Own{Connections: 1, Statements: 11}
	tests := []struct {
		name, path, link string
		before, after    tally
		k6               result.Counted
		equal            []bool
	}{
		{"direct: connections commit once, prepares too", "direct", "", zero, after(1020, 10), k6, []bool{true}},
		{"direct: one transaction is missing", "direct", "", zero, after(1019, 10), k6, []bool{false}},
		{"transaction pooling: a SET a server connection", "pgbouncer-transaction", "", zero, pooled(after(1016, 3), 1010),
			k6, []bool{true, true}},
		{"transaction pooling: the last server connection came too late for a client", "pgbouncer-transaction", "", zero,
			pooled(after(1015, 3), 1010), k6, []bool{true, true}},
		{"transaction pooling: one is missing", "pgbouncer-transaction", "", zero, pooled(after(1014, 3), 1010),
			k6, []bool{true, false}},
		{"session pooling: SET and DISCARD ALL a client", "pgbouncer-session-near-app", "pgbouncer-primary", zero,
			pooled(after(1033, 3), 1010), k6, []bool{true, true}},
		{"transaction pooling: a pool filled by the lab's own client", "pgbouncer-transaction", "", filled,
			pooled(after(1017, 3), 1011), k6, []bool{true, true}},
		{"session pooling: a pool filled by the lab's own client", "pgbouncer-session-near-app", "pgbouncer-primary",
			filled, pooled(after(1036, 3), 1011), k6, []bool{true, true}},
		{"PgBouncer lost one", "pgbouncer-transaction", "", zero, pooled(after(1016, 3), 1009), k6, []bool{false, true}},
		// 1000 + 10 prepares + 11 of the probe, 11 clients on 2 nodes, 11 DISCARD ALLs on the primary; up to 11 more on
		// the standby
		{"Pgpool-II: all SELECTs went to the primary", "pgpool", "", probed, both(1043, 11), k6, []bool{true}},
		{"Pgpool-II: all went to the standby", "pgpool", "", probed, both(22, 1043), k6, []bool{true}},
		{"Pgpool-II: one is missing", "pgpool", "", probed, both(1043, 10), k6, []bool{false}},
		{"Pgpool-II: one is too many", "pgpool", "", probed, both(22, 1044), k6, []bool{false}},
		// A BEGIN block is sent to the primary and to the session's own node, and may commit twice; 1 is the connection's
		// own.
		{"Pgpool-II: blocks on the primary", "pgpool", "", both(0, 0), both(102, 1), blocks, []bool{true}},
		{"Pgpool-II: blocks on both", "pgpool", "", both(0, 0), both(102, 101), blocks, []bool{true}},
		{"Pgpool-II: and a DISCARD ALL", "pgpool", "", both(0, 0), both(102, 102), blocks, []bool{true}},
		{"Pgpool-II: one is too many beside blocks", "pgpool", "", both(0, 0), both(102, 103), blocks, []bool{false}},
		// A client that sends nothing has no server connection in session mode: nothing is set on one, or discarded.
		{"session pooling: a silent client", "pgbouncer-session-near-app", "pgbouncer-primary", zero,
			pooled(after(103, 1), 100), silent, []bool{true, true}},
		// Each of 10 connections commits once, and may have asked whether the server takes writes.
		{"a list of hosts", "direct-hosts", "", both(0, 0), asked(1020), k6, []bool{true}},
		{"a list of hosts: clients ask", "direct-hosts", "", both(0, 0), asked(1030), k6, []bool{true}},
		{"a list of hosts: one is too many", "direct-hosts", "", both(0, 0), asked(1031), k6, []bool{false}},
		{"a list of hosts: one is missing", "direct-hosts", "", both(0, 0), asked(1019), k6, []bool{false}},
		{"direct: a silent client", "direct", "", zero, after(102, 2), silent, []bool{true}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l, err := New(labSet())
			testkit.OK(t, err)
			p := pathOf(t, test.path, test.link)
			side := Side{Route: p, before: test.before}
			load := side.since(test.after, test.k6)
			counts := pooler.Counts([]pooler.Side{{Pooler: l.pooler(p), Use: p.use(), Load: load}})[0]
			var equal []bool
			for _, c := range counts {
				equal = append(equal, c.Equal)
			}
			if !slices.Equal(equal, test.equal) {
				t.Errorf("counted %+v", counts)
			}
		})
	}
}

func TestClients(t *testing.T) {
	p := pathOf(t, "direct", "client-primary")
	if got := p.DSN(); got != "host=toxiproxy port=15001 dbname=lab user=app sslmode=disable" || p.counted() != "lab" {
		t.Errorf("%s, counted in %s", got, p.counted())
	}
	p.Role, p.Fresh = "app_clear", true
	if got := p.DSN(); got != "host=toxiproxy port=15001 dbname=lab_fresh user=app_clear sslmode=disable" ||
		p.counted() != "lab_fresh" {
		t.Errorf("%s, counted in %s", got, p.counted())
	}
	for name, want := range map[string][2]bool{
		"direct": {false, true}, "socket": {false, true}, "pgbouncer-transaction": {true, false}, "pgpool": {false, false},
		"direct-hosts": {false, false}, "haproxy": {false, false},
	} {
		p, err := labSet().Find(name)
		testkit.OK(t, err)
		if got := [2]bool{pooler.SizeSetting(p) != "", p.Straight()}; got != want {
			t.Errorf("%s: a pool's size can be set, straight: %v", name, got)
		}
	}
}

// Where one server of two takes writes, a path leads to that one, unless it balances.
func TestRecovery(t *testing.T) {
	for name, want := range map[string]string{"direct": "f", "standby": "t", "pgbouncer-transaction": "f",
		"direct-hosts": "f", "haproxy": "f", "pgpool": "f t"} {
		if got := strings.Join(pathOf(t, name, "").recovery(), " "); got != want {
			t.Errorf("%s: %s, wanted %s", name, got, want)
		}
	}
}

func TestWrong(t *testing.T) {
	facts := []result.Fact{result.Expect("the address", "10.0.0.1", "10.0.0.1", "10.0.0.2"),
		result.Expect("the pool mode", "session", "session")}
	if wrong := Wrong(facts); wrong != "" {
		t.Errorf("what holds is called wrong: %s", wrong)
	}
	const want = "the path doesn't lead where it says: the client's address is nothing, it had to be 10.0.0.9"
	if wrong := Wrong(append(facts, result.Expect("the client's address", "", "10.0.0.9"))); wrong != want {
		t.Errorf("it says %q", wrong)
	}
}
