package generator

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
	got := newTally()
	got.from, got.to = time.Unix(1700000001, 0), time.Unix(1700000002, 0)
	if err := got.read(logsIn(folder)); err != nil {
		t.Fatal(err)
	}
	if got.finished(2) != 2 || got.finished(3) != 1 || len(got.began) != 2 ||
		!got.last.Equal(time.Unix(1700000001, 999999000)) {
		t.Errorf("%v, the last at %v", got.done, got.last)
	}
	failed := got.errors()
	if len(failed) != 1 || failed[0].Code != "40001" || failed[0].Phase != "measure" || failed[0].Count != 1 {
		t.Errorf("the failures are %+v", failed)
	}
	if whole := summary.TrendOf(got.whole); whole.Count != 6 || whole.Min != 0.9 || whole.Max != 2.5 {
		t.Errorf("all are summed up as %+v", whole)
	}
	if trend := summary.TrendOf(got.measured); trend.Count != 3 || trend.Min != 1.102 || trend.Med != 2.1 ||
		trend.Max != 2.5 {
		t.Errorf("those of the window are summed up as %+v", trend)
	}
	if none := summary.TrendOf(newTally().whole); none != (summary.Trend{}) {
		t.Errorf("nothing is %+v", none)
	}
}

func TestLogThatIsNone(t *testing.T) {
	for _, broken := range []string{"0 1 1500", "0 1 fast 0 1 2", "0 1 2 3 4 5 6", ""} {
		if err := newTally().scan(strings.NewReader(broken + "\n")); err == nil {
			t.Errorf("%q is no error", broken)
		}
	}
}
