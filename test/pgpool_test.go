package test

import "testing"

var pgpools = []route{{path: "pgpool"}, {path: "pgpool-near-app", link: "pgpool-primary"}}

// sessions is how many sessions a test opens to see both nodes drawn: with equal weights one of 2^39 goes without.
const sessions = 40

// whichNode calls nothing volatile, so Pgpool-II balances it like any SELECT.
const whichNode = "SELECT host(inet_server_addr())"

// Each session's SELECTs go to one node, drawn at its start with equal weights. Writes always go to the primary.
func TestPgpoolBalancesReadsAndKeepsWrites(t *testing.T) {
	t.Parallel()
	for _, r := range pgpools {
		t.Run(r.path, func(t *testing.T) {
			e, names, reads := r.endpoint(t), services(t), map[string]int{}
			e.Host = address(t, e.Host)
			nodes := table(t, connect(t, "app", e), "SHOW pool_nodes")
			for i, role := range []string{"primary", "standby"} {
				if len(nodes) != 2 || nodes[i]["role"] != role || nodes[i]["lb_weight"] != "0.500000" {
					t.Errorf("the nodes are %v, wanted the %s in place %d with weight 0.5", nodes, role, i)
				}
			}
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
