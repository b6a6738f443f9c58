package test

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"pooler-lab/test/testkit"
)

// network is the one that the lab's containers share.
func network() string { return project + "_default" }

// down takes the lab down, whatever it does at that moment. The tests' own container lets go of its network first, or
// it couldn't be removed. Each container must hear its stop signal: Docker kills those that don't.
func down(t *testing.T) {
	t.Helper()
	own, err := os.Hostname() // of a container: the beginning of its id
	if err != nil {
		t.Fatal(err)
	}
	docker(t, "network", "disconnect", network(), own)
	t.Cleanup(func() { // whatever becomes of this test, the next one finds a lab
		if docker(t, "ps", "-q", "--filter", "name=^"+container("lab")+"$") == "" {
			script(t, "up")
		}
		docker(t, "network", "connect", network(), own)
	})
	began := time.Now()
	script(t, "compose", "down")
	t.Logf("down took %.1f s", time.Since(began).Seconds())
	ends := strings.Fields(docker(t, "events", "--since", strconv.FormatInt(began.Unix(), 10), "--until",
		strconv.FormatInt(time.Now().Unix()+1, 10), "--filter", "label=com.docker.compose.project="+project,
		"--filter", "label=com.docker.compose.oneoff=False", // a tool's container ends with the lab's
		"--filter", "event=die", "--format",
		`{{index .Actor.Attributes "com.docker.compose.service"}}:{{.Actor.Attributes.exitCode}}`))
	if len(ends) < 8 {
		t.Errorf("down ended only %v", ends)
	}
	for _, end := range ends {
		if service, status, _ := strings.Cut(end, ":"); status == strconv.Itoa(killed) {
			t.Errorf("%s didn't hear its stop signal: Docker killed it", service)
		}
	}
}

// ailment says what is wrong with a service's container, "" if it is well.
func ailment(t *testing.T, service string) string {
	t.Helper()
	switch state := docker(t, "inspect", "-f", "{{.State.Status}}{{with .State.Health}}, {{.Status}}{{end}}",
		container(service)); state {
	case "running", "running, healthy":
		return ""
	default:
		return service + " is " + state
	}
}

// A lab that is working hard goes down when it is told to and loses nothing that it said was committed; it comes up
// again with the same data, without loading it.
func TestDownUnderLoadAndUpAgain(t *testing.T) {
	before, system := balancesOf(t, "primary"), systemIdentifier(t, container("primary"))
	// The lab's own container goes first and takes its load along; this one works until the server goes.
	onServer := startCommand(t, "docker", "exec", container("primary"), "pgbench", "-U", "postgres", "-n", "-c", "4", "-T",
		"3600", "lab")
	startWrites(t, route{path: "pgbouncer-transaction"}, 8)
	down(t)
	seen, told := onServer.wait(t).committed(t)
	if !told || seen == 0 {
		t.Errorf("pgbench on the server committed %d transactions", seen)
	}
	began := time.Now()
	script(t, "up", "--no-build")
	t.Logf("up took %.1f s", time.Since(began).Seconds())
	for _, service := range composed(t) {
		if service != "yugabyte" { // nothing waits for it
			testkit.Eventually(t, func() string { return ailment(t, service) })
		}
	}
	testkit.Eventually(t, func() string { return behind(t) })
	after := balancesOf(t, "primary")
	after.checkMoved(t, before)
	if wrote := after.rows - before.rows; wrote < seen {
		t.Errorf("%d transactions were committed, the history has %d", seen, wrote)
	}
	if got := systemIdentifier(t, container("primary")); got != system {
		t.Errorf("system identifier %s, it was %s", got, system)
	}
	if standby := balancesOf(t, "standby"); standby != after {
		t.Errorf("the standby has %+v, wanted %+v", standby, after)
	}
	if log := docker(t, "logs", container("lab")); strings.Contains(log, "loading") {
		t.Errorf("the data was loaded again:\n%s", log)
	}
}
