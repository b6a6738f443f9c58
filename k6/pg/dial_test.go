package pg

import (
	"fmt"
	"io"
	"math"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"pooler-lab/internal/testkit"
)

func TestTLSModes(t *testing.T) {
	here, trusted := selfSigned(t, "127.0.0.1")
	elsewhere, trustedElsewhere := selfSigned(t, "elsewhere")
	_, encrypted := newRelay(t, testDSN(t), here)
	_, misnamed := newRelay(t, testDSN(t), elsewhere)
	_, plain := newRelay(t, testDSN(t), nil)
	refuses := testkit.StandIn(t, func(conn net.Conn) {
		_, _ = io.ReadFull(conn, make([]byte, 8)) // SSLRequest
		_, _ = conn.Write([]byte{'N'})
	})
	for _, test := range []struct{ name, dsn, want string }{
		{"require", encrypted + " sslmode=require", "encrypted"},
		{"verify-ca", encrypted + " sslmode=verify-ca sslrootcert=" + trusted, "encrypted"},
		{"verify-full", encrypted + " sslmode=verify-full sslrootcert=" + trusted, "encrypted"},
		{"verify-ca, another name", misnamed + " sslmode=verify-ca sslrootcert=" + trustedElsewhere, "encrypted"},
		{"verify-full, another name", misnamed + " sslmode=verify-full sslrootcert=" + trustedElsewhere, "tls"},
		{"verify-ca, not trusted", encrypted + " sslmode=verify-ca sslrootcert=" + trustedElsewhere, "tls"},
		{"require, refused", fmt.Sprintf("host=127.0.0.1 port=%d sslmode=require", refuses), "tls"},
		{"prefer", encrypted + " sslmode=prefer", "encrypted"},
		{"disable", plain + " sslmode=disable", "plain"},
		{"allow", plain + " sslmode=allow", "plain"},
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

func TestConnectionStrings(t *testing.T) {
	config, err := pgconn.ParseConfig(testDSN(t))
	if err != nil {
		t.Fatal(err)
	}
	address := (&url.URL{Scheme: "postgres", User: url.UserPassword(config.User, config.Password), Host: config.Host,
		Path: config.Database}).String()
	port := "port=" + portOf(config)
	for name, dsn := range map[string]string{
		"keywords":           testDSN(t),
		"url":                address + "?" + port + "&application_name=other",
		"another host first": testDSN(t) + " host=127.0.0.1," + config.Host + " port=1," + portOf(config),
		"runtime parameter":  testDSN(t) + " options='-c work_mem=1MB'",
	} {
		t.Run(name, func(t *testing.T) {
			connectedTo(t, dsn, "simple").gives(`client.query('SELECT 1 AS one')[0].one`, "1")
		})
	}
}

func portOf(config *pgconn.Config) string {
	return strconv.Itoa(int(config.Port))
}

// All VUs of a test have one first connect.
func TestFirstConnect(t *testing.T) {
	module := New()
	for _, want := range []string{"first", "later"} {
		s := newScript(t, module).started()
		s.set("dsn", testDSN(t))
		s.run(`const client = pg.client({ dsn }); client.connect(); client.close();`)
		if got := s.tag("pg_connect", "connect"); got != want {
			t.Errorf("the tag connect is %q, not %q", got, want)
		}
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
		"dbname=lab host = primary":       "primary:5432",
		"host=primary port=6432":          "primary:6432",
		"postgres://app@primary/lab":      "primary:5432",
		"postgres://app@primary:6432/lab": "primary:6432",
		"postgres:///lab":                 "toxiproxy:15001",
		"postgresql://[::1]/lab":          "::1:5432",
		"postgres://app@primary":          "primary:5432",
		"postgres://primary/?":            "primary:5432",
		"postgres://primary,standby/lab":  "primary:5432",
		"postgres://a:5433,b:5434/lab":    "a:5433",

		"postgres:///lab?host=primary":                 "primary:5432",
		"postgres://app:word@/lab?host=primary":        "primary:5432",
		"postgresql:///lab?sslmode=disable&host=::1":   "::1:5432",
		"postgres:///lab?host=primary&port=6432":       "primary:6432",
		"postgres:///lab?port=6432&host=primary":       "primary:6432",
		"postgres://primary/lab?port=6432":             "primary:6432",
		"postgres:///lab?host=%2Frun%2Fpostgresql":     "/run/postgresql:5432",
		"postgres:///lab?host=/run/postgresql":         "/run/postgresql:5432",
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
