package test

import (
	"testing"
	"time"
)

// BenchmarkStalledPoolerShowsInAnOpenLoop: a pooler that stands still for 2 s holds up 2 s of iterations. An open loop
// tells, where a closed loop would have one slow statement.
func BenchmarkStalledPoolerShowsInAnOpenLoop(t *testing.B) {
	const rate = 50
	run := startLesson(t, "--experiments", "select", "--paths", "pgbouncer-transaction", "--latencies", "none", "--rate",
		"50", "--seconds", "5")
	waitForLoad(t, 1500*time.Millisecond)
	signal(t, "pgbouncer", "STOP")
	t.Cleanup(func() { signal(t, "pgbouncer", "CONT") })
	time.Sleep(2 * time.Second)
	signal(t, "pgbouncer", "CONT")

	m := undisturbed(onlyCell(t, run.finished(t, 0)))[0].Measured
	if m == nil {
		t.Fatal("nothing was measured")
	}
	slowest := m.Trends["pg_response_time"].Max
	t.Logf("%d late samples of %d, slowest response %.0f ms", m.Late, m.Transactions, slowest)
	if m.Late < 1.6*rate || m.Late > 3*rate {
		t.Errorf("%d late samples, wanted about %d", m.Late, 2*rate)
	}
	if slowest < 1900 {
		t.Errorf("the slowest response took %.0f ms, wanted 1900 at least", slowest)
	}
}
