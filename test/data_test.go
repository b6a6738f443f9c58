package test

import (
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"pooler-lab/test/testkit"
)

// contents counts pgbench's tables and tells whether its four sums agree.
const contents = `SELECT (SELECT scale FROM lab_data) AS scale, (SELECT count(*) FROM pgbench_accounts) AS accounts,
	(SELECT max(aid) FROM pgbench_accounts) AS highest, (SELECT count(*) FROM pgbench_tellers) AS tellers,
	(SELECT count(*) FROM pgbench_branches) AS branches,
	(SELECT count(DISTINCT s) FROM (VALUES
		((SELECT sum(abalance) FROM pgbench_accounts)), ((SELECT sum(tbalance) FROM pgbench_tellers)),
		((SELECT sum(bbalance) FROM pgbench_branches)), ((SELECT coalesce(sum(delta), 0) FROM pgbench_history)))
		AS sums (s)) AS sums`

// scale is the one that scripts/test has the tables loaded at.
var scale = os.Getenv("LAB_SCALE")

// checkData compares the tables on a server with those of a scale.
func checkData(t *testing.T, conn *pgx.Conn, scale string) string {
	t.Helper()
	rows, err := tryTable(t, conn, contents)
	if err != nil {
		return err.Error()
	}
	accounts := scale + "00000"
	for column, want := range map[string]string{"scale": scale, "accounts": accounts, "highest": accounts,
		"tellers": scale + "0", "branches": scale, "sums": "1"} {
		if rows[0][column] != want {
			return "scale " + scale + ", " + column + ": " + differs(rows[0][column], want)
		}
	}
	return ""
}

// Everything that a lesson or a person may change is changed, and reset restores it.
func TestResetBringsBackTheKnownState(t *testing.T) {
	t.Cleanup(func() {
		if t.Failed() {
			command(t, nil, root+"/scripts/reset")
		}
	})
	untidy(t)
	if refusal := refused(t, nil, "run", "00-tour", "--paths", "pgbouncer-transaction", "--experiments",
		"select"); !strings.Contains(refusal, "database lab is paused") {
		t.Errorf("a lesson begins behind a pause: %s", refusal)
	}
	out := script(t, "reset", "--scale", "1")
	if !strings.Contains(out, "loading pgbench's tables at scale 1") {
		t.Errorf("reset doesn't say what it loads: %q", out)
	}
	checkTidy(t)
	testkit.Eventually(t, func() string { return checkData(t, connect(t, "app", standby), "1") })

	table(t, connect(t, "app", primary), "UPDATE pgbench_branches SET bbalance = 5")
	untidy(t)
	table(t, connect(t, "lab", console), "PAUSE") // all of it
	if why := links(t)["client-pgbouncer"].Problem; !strings.HasPrefix(why, "held back: all of it is paused; ") {
		t.Errorf("while PgBouncer is paused, the problem of its link is %q", why)
	}
	script(t, "reset", "--keep-data")
	checkTidy(t)
	if kept := one(t, connect(t, "app", primary), "SELECT bbalance FROM pgbench_branches"); kept != "5" {
		t.Errorf("reset --keep-data: a balance is %s, wanted it kept at 5", kept)
	}

	script(t, "reset")
	if wrong := checkData(t, connect(t, "app", primary), scale); wrong != "" {
		t.Error(wrong)
	}
	testkit.Eventually(t, func() string { return checkData(t, connect(t, "app", standby), scale) })
}

// untidy turns everything that reset is there for.
func untidy(t *testing.T) {
	t.Helper()
	script(t, "latency", "10ms", "all", "--jitter", "2ms")
	script(t, "latency", "cut", "client-standby")
	cli := func(args ...string) { inside(t, "toxiproxy", append([]string{"toxiproxy-cli"}, args...)...) }
	cli("toxic", "add", "-n", "someone_elses", "-t", "bandwidth", "-a", "rate=100", "client-pgpool")
	cli("delete", "client-standby")
	cli("create", "-l", "0.0.0.0:15002", "-u", "primary:5432", "client-standby")
	cli("delete", "pgpool-standby")
	owner := connect(t, "lab", primary)
	table(t, owner, "ALTER ROLE app_trust LOGIN")
	table(t, owner, "ALTER DATABASE lab SET work_mem = '9MB'")
	table(t, connect(t, "app", primary), "ALTER ROLE app SET default_transaction_isolation = 'serializable'")
	admin := connect(t, "lab", console)
	for _, sql := range []string{"SET default_pool_size = 7", "SET max_prepared_statements = 0", "PAUSE lab",
		"DISABLE lab_session"} {
		table(t, admin, sql)
	}
	now := links(t)
	for name, want := range map[string]string{
		"client-standby":   "elsewhere: it leads to primary:5432, and not to standby:5432: ",
		"pgpool-standby":   "missing: toxiproxy has no link pgpool-standby: 'scripts/latency off pgpool-standby'",
		"client-pgbouncer": "held back: database lab is paused, database lab_session is disabled; ",
	} {
		if !strings.HasPrefix(now[name].Problem, want) {
			t.Errorf("link %s: the problem is %q, wanted %q", name, now[name].Problem, want)
		}
	}
}

func checkTidy(t *testing.T) {
	t.Helper()
	for name, row := range links(t) {
		if row.LatencyMS != 0 || row.JitterMS != 0 || row.DownKBps != 0 || row.Cut || len(row.Others) > 0 ||
			row.Replication == "over the link" {
			t.Errorf("after reset link %s is %+v", name, row)
		}
		if row.Problem != "" && !strings.HasPrefix(row.Problem, "off: ") {
			t.Errorf("after reset link %s: %s", name, row.Problem)
		}
	}
	own := one(t, connect(t, "lab", primary), "SELECT count(*) FROM pg_db_role_setting")
	if own != "0" {
		t.Errorf("after reset %s roles or databases have settings of their own", own)
	}
	checkPgBouncer(t, map[string]string{"default_pool_size": poolSize, "max_prepared_statements": "200"})
	login := one(t, connect(t, "lab", primary), "SELECT rolcanlogin FROM pg_roles WHERE rolname = 'app_trust'")
	if login != "f" {
		t.Error("after reset app_trust may still log in")
	}
}
