package pg

import (
	"strings"
	"testing"
)

func TestTransactionFunction(t *testing.T) {
	onEachRoute(t, func(t *testing.T, dsn, protocol string) {
		s := connectedTo(t, dsn, protocol)
		s.run(`client.exec('CREATE TABLE IF NOT EXISTS k6_kept (id int)');`)
		t.Cleanup(func() { s.run(`client.exec('DROP TABLE k6_kept')`) })
		s.measured()
		if got := s.run(`client.transaction((tx) => { tx.exec('INSERT INTO k6_kept VALUES ($1)', 1); return 'done' })`); got != "done" {
			t.Errorf("transaction() returned %s", got)
		}
		m := s.measured()
		if len(m["pg_transaction"]) != 1 || sum(m["pg_transactions"]) != 1 || len(m["pg_statement"]) != 3 {
			t.Errorf("a transaction is %v, %v of them, with statements %v", m["pg_transaction"], m["pg_transactions"], m["pg_statement"])
		}

		for name, test := range map[string]struct{ code, want string }{
			"throw":          {`client.transaction((tx) => { tx.exec('INSERT INTO k6_kept VALUES (2)'); throw new Error('mine') })`, "Error: mine"},
			"server's error": {`client.transaction((tx) => { tx.exec('INSERT INTO k6_kept VALUES (3)'); tx.exec('SELECT 1/0') })`, "22012"},
			"swallowed error": {`client.transaction((tx) => { tx.exec('INSERT INTO k6_kept VALUES (4)');
				try { tx.exec('SELECT 1/0') } catch (e) {} })`, "rolled_back"},
			"async":  {`client.transaction(async (tx) => { tx.exec('INSERT INTO k6_kept VALUES (5)') })`, "isn't async"},
			"nested": {`client.transaction((tx) => { tx.transaction(() => {}) })`, "already in a transaction"},
		} {
			got := s.run(`try { ` + test.code + `; 'nothing' } catch (e) { String(e) + ' ' + e.code }`)
			if !strings.Contains(got, test.want) {
				t.Errorf("%s: threw %q, not %q", name, got, test.want)
			}
			if got := s.run(`client.query('/*NO LOAD BALANCE*/ SELECT count(*) FROM k6_kept')[0].count`); got != "1" {
				t.Errorf("%s: %s rows were committed", name, got)
			}
			if m := s.measured(); sum(m["pg_rollbacks"]) != 1 {
				t.Errorf("%s: %v rollbacks", name, m["pg_rollbacks"])
			}
		}
	})
}

func TestIsolation(t *testing.T) {
	s := connected(t, "extended")
	got := s.run(`client.transaction((tx) => tx.query('SHOW transaction_isolation')[0].transaction_isolation, { isolation: 'serializable' })`)
	if got != "serializable" {
		t.Errorf("the isolation level is %s", got)
	}
	if _, err := s.try(`client.transaction(() => {}, { isolation: 'snapshot' })`); err == nil {
		t.Error("an unknown isolation level threw nothing")
	}
}
