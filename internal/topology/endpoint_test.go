package topology

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"pooler-lab/test/testkit"
)

// A list of hosts is what pgx and libpq take for one: each host on the endpoint's port.
func TestEndpointOfSeveralHosts(t *testing.T) {
	one := Endpoint{Host: "primary", Port: 5432, DBName: "lab"}
	list := Endpoint{Host: "primary,standby", Port: 5432, DBName: "lab", Target: "read-write"}
	if dsn, env := one.DSN("app"), strings.Join(one.Env("app", ""), " "); strings.Contains(dsn, "target") ||
		strings.Contains(env, "TARGET") {
		t.Errorf("one host: %s, %s", dsn, env)
	}
	for text, want := range map[string]string{
		one.String():  "primary:5432/lab",
		list.String(): "primary:5432,standby:5432/lab?target_session_attrs=read-write",
		list.DSN("app"): "host=primary,standby port=5432 dbname=lab user=app sslmode=disable " +
			"target_session_attrs=read-write",
		list.Env("", "")[0]: "PGHOST=primary,standby",
	} {
		if text != want {
			t.Errorf("\ngot  %s\nwant %s", text, want)
		}
	}
	const timeout = "PGCONNECT_TIMEOUT=5"
	if env := list.Env("app", "secret"); !slices.Contains(env, "PGTARGETSESSIONATTRS=read-write") ||
		!slices.Contains(env, timeout) {
		t.Errorf("the environment is %v", env)
	}
	if env := one.Env("app", "secret"); slices.Contains(env, timeout) {
		t.Errorf("that of one host is %v", env)
	}
	config, err := pgconn.ParseConfig(list.DSN("app"))
	testkit.OK(t, err)
	if len(config.Fallbacks) != 1 || config.Fallbacks[0].Host != "standby" || config.Fallbacks[0].Port != 5432 ||
		config.Host != "primary" || config.ValidateConnect == nil {
		t.Errorf("pgx connects to %s, then %v", config.Host, config.Fallbacks)
	}
}
