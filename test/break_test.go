package test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"pooler-lab/test/testkit"
)

// write is one row that a primary takes.
const write = "INSERT INTO pgbench_history (tid, bid, aid, delta) VALUES (1, 1, 1, 0)"

// A primary that is killed refuses connections, and a standby that is promoted takes over, for psql and through
// PgBouncer. It stays the primary when its container starts anew. The node that was the primary takes no writes until
// it is a standby with the same data.
func TestPrimaryIsKilledAndStandbyPromoted(t *testing.T) {
	t.Cleanup(func() { script(t, "break", "reset") })
	before := balancesOf(t, "primary")
	script(t, "break", "kill", "primary")
	_, err := tryConnect(t, "app", route{path: "direct"}.endpoint(t))
	if err == nil || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("the killed primary answers: %v", err)
	}
	if said := script(t, "break"); !strings.Contains(said, "killed at ") {
		t.Errorf("scripts/break doesn't say that the primary is killed:\n%s", said)
	}
	if said := refused(t, nil, "run", "01-connect"); !strings.Contains(said, "primary is broken") ||
		!strings.Contains(said, "scripts/break reset") {
		t.Errorf("a lesson says: %s", said)
	}
	script(t, "break", "promote", "standby")
	for _, path := range []string{"direct", "direct-hosts", "pgbouncer-transaction", "pgbouncer-session"} {
		script(t, "psql", path, "-X", "-q", "-c", write)
	}
	docker(t, "restart", container("standby"))
	testkit.Eventually(t, func() string { return ailment(t, "standby") })
	script(t, "psql", "direct", "-X", "-q", "-c", write)
	if said := script(t, "break", "heal", "primary"); !strings.Contains(said, "streams from standby") {
		t.Errorf("the old primary doesn't say that it follows: %s", said)
	}
	if recovering := asSuperuser(t, "primary", "SELECT pg_is_in_recovery()"); recovering != "t" {
		t.Errorf("the old primary is in recovery: %s", recovering)
	}
	script(t, "break", "reset")
	recovered(t)
	for _, node := range []string{"primary", "standby"} {
		if rows := balancesOf(t, node).rows - before.rows; rows != 5 {
			t.Errorf("%s has %d new rows of 5", node, rows)
		}
	}
}

// A list of hosts and HAProxy lead to the node that takes writes: to the standby once it is promoted while the primary
// is away, and to the primary again after a reset.
func TestHostsAndHAProxyFindThePrimary(t *testing.T) {
	t.Cleanup(func() { script(t, "break", "reset") })
	leadTo := func(node string) {
		t.Helper()
		for _, path := range []string{"direct-hosts", "haproxy"} {
			testkit.Eventually(t, func() string {
				conn, err := tryConnect(t, "app", route{path: path}.endpoint(t))
				if err != nil {
					return path + ": " + err.Error()
				}
				defer conn.Close(t.Context())
				rows, err := tryTable(t, conn, identity)
				if err != nil {
					return path + ": " + err.Error()
				}
				return differs(path+" "+services(t)[rows[0]["server"]]+" "+rows[0]["role"], path+" "+node+" primary")
			})
		}
	}
	leadTo("primary")
	script(t, "break", "kill", "primary")
	script(t, "break", "promote", "standby")
	leadTo("standby")
	script(t, "break", "reset")
	leadTo("primary")
	recovered(t)
}

// A primary that was frozen while the standby was promoted answers nobody any more: what a client had sent to it isn't
// acknowledged, or it would be lost afterwards.
func TestFrozenPrimaryAcknowledgesNothingLater(t *testing.T) {
	t.Cleanup(func() { script(t, "break", "reset") })
	conn, err := tryConnect(t, "app", route{path: "direct"}.endpoint(t))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := conn.PgConn().Hijack()
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Conn.Close()
	send := func() error {
		raw.Frontend.Send(&pgproto3.Query{String: write})
		return raw.Frontend.Flush()
	}
	script(t, "break", "freeze", "primary")
	if err := send(); err != nil {
		t.Fatalf("a frozen host doesn't take what is sent to it: %v", err)
	}
	script(t, "break", "promote", "standby")
	script(t, "break", "heal", "primary")
	err = send() // what has no server there any more is refused
	for err == nil {
		_ = raw.Conn.SetDeadline(time.Now().Add(testkit.Patience))
		var answer pgproto3.BackendMessage
		if answer, err = raw.Frontend.Receive(); err == nil {
			t.Errorf("it answers %T", answer)
		}
	}
	if os.IsTimeout(err) {
		t.Errorf("the connection hangs: %v", err)
	}
	script(t, "break", "reset")
	recovered(t)
}

// The lab comes up again while the standby is the primary, and gives the nodes their first roles back.
func TestUpWhileTheStandbyIsThePrimary(t *testing.T) {
	t.Cleanup(func() { script(t, "break", "reset") })
	script(t, "break", "switchover")
	script(t, "compose", "stop")
	script(t, "up", "--no-build", "--brief")
	if said := script(t, "break"); !strings.Contains(said, "primary  primary") {
		t.Errorf("afterwards the nodes are\n%s", said)
	}
	recovered(t)
}

