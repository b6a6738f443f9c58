package test

import (
	"math"
	"testing"
	"time"
)

// BenchmarkStalledPoolerShowsInAnOpenLoop: a pooler that stands still for 2 s holds up 2 s of iterations: an open loop
// tells, where a closed loop would have one slow statement.
func BenchmarkStalledPoolerShowsInAnOpenLoop(t *testing.B) {
	const rate = 50
	run := startLesson(t, "--experiments", "select", "--paths", "pgbouncer-transaction", "--latencies", "none", "--rate",
		"50", "--seconds", "5")
	waitForLoad(t)
	time.Sleep(1500 * time.Millisecond) // into the window
	t.Cleanup(func() { command(t, nil, "docker", "unpause", container("pgbouncer")) })
	docker(t, "pause", container("pgbouncer"))
	time.Sleep(2 * time.Second)
	docker(t, "unpause", container("pgbouncer"))

	m := onlyCell(t, run.finished(t, 0)).Repeats[0].Measured
	if m == nil {
		t.Fatal("nothing was measured")
	}
	slowest := m.Trends["pg_response_time"].Max
	figure(t, "late samples of a pooler that stalls", float64(m.Late), "", 1.6*rate, 3*rate)
	figure(t, "slowest response of a pooler that stalls", slowest, " ms", 1900, math.Inf(1))
}
