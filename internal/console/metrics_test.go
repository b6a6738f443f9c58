package console

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"pooler-lab/k6/summary"
	"pooler-lab/test/testkit"
)

// All that pages show Prometheus is told, under names as it wants them: units, _total, help.
func TestMetricsAreTheSameValues(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.post("/api/links/client-primary", `{"latency_ms": 20}`)
	p, _ := b.ready()
	for range 2 {
		p.load.totals.add(map[string]summary.PathSecond{"direct": {
			Transactions: 3,
			Codes:        map[string]int64{"53300": 1},
			ResponseTime: summary.HistogramOf([]float64{0.2, 3, 20_000}),
		}})
	}
	var text string
	testkit.Until(t, "the round trip is told", func() bool {
		_, text = b.get("/metrics")
		return strings.Contains(text, `lab_link_round_trip_seconds{link="client-primary"} 0.021`)
	})
	for _, line := range []string{
		`lab_link_latency_set_seconds{link="client-primary"} 0.02`,
		`lab_node_up{node="primary"} 1`,
		`lab_toxiproxy_up 1`,
		`lab_measuring 0`,
		`# TYPE lab_transactions_total counter`,
		`lab_transactions_total{path="direct"} 6`,
		`lab_errors_total{code="53300",path="direct"} 2`,
		`# TYPE lab_response_time_seconds histogram`,
		`lab_response_time_seconds_bucket{path="direct",le="0.0001"} 0`,
		`lab_response_time_seconds_bucket{path="direct",le="0.00025"} 2`,
		`lab_response_time_seconds_bucket{path="direct",le="0.005"} 4`,
		`lab_response_time_seconds_bucket{path="direct",le="+Inf"} 6`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("%s isn't in\n%s", line, text)
		}
	}
	if strings.Contains(text, `node_up{node="pgpool"}`) {
		t.Error("a node that nobody knows of is said to be up or down")
	}
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
}

func TestStartingPageUntilTheLabIsReady(t *testing.T) {
	t.Parallel()
	b := startBench(t)
	b.wait("primary: loading pgbench's tables at scale 10, 40 % done")
	if status, text := b.get("/"); status != 503 || !strings.Contains(text, "40 % done") {
		t.Errorf("%d %s", status, text)
	}
	if status, text := b.get("/api/state"); status != 503 || !strings.Contains(text, "40 % done") {
		t.Errorf("%d %s", status, text)
	}
}
