package pg

import (
	"strconv"
	"strings"
	"testing"
)

// TestFailedPrepareAgain sends texts again whose Parse failed, by itself and in an aborted transaction.
func TestFailedPrepareAgain(t *testing.T) {
	onEachPath(t, func(t *testing.T, dsn, protocol string) {
		s := connectedTo(t, dsn, protocol)
		for range 3 {
			for sql, code := range map[string]string{
				"SELECT * FROM comes_later": "42P01", "SELECT no_function()": "42883", "SELEKT 1": "42601",
			} {
				s.throws(`client.query("`+sql+`")`, code)
			}
			s.run(`client.exec('BEGIN'); trying(() => client.exec('SELECT 1 / 0'));
				trying(() => client.query('SELECT 41 + 1 AS n')); client.exec('ROLLBACK')`)
			s.gives(`trying(() => client.query('SELECT 41 + 1 AS n')[0].n)`, "42")
		}
		// A table that has come meanwhile.
		s.gives(`trying(() => client.transaction((tx) => {
				tx.exec('CREATE TEMPORARY TABLE comes_later (id int) ON COMMIT DROP');
				return tx.query('SELECT * FROM comes_later').length }))`, "0")
		s.gives(`client.connected()`, "true")
	})
}

// kept returns how many statements the session has prepared, by its own count: one statement more.
func kept(t *testing.T, s *script) int {
	t.Helper()
	count, err := strconv.Atoi(s.run(`client.query('SELECT count(*) AS n FROM pg_prepared_statements')[0].n`))
	if err != nil {
		t.Fatal(err)
	}
	return count
}

func TestPreparedStatementsAreFew(t *testing.T) {
	s := connected(t, "prepared")
	trips := func(code string) int {
		s.measured()
		s.run(code)
		return sum(s.measured()["pg_round_trips"])
	}
	for round := range 3 {
		const texts = `for (let i = 0; i < 500; i++) client.exec('SELECT ' + (i + 500 * round))`
		if n := trips(`round = ` + strconv.Itoa(round) + `; ` + texts); n != 2*500 {
			t.Errorf("%d round trips of 500 texts, not two each", n)
		}
		if n := kept(t, s); n > mostStatements {
			t.Errorf("%d statements are prepared, more than %d", n, mostStatements)
		}
	}
	if n := trips(`client.exec('SELECT 1499')`); n != 1 {
		t.Errorf("the text that was used last took %d round trips", n)
	}
	const pipeline = `client.pipeline((p) => { for (let i = 0; i < 700; i++) p.query('SELECT ' + i + ' AS n') })
		.reduce((sum, rows) => sum + rows[0].n, 0)`
	s.gives(pipeline, "244650")
	if n := trips(pipeline); n != 1 {
		t.Errorf("a pipeline of 700 texts took %d round trips the second time", n)
	}
	if s.run(`client.exec('SELECT 1')`); kept(t, s) > 2 {
		t.Error("after a pipeline of 700 texts as many are prepared")
	}
}

func TestTextsAreKeptFew(t *testing.T) {
	for protocol := range protocols {
		s := connected(t, protocol)
		s.run(`for (let i = 0; i < 1500; i++) client.exec({ name: 'one', sql: 'SELECT ' + i })`)
		if sets := len(s.module.users[0].tagSets); sets > 5 {
			t.Errorf("%s: one name has %d tag sets", protocol, sets)
		}
	}
}

// TestDeallocated has the session forget what was prepared, said or unsaid.
func TestDeallocated(t *testing.T) {
	hidden := `client.exec("DO $$ BEGIN EXECUTE 'DEALLOCATE ALL'; END $$")`
	onEachPath(t, func(t *testing.T, dsn, protocol string) {
		for name, test := range map[string]struct {
			code   string
			errors int
		}{
			"DISCARD ALL":    {`client.exec('DISCARD ALL')`, 0},
			"DEALLOCATE ALL": {`client.exec('deallocate /* all */ all')`, 0},
			"in pipeline":    {`client.pipeline((p) => p.exec('DEALLOCATE ALL'))`, 0},
			"transaction":    {`client.transaction((tx) => tx.exec('DEALLOCATE ALL'))`, 0},
			"hidden":         {hidden, 1},
		} {
			if name == "hidden" && !strings.Contains(t.Name(), "direct") {
				continue // a pooler is told nothing
			}
			s := connectedTo(t, dsn, protocol)
			s.run(`const one = () => client.query('SELECT $1::int AS n', 42)[0].n;
				const two = () => client.query('SELECT $1::int + 1 AS n', 42)[0].n; one(); two();`)
			s.measured()
			s.run(test.code)
			got := s.run(`[trying(one), trying(two), trying(one), client.connected()].join()`)
			if got != "42,43,42,true" {
				t.Errorf("%s: came to %s", name, got)
			}
			want := test.errors
			if protocol != "prepared" {
				want = 0
			}
			if got := sum(s.measured()["pg_errors"]); got != want {
				t.Errorf("%s: %d errors, not %d", name, got, want)
			}
		}
	})
}

