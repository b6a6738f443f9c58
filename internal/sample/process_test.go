package sample

import (
	"os"
	"testing"
	"time"
)

func TestProcessCPU(t *testing.T) {
	for name, test := range map[string]struct {
		stat string
		want time.Duration
		ok   bool
	}{
		"plain":        {"7 (pgbench) S 1 7 7 0 -1 4 5 0 0 0 120 35 0 0 20 0 3 0 1 2 3", 1550 * time.Millisecond, true},
		"strange name": {"7 (a) b (c) S 1 7 7 0 -1 4 5 0 0 0 1 2 0 0 20 0 3 0 1 2 3", 30 * time.Millisecond, true},
		"cut":          {"7 (pgbench) S 1 7", 0, false},
		"no number":    {"7 (pgbench) S 1 7 7 0 -1 4 5 0 0 0 x 35 0 0", 0, false},
	} {
		if got, err := parseProcess(test.stat); got != test.want || (err == nil) != test.ok {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	before, err := ProcessCPU(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for { // it works until that shows
		if after, err := ProcessCPU(os.Getpid()); err != nil || after > before {
			if err != nil {
				t.Error(err)
			}
			break
		}
	}
	if _, err := ProcessCPU(1 << 30); err == nil {
		t.Error("a process that isn't there is no error")
	}
}
