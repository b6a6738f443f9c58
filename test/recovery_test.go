package test

import (
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pooler-lab/internal/topology"
	"pooler-lab/test/testkit"
)

// mainProcess prints the process that a container lives by: the child of its init. A PostgreSQL node's is a script that
// looks after the server; there it is the server.
func mainProcess(service string) string {
	if service == "primary" || service == "standby" {
		return "$(head -n 1 /var/lib/postgresql/data/postmaster.pid)"
	}
	return "$(cat /proc/1/task/1/children)"
}

// signal sends a signal to a component's main process, as the user that it runs as: containers hold no capability
// to signal others' processes.
// A container that goes down with its process ends the shell that sends the signal, too.
func signal(t testing.TB, service, name string) {
	t.Helper()
	user := inside(t, service, "sh", "-c", "stat -c %u /proc/"+mainProcess(service))
	send := "kill -" + name + " " + mainProcess(service)
	a := command(t, nil, "docker", "exec", "-u", user, container(service), "sh", "-c", send)
	if a.status != 0 && a.status != killed {
		t.Fatalf("%s in %s: exit status %d\n%s", send, service, a.status, a.all())
	}
}

func restarts(t *testing.T, service string) int {
	t.Helper()
	n, err := strconv.Atoi(docker(t, "inspect", "-f", "{{.RestartCount}}", container(service)))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// kill kills components for real and waits until Docker has started their containers again.
func kill(t *testing.T, services ...string) {
	t.Helper()
	before := map[string]int{}
	for _, service := range services {
		before[service] = restarts(t, service)
		signal(t, service, "KILL")
	}
	for _, service := range services {
		testkit.Eventually(t, func() string {
			if restarts(t, service) == before[service] {
				return service + " has not been started again"
			}
			return ailment(t, service)
		})
	}
}

// recovered waits until the lab is whole again, by itself: every path answers over each of its links, the standby
// has all that the primary wrote, both Pgpool-IIs send reads to it, and HAProxy passes connections on to the primary
// alone.
func recovered(t *testing.T) {
	t.Helper()
	testkit.Eventually(t, func() string {
		for _, check := range []func(*testing.T) string{unreachable, behind, notBalanced, astray} {
			if wrong := check(t); wrong != "" {
				return wrong
			}
		}
		return ""
	})
}

// unreachable names a path that doesn't answer.
func unreachable(t *testing.T) string {
	t.Helper()
	names, routes := services(t), routes(t)
	wrong := make([]string, len(routes))
	var all sync.WaitGroup
	for i, r := range routes {
		e, known := located(r.endpoint(t), names)
		if !known {
			return r.name() + " has no address"
		}
		all.Go(func() { wrong[i] = noAnswer(t, e) })
	}
	all.Wait()
	for i, w := range wrong {
		if w != "" {
			return routes[i].name() + ": " + w
		}
	}
	if a := command(t, nil, root+"/scripts/psql", "socket", "-X", "-c", "SELECT 1"); a.status != 0 {
		return "socket: " + a.all()
	}
	return ""
}

// astray says whether HAProxy passes connections on to another node than the primary, or to both. It checks nodes every
// few seconds, and takes both for up while they change roles.
func astray(t *testing.T) string {
	conn, err := tryConnect(t, "app", route{path: "haproxy"}.endpoint(t))
	if err != nil {
		return err.Error()
	}
	defer conn.Close(t.Context())
	if rows, err := tryTable(t, conn, identity); err != nil || rows[0]["role"] != "primary" {
		return fmt.Sprintf("HAProxy leads to %v (%v)", rows, err)
	}
	direct := http.Client{Transport: &http.Transport{}} // no proxy of the environment's
	answer, err := direct.Get("http://" + net.JoinHostPort(address(t, "haproxy"), "8009"))
	if err != nil {
		return err.Error()
	}
	answer.Body.Close()
	return differs(answer.Status, "200 OK")
}

func noAnswer(t *testing.T, e topology.Endpoint) string {
	conn, err := tryConnect(t, "app", e)
	if err != nil {
		return err.Error()
	}
	defer conn.Close(t.Context())
	if _, err := tryTable(t, conn, "SELECT abalance FROM pgbench_accounts WHERE aid = 1"); err != nil {
		return err.Error()
	}
	return ""
}

// behind says what the standby lacks.
func behind(t *testing.T) string {
	t.Helper()
	wrote := strings.TrimSpace(superuser(t, container("primary"), "postgres", "SELECT pg_current_wal_insert_lsn()").out)
	has := superuser(t, container("standby"), "postgres", "SELECT (SELECT count(*) FROM pg_stat_wal_receiver "+
		"WHERE status = 'streaming'), pg_last_wal_replay_lsn() >= '"+wrote+"'")
	if said := strings.TrimSpace(has.all()); said != "1|t" {
		return "the standby streams and has everything: " + said
	}
	return ""
}

// notBalanced says which Pgpool-II leaves a node out.
func notBalanced(t *testing.T) string {
	t.Helper()
	for _, service := range []string{"pgpool", "pgpool-near-app"} {
		nodes := poolNodes(t, service)
		if len(nodes) != 2 {
			return service + " names no two nodes"
		}
		for _, node := range nodes {
			if node["status"] != "up" || node["pg_status"] != "up" {
				return fmt.Sprintf("%s says that node %s is %s, and its server %s", service, node["hostname"], node["status"],
					node["pg_status"])
			}
		}
	}
	return ""
}

// poolNodes is what a Pgpool-II says of its nodes, nothing while it doesn't answer.
func poolNodes(t *testing.T, service string) []map[string]string {
	t.Helper()
	conn, err := tryConnect(t, "lab", topology.Endpoint{Host: service, Port: 9999, DBName: "lab"})
	if err != nil {
		return nil
	}
	defer conn.Close(t.Context())
	nodes, err := tryTable(t, conn, "SHOW pool_nodes")
	if err != nil {
		return nil
	}
	return nodes
}

// Each component is killed while TPC-B transactions go through it, or beside it. The lab recovers by itself, what
// was said to be committed stands in the tables, and load that doesn't need the component goes on. Components that
// don't hide each other's absence are killed together.
func TestEachComponentKilledAndBack(t *testing.T) {
	const clients = 4
	poolers, through := []string{"pgbouncer", "pgpool", "pgpool-near-app", "haproxy"}, []route{{path: "pgbouncer-session"},
		{path: "pgpool"}, {path: "pgpool-near-app", link: "pgpool-primary"}, {path: "haproxy"}}
	if off(t, "odyssey") == "" {
		poolers, through = append(poolers, "odyssey"), append(through, route{path: "odyssey-transaction"},
			route{path: "odyssey-session"})
	}
	for _, c := range []struct {
		services []string
		loads    []route
		survives bool // the load does
	}{
		{services: []string{"primary"}, loads: []route{{path: "pgbouncer-transaction"}}},
		{services: []string{"standby", "docker-proxy"}, loads: []route{{path: "pgbouncer-transaction"}}, survives: true},
		{services: poolers, loads: through},
		{services: []string{"toxiproxy"}, loads: []route{{path: "direct", link: "client-primary"}}},
		{services: []string{"lab"}, loads: []route{{path: "direct"}}},
	} {
		t.Run(strings.Join(c.services, ","), func(t *testing.T) {
			before, cloned := balancesOf(t, "primary"), clones(t)
			var loads []*started
			for _, r := range c.loads {
				loads = append(loads, startWrites(t, r, clients))
			}
			began := time.Now()
			kill(t, c.services...)
			recovered(t)
			t.Logf("all paths answer again %.1f s after the kill", time.Since(began).Seconds())
			if c.survives {
				if loads[0].hasEnded() {
					t.Errorf("pgbench ended without need:\n%s", loads[0].wait(t).all())
				}
				writesMore(t, c.loads[0].name())
			}
			stopTools(t, loads...)
			after := balancesOf(t, "primary")
			after.checkMoved(t, before)
			checkCommitted(t, loads, after.rows-before.rows, clients)
			if clones(t) != cloned {
				t.Error("the standby cloned the primary again, without need")
			}
		})
	}
}

// checkCommitted wants the history to have as many new rows as the loads saw committed. A client whose connection went
// in the middle of its COMMIT doesn't know of that one; where pgbench itself was killed, nobody knows.
func checkCommitted(t *testing.T, loads []*started, wrote, clients int) {
	t.Helper()
	seen := 0
	for _, load := range loads {
		a := load.wait(t)
		n, told := a.committed(t)
		if !told && a.status == killed {
			return
		}
		if !told {
			t.Errorf("pgbench didn't say what it did:\n%s", a.all())
		}
		seen += n
	}
	if wrote < seen || wrote > seen+clients*len(loads) {
		t.Errorf("pgbench saw %d transactions committed, the history has %d", seen, wrote)
	}
}

// killed is the exit status of a program of a container that was killed.
const killed = 137
