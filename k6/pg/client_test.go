package pg

import (
	"fmt"
	"math"
	"net"
	"strings"
	"testing"

	"pooler-lab/test/testkit"
)

func TestInitContext(t *testing.T) {
	for _, code := range []string{`pg.client({ dsn: 'host=127.0.0.1' }).connect()`, `pg.slots({})`} {
		_, err := newScript(t, New()).try(code)
		if err == nil || !strings.Contains(err.Error(), "not into the init context") {
			t.Errorf("%s in the init context threw %v", code, err)
		}
	}
}

func TestOptions(t *testing.T) {
	s := newScript(t, New())
	for name, test := range map[string]struct{ code, message string }{
		"misspelt":         {`pg.client({ dns: 'host=127.0.0.1' })`, `no option "dns"`},
		"no options":       {`pg.client()`, "needs an object of options: pg.client({ dsn: "},
		"a dsn alone":      {`pg.client('host=127.0.0.1 password=hidden')`, "options: pg.client({ dsn: 'postgres://...' })"},
		"a URL alone":      {`pg.pool('postgres://127.0.0.1')`, "options: pg.pool({ dsn: 'postgres://...' })"},
		"a number":         {`pg.window(5)`, "window needs an object of options"},
		"unknown protocol": {`pg.client({ dsn: '', protocol: 'binary' })`, "simple, extended or prepared"},
		"bad dsn":          {`pg.client({ dsn: 'host=' + 'x port=door' })`, "read the dsn"},
		"no rate":          {`pg.pace({ clients: 1 })`, "rate must be above 0"},
		"undefined":        {`pg.client({ dsn: '', protocol: undefined, path: undefined })`, "<nil>"},
		"no size":          {`pg.pool({ dsn: '', size: undefined })`, "<nil>"},
	} {
		if _, err := s.try(test.code); !strings.Contains(fmt.Sprint(err), test.message) {
			t.Errorf("%s: threw %v, not %q", name, err, test.message)
		}
	}
}

func TestConnectErrors(t *testing.T) {
	t.Parallel()
	drops := testkit.StandIn(t, func(net.Conn) {})
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()

	for code, dsn := range map[string]string{
		"refused": "host=127.0.0.1 port=1",
		"dropped": fmt.Sprintf("host=127.0.0.1 port=%d", drops),
		"timeout": fmt.Sprintf("host=127.0.0.1 port=%d connect_timeout=1", silent.Addr().(*net.TCPAddr).Port),
		"dial":    "host=nowhere.invalid",
	} {
		s := newScript(t, New()).started()
		s.set("dsn", dsn)
		s.run(`const client = pg.client({ dsn });`)
		got := s.run(`try { client.connect(); 'connected' } catch (e) { e instanceof Error && e.name + ' ' + e.code }`)
		if got != "PgError "+code {
			t.Errorf("connect to %q threw %q, not %q", dsn, got, code)
		}
		if errors := s.measured()["pg_errors"]; len(errors) != 1 {
			t.Errorf("connect to %q counted %v errors", dsn, errors)
		}
		s.gives(`client.connected()`, "false")
		s.gives(`try { client.exec('SELECT 1') } catch (e) { e.code }`, "not_connected")
	}
}

func TestConnects(t *testing.T) {
	s := connected(t, "simple")
	s.measured()
	s.run(`client.connect(); client.exec('SELECT 1')`)
	m := s.measured()
	checkPhases(t, m)
	first := m["pg_connect"][0] + m["pg_statement"][0]
	if got := m["pg_connect_first_query"]; len(got) != 1 || math.Abs(got[0]-first) > 0.001 {
		t.Errorf("connect and first statement are %v, not %v", got, first)
	}
	if len(m["pg_connections"]) != 1 {
		t.Errorf("pg_connections is %v", m["pg_connections"])
	}
}
