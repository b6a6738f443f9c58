package crosscheck

import (
	"fmt"
	"math"
	"slices"

	"pooler-lab/internal/server"
)

// The parts of a crosscheck.
const (
	partThroughput = "throughput"
	partLatency    = "latency"
	partConnect    = "connect"
	partRatios     = "ratios"
)

var parts = []string{partThroughput, partLatency, partConnect, partRatios}

// Least ratios of throughput. Within its CPU limit the server is what limits both programs; without, they and the
// server share the machine, and what a program itself needs counts.
const (
	leastLimited   = 0.95
	leastUnlimited = 0.80
)

// plan returns the comparisons of the given parts, without the pairs of the ratios.
func plan(wanted []string, options options) ([]*comparison, error) {
	var list []*comparison
	for _, part := range wanted {
		if !slices.Contains(parts, part) {
			return nil, fmt.Errorf("no part %q; there are %q", part, parts)
		}
	}
	base := load{path: "direct", role: "app", protocol: "prepared", clients: options.clients, seconds: options.seconds}
	if slices.Contains(wanted, partThroughput) {
		list = append(list, throughputs(base, options.unlimited)...)
	}
	if slices.Contains(wanted, partLatency) {
		slow := base
		slow.workload, slow.link, slow.clients = "select", "client-primary", 1
		list = append(list, &comparison{name: "select at 10 ms, median", load: slow, metric: median, least: 0.98, most: 1.02})
	}
	if slices.Contains(wanted, partConnect) {
		list = append(list, connects(base)...)
	}
	return list, nil
}

func throughputs(base load, unlimited bool) []*comparison {
	limit, least := "CPU limit", leastLimited
	if unlimited {
		limit, least = "no limit", leastUnlimited
	}
	var list []*comparison
	for _, workload := range []string{"select", "tpcb"} {
		for _, protocol := range []string{"prepared", "simple"} {
			l := base
			l.workload, l.protocol = workload, protocol
			name := fmt.Sprintf("%s, %s, %d clients, %s", workload, protocol, l.clients, limit)
			list = append(list, &comparison{name: name, load: l, metric: throughput, least: least, most: math.Inf(1)})
		}
	}
	return list
}

// pooled is the path whose connects are set beside those of the direct path.
const pooled = "pgbouncer-transaction"

// requiredPaths are those whose ratio to the direct path has to be the same with both programs.
var requiredPaths = []string{pooled, "pgpool"}

// connects compares connects by what they are authenticated with. Where the client has a password to hash 4096 times,
// which is what a connect costs most of, the client's own speed is compared: Go hashes several times faster than
// libpq, and k6 may take less. With a secret of one iteration both do the same.
func connects(base load) []*comparison {
	var list []*comparison
	for _, login := range []struct {
		path, role, name string
		hashes           bool
	}{
		{direct, server.OneIteration, "SCRAM, 1 iteration", false},
		{direct, "app", "SCRAM", true},
		{direct, "app_trust", "trust", false},
		{pooled, "app", "SCRAM (secret)", true},
		{pooled, "app_clear", "SCRAM (password)", true},
		{pooled, "app_trust", "trust", false},
	} {
		l := base
		l.workload, l.protocol, l.clients, l.path, l.role = "connect", "simple", 1, login.path, login.role
		name := fmt.Sprintf("connect, %s, %s", login.path, login.name)
		c := &comparison{name: name, load: l, metric: connecting, least: 0.9, most: 1.1}
		if login.hashes {
			c.least = 0
		}
		list = append(list, c)
	}
	return list
}
