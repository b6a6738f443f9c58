package test

import (
	"math"
	"strings"
	"testing"
	"time"

	"pooler-lab/internal/link"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
	"pooler-lab/test/testkit"
)

// faultsPlan has one cell for each fault. Their latency is far more than what a busy machine adds, so that two runs of
// a cell without a fault agree.
const faultsPlan = `title: Faults
question: Does each fault raise its flag?
explanation: It has to.
minutes: 1
defaults:
  paths: [direct]
  latencies: [20]
  seconds: 3
  warmup_seconds: 1
experiments:
  # 53 queries a second of about 2 ms of CPU: a fifth of the primary's limit. No client waits for another's answer.
  - name: limit
    workload: work
    clients: [30]
    rate: 53
  - name: network
    workload: select
    clients: [4]
  - name: connections
    workload: select
    roles: [app_clear]
    clients: [4]
  - name: stall
    workload: select
    paths: [pgbouncer-transaction]
    clients: [4]
    rate: 53
`

// inWindow is how long after its load has begun a cell of the plan is in its window.
const inWindow = 1200 * time.Millisecond

// startFault begins a run of one cell of the plan, and waits until that is in its window.
func startFault(t testing.TB, experiment string) *started {
	t.Helper()
	run := start(t, "run", "97-faults", "--experiments", experiment)
	waitForLoad(t)
	time.Sleep(inWindow)
	return run
}

// BenchmarkFaultsRaiseTheirFlags injects faults into cells that run. Each raises its flag, and the figure that it is
// about is wanted worse than that of the same cell without the fault.
func BenchmarkFaultsRaiseTheirFlags(t *testing.B) {
	savePlan(t, "97-faults", faultsPlan, cellsScript)
	sound := map[string]result.Cell{}
	for _, c := range start(t, "run", "97-faults").finished(t, 0).Cells {
		sound[c.Experiment] = c
	}
	for _, fault := range []struct {
		experiment string
		kind       result.FlagKind
		run        func(testing.TB) *started
		metric     string
	}{
		{"limit", result.FlagThrottled, cutLimit, "p95"},
		{"network", result.FlagLatency, slowLink, "p50"},
		{"connections", result.FlagErrors, refuseClients, "tps"},
		{"stall", result.FlagLate, stallPooler, "p95"},
	} {
		t.Run(string(fault.kind), func(t *testing.B) {
			c, usual := onlyCell(t, fault.run(t).finished(t, 0)), sound[fault.experiment]
			// The fault was injected into the first attempt at the cell, whether it was run again or not.
			if len(c.Repeats) == 0 || c.Repeats[0].Measured == nil || !c.Repeats[0].Flagged(fault.kind) {
				t.Fatalf("the flag %s is missing: %s", fault.kind, reasons(c))
			}
			with, without := &c.Repeats[0], usual.Last()
			t.Logf("flags %v", with.Flags)
			if without == nil {
				t.Fatalf("without the fault, no repeat is ok: %s", reasons(usual))
			}
			if without.Flagged(fault.kind) { // it is too slow for the cell
				t.Skipf("this machine raises the flag %s without the fault, too: %v", fault.kind, without.Flags)
			}
			f, err := metric.Find(fault.metric)
			if err != nil {
				t.Fatal(err)
			}
			v, measured := f.Of(&c, with)
			sound, known := f.Of(&c, without)
			if !measured || !known || sound <= 0 {
				t.Fatalf("%s was not measured", f.Name)
			}
			lo, hi := 1.0, math.Inf(1) // worse
			if f.Better == metric.More {
				lo, hi = math.Inf(-1), 1
			}
			figure(t, c.Experiment+": "+f.Name+" with the fault, to without it", v/sound, "", lo, hi)
		})
	}
}

// cutLimit cuts the primary's CPU limit for a second of the window, to less than what the queries need.
func cutLimit(t testing.TB) *started {
	usual := docker(t, "inspect", "-f", "{{.HostConfig.NanoCpus}}", container("primary"))
	set := func(cpus string) { docker(t, "update", "--cpus", cpus, container("primary")) }
	restore := strings.TrimSpace(script(t, "setting", "LAB_NODE_CPUS"))
	t.Cleanup(func() {
		set(restore)
		if now := docker(t, "inspect", "-f", "{{.HostConfig.NanoCpus}}", container("primary")); now != usual {
			t.Errorf("the primary's limit is %s billionths of a CPU, it was %s", now, usual)
		}
	})
	run := startFault(t, "limit")
	set("0.05")
	time.Sleep(time.Second)
	set(restore)
	return run
}

// slowLink puts 15 ms behind the link client-primary, where the lab doesn't see them: a second toxiproxy, whose latency
// adds to the 20 ms that are set.
func slowLink(t testing.TB) *started {
	const api, listen, name = "127.0.0.1:8475", "127.0.0.1:16001", "client-primary"
	cli := func(args ...string) { inside(t, "toxiproxy", append([]string{"toxiproxy-cli"}, args...)...) }
	p, err := link.New("http://"+address(t, "toxiproxy")+":8474", name).Proxy(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	listens := "0.0.0.0:" + p.Listen[strings.LastIndex(p.Listen, ":")+1:]
	leadTo := func(upstream string) {
		cli("delete", name)
		cli("create", "-l", listens, "-u", upstream, name)
	}
	pid := inside(t, "toxiproxy", "sh", "-c", "toxiproxy-server -port 8475 >/dev/null 2>&1 & echo $!")
	t.Cleanup(func() {
		leadTo(p.Upstream)
		inside(t, "toxiproxy", "sh", "-c", "kill "+pid)
	})
	testkit.Eventually(t, func() string {
		return command(t, nil, "docker", "exec", container("toxiproxy"), "toxiproxy-cli", "-h", api, "list").err
	})
	cli("-h", api, "create", "-l", listen, "-u", p.Upstream, "behind")
	cli("-h", api, "toxic", "add", "-t", "latency", "-a", "latency=15", "behind")
	leadTo(listen)
	return start(t, "run", "97-faults", "--experiments", "network")
}

// refuseClients ends two of four clients' connections in mid-window, and their role may have no more than two.
func refuseClients(t testing.TB) *started {
	ask := func(sql string) { asSuperuser(t, "primary", sql) }
	t.Cleanup(func() { ask("ALTER ROLE app_clear CONNECTION LIMIT -1") })
	run := startFault(t, "connections")
	ask("ALTER ROLE app_clear CONNECTION LIMIT 2")
	ask("SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity " +
		"WHERE application_name = 'k6' AND usename = 'app_clear' LIMIT 2) AS two")
	return run
}

// stallPooler has PgBouncer stand still for a second of the window. An open loop counts what is late meanwhile, where a
// closed loop would have one slow statement for each client.
func stallPooler(t testing.TB) *started {
	run := startFault(t, "stall")
	t.Cleanup(func() { command(t, nil, "docker", "unpause", container("pgbouncer")) })
	docker(t, "pause", container("pgbouncer"))
	time.Sleep(time.Second)
	docker(t, "unpause", container("pgbouncer"))
	return run
}
