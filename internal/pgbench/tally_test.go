package pgbench

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"go.k6.io/k6/v2/metrics"

	"pooler-lab/k6/summary"
)

// recorded is what pgbench 17 wrote with --failures-detailed, two threads: client 1's third transaction failed.
var recorded = map[string]string{
	"log.77": "0 1 1503 0 1700000000 100000\n0 2 1102 0 1700000001 600000\n0 3 900 0 1700000002 0\n",
	"log.77.1": "1 1 2000 0 1700000000 999999\n1 2 2500 0 1700000001 0\n1 3 serialization 0 1700000001 200000\n" +
		"1 4 2100 0 1700000001 999999\n",
}

func TestTally(t *testing.T) {
	folder := t.TempDir()
	for name, text := range recorded {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := newTally(time.Unix(1700000001, 0), time.Unix(1700000002, 0))
	if err := got.read(filepath.Join(folder, "log")); err != nil {
		t.Fatal(err)
	}
	want := map[summary.Phase]times{before: {1503: 1, 2000: 1}, summary.Measured: {1102: 1, 2500: 1, 2100: 1},
		after: {900: 1}}
	if !reflect.DeepEqual(got.times, want) {
		t.Errorf("the times are %v", got.times)
	}
	if got.finished(2) != 2 || got.finished(3) != 1 || len(got.began) != 2 ||
		!got.last.Equal(time.Unix(1700000001, 999999000)) {
		t.Errorf("%v, the last at %v", got.done, got.last)
	}
	failed := got.errors()
	if len(failed) != 1 || failed[0].Code != "40001" || failed[0].Phase != "measure" || failed[0].Count != 1 {
		t.Errorf("the failures are %+v", failed)
	}
	if trend := got.times[summary.Measured].trend(); trend.Count != 3 || trend.Min != 1.102 || trend.Med != 2.1 ||
		trend.Max != 2.5 {
		t.Errorf("they are summed up as %+v", trend)
	}
}

// Percentiles are k6's, so that both drivers' figures are taken in one way.
func TestTrendIsK6s(t *testing.T) {
	for _, values := range [][]int64{{1000}, {1000, 3000}, {5, 5, 5, 9, 100}, {7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5, 9}} {
		own, sink := times{}, metrics.NewTrendSink()
		for _, v := range values {
			own[v]++
			sink.Add(metrics.Sample{Value: float64(v) / 1000})
		}
		got := own.trend()
		want := []float64{sink.Min(), sink.Avg(), sink.P(0.5), sink.P(0.9), sink.P(0.95), sink.P(0.99), sink.Max()}
		all := []float64{got.Min, got.Avg, got.Med, got.P90, got.P95, got.P99, got.Max}
		if !slices.EqualFunc(all, want, func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }) {
			t.Errorf("%v: %v, k6 has %v", values, all, want)
		}
	}
	if none := (times{}).trend(); none != (summary.Trend{}) {
		t.Errorf("nothing is %+v", none)
	}
}
