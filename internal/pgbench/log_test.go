package pgbench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestLog(t *testing.T) {
	log := &Log{}
	err := log.Read(strings.NewReader("0 1 1500 0 1700000000 250\n3 1 200 0 1700000000 900 40\n" +
		"1 2 failed 0 1700000001 1\n1 3 skipped 0 1700000001 2 900\n"))
	if err != nil || len(log.Transactions) != 2 || log.Failed != 1 || log.Skipped != 1 {
		t.Fatalf("%+v, %v", log, err)
	}
	first, second := log.Transactions[0], log.Transactions[1]
	if !first.End.Equal(time.Unix(1700000000, 250000)) || first.End.Sub(first.Start) != 1500*time.Microsecond {
		t.Errorf("the first is %+v", first)
	}
	if second.Client != 3 || second.Lag != 40*time.Microsecond {
		t.Errorf("the second is %+v", second)
	}
	for _, broken := range []string{"0 1 1500", "0 1 fast 0 1 2", "0 1 2 3 4 5 6 7", ""} {
		if err := (&Log{}).Read(strings.NewReader(broken + "\n")); err == nil {
			t.Errorf("%q is no error", broken)
		}
	}
}

func TestReadLogs(t *testing.T) {
	folder := t.TempDir()
	for file, text := range map[string]string{"A.7": "0 1 100 0 10 300\n0 2 300 0 10 700\n", "A.7.1": "1 1 200 0 10 500\n",
		"B.8": "0 1 100 0 10 400\n"} {
		if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	log, err := ReadLogs(filepath.Join(folder, "A"))
	if err != nil || len(log.Transactions) != 3 || log.Transactions[1].Client != 1 {
		t.Fatalf("%+v, %v", log, err)
	}
	for share, want := range map[float64]time.Duration{0.01: 100, 0.5: 200, 0.95: 300, 1: 300} {
		if got := log.Percentile(share); got != want*time.Microsecond {
			t.Errorf("the percentile %v is %v", share, got)
		}
	}
	if got := (&Log{}).Percentile(0.5); got != 0 {
		t.Errorf("of nothing it is %v", got)
	}
}

func TestJain(t *testing.T) {
	for name, test := range map[string]struct {
		shares []float64
		want   float64
	}{
		"equal":       {[]float64{5, 5, 5, 5}, 1},
		"one has all": {[]float64{8, 0, 0, 0}, 0.25},
		"half starve": {[]float64{3, 3, 0, 0}, 0.5},
		"unequal":     {[]float64{1, 2, 3}, 36.0 / 42},
		"nothing":     {[]float64{0, 0}, 0},
		"nobody":      {nil, 0},
	} {
		if got := Jain(test.shares); got < test.want-1e-12 || got > test.want+1e-12 {
			t.Errorf("%s: %v, not %v", name, got, test.want)
		}
	}
}
