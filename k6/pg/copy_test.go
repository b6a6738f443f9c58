package pg

import "testing"

func TestCopy(t *testing.T) {
	onEachPath(t, func(t *testing.T, dsn, protocol string) {
		s := connectedTo(t, dsn, protocol)
		for data, want := range map[string]string{
			`"1\ta\n2\tb\n"`:                         "2",
			`new Uint8Array([49, 9, 97, 10])`:        "1",
			`new Uint8Array([49, 9, 97, 10]).buffer`: "1",
			`"1\ta\n", { repeat: 30000 }`:            "30000",
			`""`:                                     "0",
		} {
			s.measured()
			s.gives(`client.transaction((tx) => {
				tx.exec('CREATE TEMPORARY TABLE copied (id int, word text) ON COMMIT DROP');
				return [tx.copyIn('COPY copied FROM STDIN', `+data+`), tx.copyOut('COPY copied TO STDOUT')].join();
			})`, want+","+want)
			if m := s.measured(); len(m["pg_copy"]) != 2 {
				t.Errorf("%s: pg_copy is %v", data, m["pg_copy"])
			}
		}
	})
}

func TestCopyErrors(t *testing.T) {
	s := connected(t, "prepared")
	s.run(`client.exec('CREATE TEMPORARY TABLE copied (id int)')`)
	for code, want := range map[string]string{
		`client.copyIn('COPY copied FROM STDIN', 'x\n')`:     "22P02",
		`client.copyIn('COPY copied FROM STDIN')`:            "wants text or bytes",
		`client.copyIn('COPY copied FROM STDIN', () => 'x')`: "wants text or bytes",
		`client.copyOut('COPY nowhere TO STDOUT')`:           "42P01",
	} {
		s.throws(code, want)
		s.gives(`client.query('SELECT count(*) FROM copied')[0].count`, "0")
	}
}

// TestCopyOfAnotherKind gives each function what belongs to another one: an error at once, and nothing sent.
func TestCopyOfAnotherKind(t *testing.T) {
	in, out := "`COPY copied FROM STDIN`", "`COPY copied TO STDOUT`"
	onEachPath(t, func(t *testing.T, dsn, protocol string) {
		s := connectedTo(t, dsn, protocol)
		s.measured()
		for code, want := range map[string]string{
			`client.exec(` + in + `)`:                                "use copyIn()",
			`client.query(` + out + `)`:                              "use copyOut()",
			`client.pipeline((p) => p.exec(` + in + `))`:             "use copyIn()",
			`client.exec({ name: 'in', sql: ` + in + ` })`:           "use copyIn()",
			`client.exec('SELECT 1; copy copied from stdin;')`:       "use copyIn()",
			`client.copyIn(` + out + `, 'x')`:                        "wants one COPY ... FROM STDIN",
			`client.copyIn('SELECT 1', 'x')`:                         "wants one COPY ... FROM STDIN",
			`client.copyOut(` + in + `)`:                             "for COPY ... FROM STDIN use copyIn()",
			`client.copyIn('COPY copied FROM STDIN; SELECT 1', 'x')`: "and no other statements",
		} {
			s.throws(code, "client ", want)
		}
		if m := s.measured(); sum(m["pg_bytes_sent"]) != 0 || sum(m["pg_errors"]) == 0 {
			t.Errorf("%v bytes were sent, %v errors counted", m["pg_bytes_sent"], m["pg_errors"])
		}
		s.gives(`client.query('SELECT 1 AS one')[0].one`, "1")
	})
}

func TestCopyOf(t *testing.T) {
	for sql, want := range map[string]string{
		"COPY t FROM STDIN":                                 copiesIn,
		" copy\tbinary t\nfrom/* */stdin":                   copiesIn,
		"/* a */ COPY s.t (a, b) FROM STDIN (FORMAT csv);":  copiesIn,
		"-- load\nCOPY t FROM STDIN WITH DELIMITER ';'":     copiesIn,
		`COPY "from stdin" TO STDOUT`:                       copiesOut,
		"COPY (SELECT * FROM stdin) TO STDOUT":              copiesOut,
		"COPY t FROM STDOUT":                                copiesIn, // as PostgreSQL reads it
		"SELECT 1; COPY t FROM STDIN":                       copiesIn,
		"COPY (SELECT string_agg(x, ';') FROM t) TO STDOUT": copiesOut,
		"INSERT INTO t VALUES ('a; copy t from stdin')":     "",
		"DO $$ x; copy x from stdin $$":                     "",
		"COPY t FROM 'stdin'":                               "",
		"COPY t TO PROGRAM 'cat'":                           "",
		"SELECT 'COPY t FROM STDIN'":                        "",
		"SELECT copy FROM stdin":                            "",
		"-- COPY t FROM STDIN\nSELECT 1":                    "",
		"":                                                  "",
	} {
		if got, beside := copyOf(sql); got != want || beside != (sql == "SELECT 1; COPY t FROM STDIN") {
			t.Errorf("%q has the direction %q, not %q", sql, got, want)
		}
	}
}