// What clients see of a node that is away: a killed server's host refuses, a frozen one accepts and says nothing, and
// an unplugged one doesn't answer at all, though its name is known. None of them comes back with two primaries.
func TestWhatClientsSeeOfABrokenNode(t *testing.T) {
	t.Cleanup(func() { script(t, "break", "reset") })
	e := route{path: "direct"}.endpoint(t)
	at := net.JoinHostPort(address(t, e.Host), "5432")
	dial := func(wait time.Duration) (net.Conn, error) { return (&net.Dialer{Timeout: wait}).Dial("tcp", at) }
	for _, c := range []struct {
		verb   string
		mended []string      // by this script
		sees   func() string // what is wrong
	}{
		{"kill", []string{"break", "reset"}, func() string {
			if _, err := dial(oneTry()); !errors.Is(err, syscall.ECONNREFUSED) {
				return fmt.Sprintf("wanted a refusal, got %v", err)
			}
			return ""
		}},
		{"freeze", []string{"reset", "--keep-data"}, func() string {
			conn, err := dial(oneTry())
			if err != nil {
				return "wanted that it accepts: " + err.Error()
			}
			defer conn.Close()
			startup, _ := (&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersionNumber,
				Parameters: map[string]string{"user": "app", "database": "lab"}}).Encode(nil)
			_ = conn.SetDeadline(time.Now().Add(2 * time.Second))
			if _, err = conn.Write(startup); err == nil {
				_, err = conn.Read(make([]byte, 1))
			}
			if !os.IsTimeout(err) {
				return fmt.Sprintf("wanted silence, got %v", err)
			}
			return ""
		}},
		{"unplug", []string{"up", "--no-build"}, func() string {
			if _, err := dial(2 * time.Second); !os.IsTimeout(err) {
				return fmt.Sprintf("wanted silence, got %v", err)
			}
			for _, service := range []string{"pgpool", "pgbouncer", "toxiproxy", "lab", "standby"} {
				known, _, _ := strings.Cut(inside(t, service, "getent", "hosts", e.Host), " ")
				if net.JoinHostPort(known, "5432") != at {
					return service + " knows its name as " + known
				}
			}
			return ""
		}},
	} {
		t.Run(c.verb, func(t *testing.T) {
			before := balancesOf(t, "standby").rows
			script(t, "break", c.verb, "primary")
			if wrong := c.sees(); wrong != "" {
				t.Error(wrong)
			}
			script(t, "break", "promote", "standby")
			script(t, "psql", "direct", "-X", "-q", "-c", write)
			script(t, c.mended[0], c.mended[1:]...)
			recovered(t)
			if said := script(t, "break"); !strings.Contains(said, "primary  primary  takes writes") {
				t.Errorf("scripts/%s leaves it so:\n%s", strings.Join(c.mended, " "), said)
			}
			for _, node := range []string{"primary", "standby"} {
				if rows := balancesOf(t, node).rows - before; rows != 1 {
					t.Errorf("%s has %d new rows of 1", node, rows)
				}
			}
		})
	}
}

// A planned switchover, and back, costs clients of PgBouncer in transaction mode no error and no transaction; nor does
// one that is stopped while PgBouncer holds transactions back.
func TestSwitchoverUnderLoad(t *testing.T) {
	const clients = 4
	t.Cleanup(func() { script(t, "break", "reset") })
	before := balancesOf(t, "primary")
	load := startWrites(t, route{path: "pgbouncer-transaction"}, clients)
	script(t, "break", "switchover")
	writesMore(t, "pgbouncer-transaction")
	script(t, "psql", "pgpool", "-X", "-q", "-c", "CREATE TEMP TABLE written (i int)")    // it has found the primary
	if status, said := post(t, "/api/break/switchover", "{}"); status != http.StatusOK || // the console's
		!strings.Contains(said, "promoted, it takes writes") {
		t.Errorf("of a switchover the console says: %d %s", status, said)
	}
	writesMore(t, "pgbouncer-transaction")
	stopped := start(t, "break", "switchover")
	testkit.Eventually(t, func() string {
		if stopped.hasEnded() || strings.Contains(stopped.out.String(), "holds transactions back") {
			return ""
		}
		return "PgBouncer doesn't hold transactions back yet"
	})
	_ = stopped.process.Process.Signal(os.Interrupt) // Ctrl-C, unless it is over
	stopped.wait(t)
	script(t, "psql", "pgbouncer-transaction", "-X", "-q", "-c", "CREATE TEMP TABLE written (i int)") // it goes on
	script(t, "break", "reset")
	writesMore(t, "pgbouncer-transaction")
	if load.hasEnded() {
		t.Errorf("pgbench ended without need:\n%s", load.wait(t).all())
	}
	stopTools(t, load)
	recovered(t)
	after := balancesOf(t, "primary")
	after.checkMoved(t, before)
	checkCommitted(t, []*started{load}, after.rows-before.rows, clients)
	if on := balancesOf(t, "standby"); on != after {
		t.Errorf("the primary has %+v, the standby %+v", after, on)
	}
}
