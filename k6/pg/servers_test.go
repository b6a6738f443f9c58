package pg

import (
	"os"
	"testing"
)

// servers are the environment variables that name the servers of the tests, and
// where these are in the lab's own network (scripts/test sets LAB_TEST there).
var servers = map[string]string{
	"LAB_TEST_DSN":           "host=primary dbname=lab user=app password=" + os.Getenv("APP_PASSWORD"),
	"LAB_TEST_MONITOR_DSN":   "host=primary dbname=postgres user=lab password=" + os.Getenv("LAB_PASSWORD"),
	"LAB_TEST_PGBOUNCER_DSN": "host=pgbouncer port=6432 dbname=lab user=app password=" + os.Getenv("APP_PASSWORD"),
	"LAB_TEST_PGBOUNCER_ADMIN_DSN": "host=pgbouncer port=6432 dbname=pgbouncer user=lab password=" +
		os.Getenv("LAB_PASSWORD"),
	"LAB_TEST_PGPOOL_DSN": "host=pgpool port=9999 dbname=lab user=app password=" + os.Getenv("APP_PASSWORD"),
}

// serverDSN returns what the variable names, or skips the test.
func serverDSN(t *testing.T, variable string) string {
	t.Helper()
	dsn := os.Getenv(variable)
	if dsn == "" && os.Getenv("LAB_TEST") != "" {
		dsn = servers[variable]
	}
	if dsn == "" {
		t.Skip(variable + " names no server")
	}
	return dsn
}

// testDSN returns the PostgreSQL server of the tests or skips the test.
func testDSN(t *testing.T) string {
	t.Helper()
	return serverDSN(t, "LAB_TEST_DSN")
}

// paths are those to the server that every protocol must work on.
var paths = map[string]string{
	"direct":    "LAB_TEST_DSN",
	"pgbouncer": "LAB_TEST_PGBOUNCER_DSN",
	"pgpool":    "LAB_TEST_PGPOOL_DSN",
}

// onEachPath runs a test on each path with each protocol.
func onEachPath(t *testing.T, test func(t *testing.T, dsn, protocol string)) {
	for path, variable := range paths {
		for protocol := range protocols {
			t.Run(path+"/"+protocol, func(t *testing.T) { test(t, serverDSN(t, variable), protocol) })
		}
	}
}
