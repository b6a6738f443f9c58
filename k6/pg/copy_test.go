package pg

import (
	"strings"
	"testing"
)

func TestCopy(t *testing.T) {
	onEachPath(t, func(t *testing.T, dsn, protocol string) {
		s := connectedTo(t, dsn, protocol)
		for name, test := range map[string]struct{ data, want string }{
			"text":      {`"1\ta\n2\tb\n"`, `{"rows":2,"bytes":8}`},
			"bytes":     {`new Uint8Array([49, 9, 97, 10])`, `{"rows":1,"bytes":4}`},
			"buffer":    {`new Uint8Array([49, 9, 97, 10]).buffer`, `{"rows":1,"bytes":4}`},
			"repeated":  {`"1\ta\n", { repeat: 30000 }`, `{"rows":30000,"bytes":120000}`},
			"generated": {`(i) => i < 3 ? i + "\ta\n" : null`, `{"rows":3,"bytes":12}`},
			"nothing":   {`""`, `{"rows":0,"bytes":0}`},
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
	for name, test := range map[string]struct{ code, want string }{
		"bad data":      {`client.copyIn('COPY copied FROM STDIN', 'x\n')`, "22P02"},
		"bad generated": {`client.copyIn('COPY copied FROM STDIN', () => 'x\n')`, "22P02"},
		"throw": {`client.copyIn('COPY copied FROM STDIN', () => { throw new Error('mine') })`,
			"Error: mine undefined"},
		"no data":  {`client.copyIn('COPY copied FROM STDIN')`, "text, bytes or a function"},
		"no table": {`client.copyOut('COPY nowhere TO STDOUT')`, "42P01"},
	} {
		got := s.run(`try { ` + test.code + `; 'nothing' } catch (e) { String(e) + ' ' + e.code }`)
		if !strings.Contains(got, test.want) {
			t.Errorf("%s: threw %q, not %q", name, got, test.want)
		}
		if got := s.run(`client.query('SELECT count(*) FROM copied')[0].count`); got != "0" {
			t.Errorf("%s: afterwards %s rows", name, got)
		}
	}
}
