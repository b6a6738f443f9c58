package test

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// network is the one that the lab's containers share.
func network() string { return project + "_default" }

// ownContainer is the one that these tests run in, where it hangs on the lab's network; "" on a host.
func ownContainer(t *testing.T) string {
	t.Helper()
	name, err := os.Hostname() // of a container: the beginning of its id
	if err != nil {
		t.Fatal(err)
	}
	return docker(t, "ps", "-q", "--filter", "id="+name, "--filter", "network="+network())
}

// down takes the lab down, whatever it does at that moment. The tests let go of its network first, or it couldn't be
// removed. It returns how long the containers took to end, from the first one's signal, and the whole command.
func down(t *testing.T) (stop, all time.Duration) {
	t.Helper()
	own := ownContainer(t)
	if own != "" {
		docker(t, "network", "disconnect", network(), own)
	}
	t.Cleanup(func() { // whatever becomes of this test, the next one finds a lab
		if docker(t, "ps", "-q", "--filter", "name=^"+container("lab")+"$") == "" {
			script(t, "up")
		}
		if own != "" && ownContainer(t) == "" {
			docker(t, "network", "connect", network(), own)
		}
	})
	began := time.Now()
	script(t, "compose", "down")
	all = time.Since(began)
	events := strings.Fields(docker(t, "events", "--since", strconv.FormatInt(began.Unix(), 10), "--until",
		strconv.FormatInt(time.Now().Unix()+1, 10),
		"--filter", "label=com.docker.compose.project="+project, "--filter", "event=kill", "--filter", "event=die",
		"--format", "{{.TimeNano}}"))
	if len(events) == 0 {
		t.Fatal("down ended no container")
	}
	return time.Duration(nanoseconds(t, events[len(events)-1]) - nanoseconds(t, events[0])), all
}

func nanoseconds(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// up brings the lab up and waits until all of it is healthy.
func up(t *testing.T, options ...string) {
	t.Helper()
	began := time.Now()
	script(t, "up", options...)
	t.Logf("up took %.1f s", time.Since(began).Seconds())
	for _, service := range strings.Fields(docker(t, "ps", "-a", "--filter", "label=com.docker.compose.project="+project,
		"--format", `{{.Label "com.docker.compose.service"}}`)) {
		if service != "yugabyte" { // nothing waits for it
			eventually(t, time.Minute, func() string { return ailment(t, service) })
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

// A lab that is working hard goes down quickly and loses nothing that it said was committed; one that comes up
// again has the same data, without loading it.
func TestDownUnderLoadAndUpAgainTwice(t *testing.T) {
	before, system := balancesOf(t, "primary"), systemIdentifier(t, container("primary"))
	through := startWrites(t, route{path: "pgbouncer-transaction"}, 8, 60)
	// The lab's own container goes first and takes its load along; this one works until the server goes.
	onServer := startCommand(t, "docker", "exec", container("primary"), "pgbench", "-U", "postgres", "-n", "-c", "4", "-T",
		"60", "lab")
	time.Sleep(2 * time.Second)

	stop, all := down(t)
	t.Logf("down under load: containers ended within %.1f s, the command took %.1f s", stop.Seconds(), all.Seconds())
	// It is meant to take 5 s at most, on a machine that does nothing else. Where a node didn't hear its stop signal,
	// Docker would wait for its whole grace of 20 s.
	if stop > 15*time.Second {
		t.Errorf("the lab took %v to stop under load", stop)
	}
	through.wait(t, 10*time.Second)
	seen, told := onServer.wait(t, 10*time.Second).committed(t)
	if !told || seen == 0 {
		t.Errorf("pgbench on the server committed %d transactions", seen)
	}

	up(t)
	after := balancesOf(t, "primary")
	after.checkMoved(t, before)
	if wrote := after.rows - before.rows; wrote < seen {
		t.Errorf("%d transactions were committed, the history has %d", seen, wrote)
	}
	down(t)
	up(t, "--no-build")
	checkUnharmed(t, after, system)
}

// checkUnharmed wants the data as it was, on the same cluster, on both nodes, and nothing loaded again.
func checkUnharmed(t *testing.T, wanted balances, system string) {
	t.Helper()
	if got := systemIdentifier(t, container("primary")); got != system {
		t.Errorf("system identifier %s, it was %s", got, system)
	}
	for _, node := range []string{"primary", "standby"} {
		if got := balancesOf(t, node); got != wanted {
			t.Errorf("%s: %+v, wanted %+v", node, got, wanted)
		}
	}
	if log := docker(t, "logs", container("lab")); strings.Contains(log, "loading") {
		t.Errorf("the data was loaded again:\n%s", log)
	}
}
