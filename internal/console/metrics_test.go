package console

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"pooler-lab/internal/testkit"
	"pooler-lab/k6/live/second"
)

// All that pages show Prometheus is told, under names as it wants them: units, _total, help.
func TestMetricsAreTheSameValues(t *testing.T) {
	t.Parallel()
	program, _ := standInProgram(t, "k6", standInK6)
	b := newBench(t, func(b *bench) { b.source.K6 = program })
	b.post("/api/links/client-primary", `{"latency_ms": 20}`)
	b.post("/api/load", someLoad)
	var text string
	testkit.Until(t, "the load is told", func() bool {
		_, text = b.get("/metrics")
		return strings.Contains(text, "lab_transactions_total")
	})
	for _, line := range []string{
		`lab_link_latency_set_seconds{link="client-primary"} 0.02`,
		`lab_link_round_trip_seconds{link="client-primary"} 0.021`,
		`lab_node_up{node="primary"} 1`,
		`lab_toxiproxy_up 1`,
		`lab_measuring 0`,
		`# TYPE lab_transactions_total counter`,
		`# TYPE lab_response_time_seconds histogram`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("%s isn't in\n%s", line, text)
		}
	}
	if strings.Contains(text, `node_up{node="pgpool"}`) {
		t.Error("a node that nobody knows of is said to be up or down")
	}
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

func TestMetricsOfTheLoadAddUp(t *testing.T) {
	t.Parallel()
	totals := newLoadTotals()
	for range 2 {
		totals.add(map[string]second.Path{"direct": {
			Transactions: 3,
			Codes:        map[string]int64{"53300": 1},
			ResponseTime: second.HistogramOf([]float64{0.2, 3, 20_000}),
		}})
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(moment{load: totals})
	w := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	text := w.Body.String()
	for _, line := range []string{
		`lab_errors_total{code="53300",path="direct"} 2`,
		`lab_transactions_total{path="direct"} 6`,
		`lab_response_time_seconds_bucket{path="direct",le="0.0001"} 0`,
		`lab_response_time_seconds_bucket{path="direct",le="0.00025"} 2`,
		`lab_response_time_seconds_bucket{path="direct",le="0.005"} 4`,
		`lab_response_time_seconds_bucket{path="direct",le="+Inf"} 6`,
		`lab_response_time_seconds_count{path="direct"} 6`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("%s isn't in\n%s", line, text)
		}
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
