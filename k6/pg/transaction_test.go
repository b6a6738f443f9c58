package pg

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestTransactionFunction(t *testing.T) {
	onEachPath(t, func(t *testing.T, dsn, protocol string) {
		s, probe := connectedTo(t, dsn, protocol), connected(t, "simple")
		// The table of pgbench that anybody may write to; the mark tells this test's rows.
		mark := strconv.Itoa(rand.IntN(1 << 30))
		s.run(`const add = (tx, n) => tx.exec('INSERT INTO pgbench_history (tid, aid) VALUES ($1, $2)', ` + mark + `, n);`)
		t.Cleanup(func() { probe.run(`client.exec('DELETE FROM pgbench_history WHERE tid = ` + mark + `')`) })
		s.measured()
		s.gives(`client.transaction((tx) => { add(tx, 1); return 'done' })`, "done")
		m := s.measured()
		if len(m["pg_transaction"]) != 1 || sum(m["pg_transactions"]) != 1 || len(m["pg_statement"]) != 3 {
			t.Errorf("a transaction is %v, %v of them, with statements %v", m["pg_transaction"], m["pg_transactions"],
				m["pg_statement"])
		}

		for name, test := range map[string]struct{ code, want string }{
			"throw":          {`client.transaction((tx) => { add(tx, 2); throw new Error('mine') })`, "mine"},
			"server's error": {`client.transaction((tx) => { add(tx, 3); tx.exec('SELECT 1/0') })`, "22012"},
			"swallowed error": {`client.transaction((tx) => { add(tx, 4);
				try { tx.exec('SELECT 1/0') } catch (e) {} })`, "rolled_back"},
			"async":  {`client.transaction(async (tx) => { add(tx, 5) })`, "isn't async"},
			"nested": {`client.transaction((tx) => { tx.transaction(() => {}) })`, "already in a transaction"},
		} {
			s.throws(test.code, test.want)
			probe.gives(`client.query('SELECT count(*) FROM pgbench_history WHERE tid = `+mark+`')[0].count`, "1")
			if m := s.measured(); sum(m["pg_rollbacks"]) != 1 {
				t.Errorf("%s: %v rollbacks", name, m["pg_rollbacks"])
			}
		}
	})
}
