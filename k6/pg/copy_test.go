package pg

import (
	"slices"
	"testing"
)

func TestCopy(t *testing.T) {
	onEachPath(t, func(t *testing.T, dsn, protocol string) {
		s := connectedTo(t, dsn, protocol)
		for name, test := range map[string]struct{ data, want string }{
			"text":     {`"1\ta\n2\tb\n"`, `{"rows":2,"bytes":8}`},
			"bytes":    {`new Uint8Array([49, 9, 97, 10])`, `{"rows":1,"bytes":4}`},
			"buffer":   {`new Uint8Array([49, 9, 97, 10]).buffer`, `{"rows":1,"bytes":4}`},
			"repeated": {`"1\ta\n", { repeat: 30000 }`, `{"rows":30000,"bytes":120000}`},
			"nothing":  {`""`, `{"rows":0,"bytes":0}`},
		} {
			s.measured()
			got := s.run(`client.transaction((tx) => {
				tx.exec('CREATE TEMPORARY TABLE copied (id int, word text) ON COMMIT DROP');
				const put = tx.copyIn('COPY copied FROM STDIN', ` + test.data + `);
				const got = tx.copyOut('COPY copied TO STDOUT');
				return JSON.stringify(put) + (JSON.stringify(got) === JSON.stringify(put) ? '' : ' but out ' + JSON.stringify(got));
			})`)
			if got != test.want {
				t.Errorf("%s: copied %s, not %s", name, got, test.want)
			}
			if m := s.measured(); len(m["pg_copy"]) != 2 {
				t.Errorf("%s: pg_copy is %v", name, m["pg_copy"])
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
		s.run(`client.exec('BEGIN'); client.exec('CREATE TEMPORARY TABLE copied (id int) ON COMMIT DROP')`)
		s.measured()
		for code, want := range map[string]string{
			`client.exec(` + in + `)`:                            "use copyIn()",
			`client.query(` + in + `)`:                           "use copyIn()",
			`client.query(` + out + `)`:                          "use copyOut()",
			`client.exec(` + out + `)`:                           "use copyOut()",
			`client.pipeline((p) => p.exec(` + in + `))`:         "use copyIn()",
			`client.pipeline((p) => p.query(` + out + `))`:       "use copyOut()",
			`client.exec({ name: 'in', sql: ` + in + ` })`:       "use copyIn()",
			`client.exec('SELECT 1; copy copied from stdin;')`:   "use copyIn()",
			`client.copyIn(` + out + `, 'x')`:                    "use copyOut()",
			`client.copyIn('SELECT 1', 'x')`:                     "use exec() or query()",
			`client.copyIn("COPY copied FROM '/dev/null'", 'x')`: "use exec() or query()",
			`client.copyIn(` + in + ` + '; SELECT 1', 'x')`:      "no other statements",
			`client.copyOut(` + in + `)`:                         "use copyIn()",
			`client.copyOut('SELECT 1')`:                         "use exec() or query()",
		} {
			s.throws(code, "client ", want)
		}
		if m := s.measured(); sum(m["pg_bytes_sent"]) != 0 || sum(m["pg_errors"]) == 0 {
			t.Errorf("%v bytes were sent, %v errors counted", m["pg_bytes_sent"], m["pg_errors"])
		}
		got := s.run(`[client.copyIn(` + in + `, '1\n').rows, client.copyOut(` + out + `).rows,
			client.exec('ROLLBACK')].join()`)
		if got != "1,1,0" {
			t.Errorf("afterwards it came to %s", got)
		}
	})
}

func TestCopyKinds(t *testing.T) {
	for sql, want := range map[string][]copyKind{
		"COPY t FROM STDIN":                                {copyIn},
		" copy\tbinary t\nfrom/* */stdin":                  {copyIn},
		"/* a */ COPY s.t (a, b) FROM STDIN (FORMAT csv);": {copyIn},
		"-- load\nCOPY t FROM STDIN WITH DELIMITER ';'":    {copyIn},
		`COPY "from stdin" TO STDOUT`:                      {copyOut},
		"COPY (SELECT * FROM stdin) TO STDOUT":             {copyOut},
		"COPY t FROM STDOUT":                               {copyIn}, // as PostgreSQL reads it
		"COPY t TO STDIN":                                  {copyOut},
		"SELECT 1; COPY t FROM STDIN":                      {noCopy, copyIn},
		"COPY t TO STDOUT; COPY t FROM STDIN;":             {copyOut, copyIn},
		"COPY t FROM 'stdin'":                              {noCopy},
		"COPY t TO PROGRAM 'cat'":                          {noCopy},
		"SELECT 'COPY t FROM STDIN'":                       {noCopy},
		"SELECT $$COPY t FROM STDIN$$":                     {noCopy},
		"SELECT copy FROM stdin":                           {noCopy},
		"-- COPY t FROM STDIN\nSELECT 1":                   {noCopy},
		"SELECT 1":                                         nil,
		"":                                                 nil,
	} {
		if got := copyKinds(sql); !slices.Equal(got, want) {
			t.Errorf("%q has %v, not %v", sql, got, want)
		}
	}
}
