package pg

import (
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"pooler-lab/test/testkit"
)

func TestTLSModes(t *testing.T) {
	certificate, authority := certificate(t)
	_, encrypted := newRelay(t, testDSN(t), certificate)
	_, plain := newRelay(t, testDSN(t), nil)
	refuses := testkit.StandIn(t, func(conn net.Conn) {
		_, _ = io.ReadFull(conn, make([]byte, 8)) // SSLRequest
		_, _ = conn.Write([]byte{'N'})
	})
	for _, test := range []struct{ name, dsn, want string }{
		{"require", encrypted + " sslmode=require", "encrypted"},
		{"verify-full", encrypted + " sslmode=verify-full sslrootcert=" + authority, "encrypted"},
		{"verify-full, not trusted", encrypted + " sslmode=verify-full", "tls"},
		{"require, refused", fmt.Sprintf("host=127.0.0.1 port=%d sslmode=require", refuses), "tls"},
		{"prefer", encrypted + " sslmode=prefer", "encrypted"},
		{"disable", plain + " sslmode=disable", "plain"},
		{"none", plain, "plain"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newScript(t, New()).started()
			s.set("dsn", test.dsn)
			got := s.run(`const client = pg.client({ dsn });
				try { client.connect(); client.exec('SELECT 1'); client.close(); 'connected' } catch (e) { e.code + e.message }`)
			m := s.measured()
			if got == "connected" {
				got = map[int]string{0: "plain", 1: "encrypted"}[len(m["pg_connect_tls"])]
			}
			if !strings.HasPrefix(got, test.want) {
				t.Errorf("got %q, not %q", got, test.want)
			}
			if test.want != "tls" {
				checkPhases(t, m)
				checkHash(t, m)
			}
		})
	}
}

// What a link takes for TCP's handshake is dial, at most the whole connect.
func TestHandshakeOfALinkIsDial(t *testing.T) {
	s := newScript(t, New()).started()
	s.set("dsn", testDSN(t))
	s.run(`const client = pg.client({ dsn, tcpHandshake: 3600000 }); client.connect()`)
	m := s.measured()
	if dial, connect := m["pg_connect_dial"], m["pg_connect"]; len(dial) != 1 || dial[0] != connect[0] {
		t.Errorf("of a connect of %v ms %v are dial", connect, dial)
	}
	checkPhases(t, m)
}

// checkPhases wants the phases of a connect to add up to it.
func checkPhases(t *testing.T, m map[string][]float64) {
	t.Helper()
	phases := m["pg_connect_dial"][0] + m["pg_connect_auth"][0]
	if encrypted := m["pg_connect_tls"]; len(encrypted) > 0 {
		phases += encrypted[0]
	}
	if connect := m["pg_connect"][0]; math.Abs(phases/connect-1) > 0.01 {
		t.Errorf("the phases add up to %v ms, the connect took %v", phases, connect)
	}
}

// checkHash wants the client's hashing to be a part of the authentication, over TLS too, and the rest to be the rest.
func checkHash(t *testing.T, m map[string][]float64) {
	t.Helper()
	connect, without := m["pg_connect"][0], m["pg_connect_without_hash"][0]
	hash := 0.0
	if hashed := m["pg_connect_hash"]; len(hashed) > 0 {
		hash = hashed[0]
	}
	if math.Abs(hash+without-connect) > 0.001 || hash >= m["pg_connect_auth"][0] {
		t.Errorf("of a connect of %v ms %v are hashing and %v are not; authentication took %v", connect, hash, without,
			m["pg_connect_auth"][0])
	}
	if os.Getenv("LAB_TEST") != "" && hash == 0 { // the lab logs in with SCRAM
		t.Error("a login with SCRAM has no hashing")
	}
}

