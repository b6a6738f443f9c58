package console

import (
	"strings"
	"testing"
)

func TestMetricsAreTheSameFigures(t *testing.T) {
	t.Parallel()
	program, _ := standInProgram(t, "k6", standInK6)
	b := newBench(t, func(b *bench) { b.source.K6 = program })
	b.post("/api/links/client-primary", `{"latency_ms": 20}`)
	b.post("/api/load", someLoad)
	b.until("the load is told", func() bool { _, text := b.get("/metrics"); return strings.Contains(text, "load_transactions") })
	_, text := b.get("/metrics")
	for _, line := range []string{
		`pooler_lab_link_latency_asked_seconds{link="client-primary"} 0.02`, `pooler_lab_link_round_trip_seconds{link="client-primary"} 0.021`,
		`pooler_lab_node_up{node="primary"} 1`, `pooler_lab_load_transactions_per_second{path="direct"} 800`,
		`pooler_lab_load_turn_median_seconds{path="direct"} 0.0109`, `pooler_lab_load_errors{path="direct"} 2`, `pooler_lab_toxiproxy_up 1`, `pooler_lab_measuring 0`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("%s isn't in\n%s", line, text)
		}
	}
	if strings.Contains(text, `node_up{node="pgpool"}`) {
		t.Error("a node that nobody knows of is said to be up or down")
	}
}

func TestStartingPageUntilTheLabIsReady(t *testing.T) {
	t.Parallel()
	b := &bench{t: t}
	b.Console = newConsole(t, t.TempDir(), &b.server)
	b.Waiting("primary: loading pgbench's tables at scale 10, 40 % done")
	if status, text := b.get("/"); status != 503 || !strings.Contains(text, "40 % done") {
		t.Errorf("%d %s", status, text)
	}
	if status, text := b.get("/api/state"); status != 503 || !strings.Contains(text, "40 % done") {
		t.Errorf("%d %s", status, text)
	}
}
