package tool

import (
	"slices"
	"strings"
	"testing"

	"pooler-lab/internal/topology"
	"pooler-lab/test/testkit"
)

func TestChoose(t *testing.T) {
	t.Setenv("COMPOSE_PROFILES", "")
	t.Setenv("LAB_YUGABYTE_OFF", "its image can't be pulled here")
	set, err := topology.Load("../..")
	testkit.OK(t, err)
	cases := []struct {
		name, args string
		endpoint   string
		rest       string
		wrong      string
	}{
		{"path alone", "direct", "primary:5432/lab", "", ""},
		{"options", "direct -c SELECT", "primary:5432/lab", "-c SELECT", ""},
		{"link", "direct client-primary -S -T 5", "toxiproxy:15001/lab", "-S -T 5", ""},
		{"near the application", "pgbouncer-transaction-near-app pgbouncer-primary", "pgbouncer:6432/lab_near_app", "", ""},
		{"socket", "socket -l", "/run/postgresql/.s.PGSQL.5432/lab", "-l", ""},
		{"link of the same name as a path", "pgbouncer-yugabyte pgbouncer-yugabyte", "", "",
			"path pgbouncer-yugabyte can't be used: its image can't be pulled here"},
		{"mistyped link", "direct client-primry -S", "", "", `unknown link "client-primry": did you mean client-primary?`},
		{"a database", "direct postgres", "", "",
			`after the path comes a link or an option of psql: unknown link "postgres"`},
		{"nothing", "", "", "", "through which path? There are direct, socket"},
		{"option first", "-c SELECT", "", "",
			"the path comes first, then psql's options, as in: scripts/psql direct -c SELECT"},
		{"YugabyteDB off", "yugabyte", "", "", "path yugabyte can't be used: its image can't be pulled here"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			endpoint, rest, err := choose(set, "psql", strings.Fields(c.args))
			if c.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), c.wrong) {
					t.Fatalf("\ngot  %v\nwant %s", err, c.wrong)
				}
				return
			}
			testkit.OK(t, err)
			if endpoint.String() != c.endpoint || !slices.Equal(rest, strings.Fields(c.rest)) {
				t.Errorf("got %s %q, want %s %q", endpoint, rest, c.endpoint, c.rest)
			}
		})
	}
}

func TestPgbenchInitialize(t *testing.T) {
	for arg, want := range map[string]bool{"-i": true, "-is5": true, "-qi": true, "--initialize": true, "-I": false,
		"-S": false, "-f": false, "-finit.sql": false, "-Dside=i": false, "--client=1": false, "init.sql": false} {
		if got := initializes.MatchString(arg); got != want {
			t.Errorf("%s loads data: %v", arg, got)
		}
	}
}

func TestPgbenchOnAReadOnlyServer(t *testing.T) {
	set, err := topology.Load("../..")
	testkit.OK(t, err)
	for _, p := range set.Paths {
		if got := readOnly(set, p.Name); got != (p.Name == "standby") {
			t.Errorf("%s is read-only: %v", p.Name, got)
		}
	}
	for args, want := range map[string]string{"-S": "-S -n", "": "-n", "-n -S": "-n -S", "--no-vacuum": "--no-vacuum"} {
		if got := strings.Join(withoutVacuum(strings.Fields(args)), " "); got != want {
			t.Errorf("%q became %q, want %q", args, got, want)
		}
	}
}
