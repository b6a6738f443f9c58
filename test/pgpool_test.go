package test

import (
	"strconv"
	"testing"
)

var pgpools = []route{{path: "pgpool"}, {path: "pgpool-near-app", link: "pgpool-primary"}}

// sessions is how many sessions a test opens to see both nodes drawn: with equal weights one of 2^39 goes without.
const sessions = 40

// whichNode calls nothing volatile, so Pgpool-II balances it like any SELECT.
const whichNode = "SELECT host(inet_server_addr())"

// Each session's SELECTs go to one node, drawn at its start; writes always go to the primary.
func TestPgpoolBalancesReadsAndKeepsWrites(t *testing.T) {
	t.Parallel()
	for _, r := range pgpools {
		t.Run(r.path, func(t *testing.T) {
			e, names := r.endpoint(t), services(t)
			e.Host = address(t, e.Host)
			reads := map[string]int{}
			for i := range sessions {
				conn := connect(t, "app", e)
				node := names[one(t, conn, whichNode)]
				reads[node]++
				if again := names[one(t, conn, whichNode)]; again != node {
					t.Errorf("session %d: its SELECTs went to %s and then to %s", i, node, again)
				}
				if i%8 == 0 {
					checkWrites(t, r, names)
				}
				conn.Close(t.Context())
				if i >= 9 && reads["primary"] > 0 && reads["standby"] > 0 {
					break
				}
			}
			if reads["primary"] == 0 || reads["standby"] == 0 {
				t.Errorf("the sessions' SELECTs went to %v, wanted both primary and standby", reads)
			}
		})
	}
}

// checkWrites has one session write, with and without a transaction around it; nothing stays.
func checkWrites(t *testing.T, r route, names map[string]string) {
	t.Helper()
	conn := connect(t, "app", r.endpoint(t))
	const insert = "INSERT INTO pgbench_history (filler) VALUES ('pgpool') RETURNING host(inet_server_addr())"
	if node := names[one(t, conn, insert)]; node != "primary" {
		t.Errorf("an INSERT went to the %s", node)
	}
	table(t, conn, "DELETE FROM pgbench_history WHERE filler = 'pgpool'")
	table(t, conn, "BEGIN")
	table(t, conn, insert)
	if node := names[one(t, conn, whichNode)]; node != "primary" {
		t.Errorf("a SELECT after a write of its transaction went to the %s", node)
	}
	table(t, conn, "ROLLBACK")
}

// Pgpool-II knows which of its backends is which, has both in use, gives them equal weights and counts their SELECTs.
func TestPgpoolKnowsItsNodes(t *testing.T) {
	t.Parallel()
	for _, r := range pgpools {
		t.Run(r.path, func(t *testing.T) {
			conn := connect(t, "app", r.endpoint(t))
			nodes := table(t, conn, "SHOW pool_nodes")
			if len(nodes) != 2 {
				t.Fatalf("%d nodes, wanted two", len(nodes))
			}
			for i, role := range []string{"primary", "standby"} {
				node := nodes[i]
				if node["role"] != role || node["pg_role"] != role || node["status"] != "up" || node["lb_weight"] != "0.500000" {
					t.Errorf("node %d: %v, wanted the %s, up, weight 0.5", i, node, role)
				}
			}
			before := counts(t, nodes)
			for range 5 {
				one(t, conn, "SELECT abalance FROM pgbench_accounts WHERE aid = 1")
			}
			if grown := counts(t, table(t, conn, "SHOW pool_nodes")) - before; grown < 5 {
				t.Errorf("select_cnt grew by %d for 5 SELECTs", grown)
			}
		})
	}
}

// counts is the number of SELECTs over all nodes.
func counts(t *testing.T, nodes []map[string]string) int {
	t.Helper()
	sum := 0
	for _, node := range nodes {
		n, err := strconv.Atoi(node["select_cnt"])
		if err != nil {
			t.Fatalf("select_cnt is %q", node["select_cnt"])
		}
		sum += n
	}
	return sum
}