// TestDeallocatedInTransaction wants one error, which blames nobody, and then nothing any more.
func TestDeallocatedInTransaction(t *testing.T) {
	s := connected(t, "prepared")
	s.run(`const work = (cut) => client.transaction((tx) => {
			if (cut) tx.exec("DO $$ BEGIN EXECUTE 'DEALLOCATE ALL'; END $$");
			return tx.query('SELECT $1::int AS n', 42)[0].n });
		const commit = () => client.transaction((tx) => tx.exec("DO $$ BEGIN EXECUTE 'DEALLOCATE ALL'; END $$"));
		work(false)`)
	for range 2 {
		got := s.run(`trying(() => work(true))`)
		if !strings.HasPrefix(got, "26000 ") || !strings.Contains(got, "prepared anew") || strings.Contains(got, "pool") {
			t.Errorf("a lost statement in a transaction threw %q", got)
		}
		s.gives(`trying(() => work(false))`, "42")
		s.throws(`commit()`, "26000 ")
		s.gives(`trying(() => work(false))`, "42")
	}
}

// TestDeallocatedBeforePipeline wants a pipeline not to be sent again: some of it may have been executed.
func TestDeallocatedBeforePipeline(t *testing.T) {
	s := connected(t, "prepared")
	s.run(`client.exec('CREATE TEMPORARY SEQUENCE sent');
		const next = "SELECT nextval('sent') AS n", one = 'SELECT 1 AS n';
		const both = (cut) => client.pipeline((p) => { p.query(next); if (cut) p.exec(cut); p.query(one) })[0][0].n;
		const cut = "DO $$ BEGIN EXECUTE 'DEALLOCATE ALL'; END $$"; both()`)
	s.throws(`both(cut)`, "26000 ")
	s.gives(`trying(() => both())`, "3")
}

// TestChangedTable changes the columns of a prepared SELECT's result.
func TestChangedTable(t *testing.T) {
	s := connected(t, "prepared")
	s.run(`client.exec('CREATE TEMPORARY TABLE changing (a int)'); client.exec('INSERT INTO changing VALUES (1)');
		const all = () => JSON.stringify(client.query('SELECT * FROM changing')); all()`)
	s.measured()
	s.run(`client.exec('ALTER TABLE changing ADD b int DEFAULT 2')`)
	s.gives(`trying(all)`, `[{"a":1,"b":2}]`)
	if got := sum(s.measured()["pg_errors"]); got != 1 {
		t.Errorf("%d errors, not 1", got)
	}
	s.run(`client.exec('ALTER TABLE changing ADD c int DEFAULT 3')`)
	got := s.run(`trying(() => client.transaction(all))`)
	if !strings.HasPrefix(got, "0A000 ") || !strings.Contains(got, "connect() again") || strings.Contains(got, "Bouncer") {
		t.Errorf("a changed table in a transaction threw %q", got)
	}
	s.gives(`trying(() => client.transaction(all))`, `[{"a":1,"b":2,"c":3}]`)
}

// TestStatementsOfOthersAreNotSentAgain wants what a script prepares in SQL to fail as it fails in PostgreSQL, and what
// may have been executed not to be sent again.
func TestStatementsOfOthersAreNotSentAgain(t *testing.T) {
	s := connected(t, "prepared")
	s.run(`client.exec('CREATE TEMPORARY SEQUENCE sent');
		const count = () => client.query("SELECT nextval('sent') AS n")[0].n; count();
		client.exec("PREPARE mine AS SELECT 1")`)
	for name, test := range map[string]struct{ sql, code string }{
		"EXECUTE":    {`EXECUTE nobodys`, "26000"},
		"DEALLOCATE": {`DEALLOCATE nobodys`, "26000"},
		"PREPARE":    {`PREPARE mine AS SELECT 1`, "42P05"},
		"in a function": {`DO $$ BEGIN PERFORM nextval('sent'); EXECUTE 'EXECUTE k6_0123456789abcdef01234567'; END $$`,
			"26000"},
	} {
		s.set("sql", test.sql)
		before := s.run(`count()`)
		got := s.run(`trying(() => client.exec(sql))`)
		if !strings.HasPrefix(got, test.code) || strings.Contains(got, "pool") {
			t.Errorf("%s threw %q", name, got)
		}
		first, _ := strconv.Atoi(before)
		if after := s.run(`count()`); name == "in a function" && after != strconv.Itoa(first+2) {
			t.Errorf("%s: the sequence went from %s to %s", name, before, after)
		}
	}
}

// TestPgBouncerHasChangedTables wants the advice to be PgBouncer's: it has one plan for all who send a text.
func TestPgBouncerHasChangedTables(t *testing.T) {
	s := connectedTo(t, serverDSN(t, "LAB_TEST_PGBOUNCER_DSN"), "prepared")
	s.throws(`client.transaction((tx) => {
		tx.exec('CREATE TEMPORARY TABLE changing (a int) ON COMMIT DROP');
		tx.query('SELECT * FROM changing');
		tx.exec('ALTER TABLE changing ADD b int');
		return tx.query('SELECT * FROM changing').length })`, "0A000 ", "RECONNECT")
}