// PGPORT is the port of PGHOST, not of a host that a dsn names.
func TestPortOfDSN(t *testing.T) {
	t.Setenv("PGHOST", "toxiproxy")
	t.Setenv("PGPORT", "15001")
	for dsn, want := range map[string]string{
		"":                                "toxiproxy:15001",
		"dbname=lab":                      "toxiproxy:15001",
		"host=primary":                    "primary:5432",
		"host=primary port=6432":          "primary:6432",
		"postgres://app@primary/lab":      "primary:5432",
		"postgres://app@primary:6432/lab": "primary:6432",
		"postgres:///lab":                 "toxiproxy:15001",
		"postgres://primary/?":            "primary:5432",
		"postgres://a:5433,b:5434/lab":    "a:5433",

		"postgres:///lab?host=primary":                 "primary:5432",
		"postgres://app:word@/lab?host=primary":        "primary:5432",
		"postgres:///lab?host=primary&port=6432":       "primary:6432",
		"postgres://primary/lab?port=6432":             "primary:6432",
		"postgres:///lab?host=%2Frun%2Fpostgresql":     "/run/postgresql:5432",
		"postgres:///lab?application_name=host%3Dhere": "toxiproxy:15001",
	} {
		config, err := new(Module).config(dsn, "")
		if err != nil {
			t.Errorf("%q: %v", dsn, err)
			continue
		}
		if got := fmt.Sprintf("%s:%d", config.Host, config.Port); got != want {
			t.Errorf("%q leads to %s, it should lead to %s", dsn, got, want)
		}
	}
}

// Each of libpq's words is obeyed or refused by its name: none goes to the server, which would refuse the connection.
func TestWordsOfLibpq(t *testing.T) {
	refused := "read the dsn: "
	for dsn, want := range map[string]string{
		"client_encoding=UTF-8":                    "application_name client_encoding",
		"client_encoding=auto":                     "application_name client_encoding",
		"client_encoding=LATIN1":                   refused + `client_encoding: k6/x/pg can't do "LATIN1"`,
		"gssencmode=disable replication=false":     "application_name",
		"gssencmode=require":                       refused + `gssencmode: k6/x/pg can't do "require"`,
		"replication=database":                     refused + "replication: ",
		"load_balance_hosts=disable":               "application_name",
		"load_balance_hosts=random":                refused + "load_balance_hosts: ",
		"sslcrl=/x":                                refused + "sslcrl: k6/x/pg can't do this",
		"hostaddr=127.0.0.2,127.0.0.3":             refused + "hostaddr: ",
		"keepalives=1 keepalives_idle=30":          "application_name",
		"keepalives_idle=often":                    refused + "keepalives_idle must be a whole number",
		"channel_binding=prefer require_auth=none": "application_name",
		"work_mem=9MB":                             "application_name work_mem",
	} {
		config, err := New().config("host=127.0.0.1 "+dsn, "")
		switch {
		case err != nil && !strings.HasPrefix(err.Error(), want):
			t.Errorf("%s: %v", dsn, err)
		case err == nil && strings.Join(slices.Sorted(maps.Keys(config.RuntimeParams)), " ") != want:
			t.Errorf("%s: the server gets %v", dsn, config.RuntimeParams)
		}
	}
	for name := range words {
		config, err := New().config("host=127.0.0.1 "+name+"=unheard-of", "")
		if err == nil && config.RuntimeParams[name] != "" {
			t.Errorf("%s goes to the server", name)
		}
	}
	named, err := New().config("host=db hostaddr=127.0.0.2 fallback_application_name=shop", "")
	if err != nil || named.Host != "127.0.0.2" || named.Port != 5432 || named.RuntimeParams["application_name"] != "shop" {
		t.Errorf("it connects to %+v, %v", named, err)
	}
	several, err := New().config("host=a,b hostaddr=127.0.0.2", "")
	if err == nil {
		t.Errorf("of two hosts one has an address: %+v", several)
	}
	secure, err := New().config("hostaddr=127.0.0.2 sslmode=require", "")
	if err != nil || secure.Host != "127.0.0.2" || secure.TLSConfig == nil {
		t.Errorf("it connects to %+v without TLS, %v", secure, err)
	}
	alone, err := New().config("postgres://app@/lab?hostaddr=127.0.0.2", "")
	if err != nil || alone.Host != "127.0.0.2" || alone.Port != 5432 {
		t.Errorf("it connects to %+v, %v", alone, err)
	}
}
