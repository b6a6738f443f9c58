package metric

import (
	"slices"
	"testing"

	"pooler-lab/internal/result"
)

// Each metric says whether a slot shows it.
func TestAlternates(t *testing.T) {
	want := []string{"tps", "p50", "p95", "p99", "mean", "statement", "transaction", "pipeline", "pool_wait",
		"pool_wait_p95", "connect", "connect_p95", "connect_p99", "connect_mean", "connect_first_query", "dial", "tls",
		"auth", "hash", "connect_without_hash", "copy_mb_s"}
	var got []string
	for _, f := range All() {
		if f.Alternates() {
			got = append(got, f.Name)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("those that alternate are\n%v, they should be\n%v", got, want)
	}
	for name, want := range map[string]bool{"errors:53300": false, "counter:pg_rows": true, "trend:pg_prepare": true,
		"share:lab_missed/lab_reads": false, "statement:read": false, "wait:CPU": false} {
		if f, err := Find(name); err != nil || f.Alternates() != want {
			t.Errorf("%s alternates: %v, %v", name, f.Alternates(), err)
		}
	}
}

// What alternates is read off what k6 measured, counters and trends, and needs nothing else of a repeat.
func TestWhatAlternatesIsOfK6Alone(t *testing.T) {
	all := busy()
	m := all.Measured
	alone := &result.Repeat{Status: result.OK, Measured: &result.Measured{WindowSeconds: m.WindowSeconds,
		Transactions: m.Transactions, TPS: m.TPS, Counters: m.Counters, Trends: m.Trends}}
	for _, f := range All() {
		v, ok := f.Of(&result.Cell{}, alone)
		if whole, _ := f.Of(&result.Cell{}, all); f.Alternates() && (!ok || v != whole) {
			t.Errorf("%s is %v of k6's counters and trends, and %v of the repeat", f.Name, v, whole)
		}
	}
}
