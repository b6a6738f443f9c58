package shared

import (
	"math"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	const before = "cpu  100 5 50 800 20 3 2 20 7 0\ncpu0 1 1 1 1 1 1 1 1 1 1\nctxt 5000\nbtime 1\n"
	const after = "cpu  155 5 70 810 30 3 2 25 7 0\nctxt 6500\n"
	at := time.Now()
	from, err := parseHostCPU(at, []byte(before))
	if err != nil {
		t.Fatal(err)
	}
	if from.Total != 1000 || from.Busy != 180 {
		t.Errorf("read as %+v: user, nice, system, irqs and steal are busy, idle and iowait are not", from)
	}
	to, err := parseHostCPU(at.Add(500*time.Millisecond), []byte(after))
	if err != nil {
		t.Fatal(err)
	}
	if used, stolen := to.Since(from).Shares(); used == nil || stolen == nil || math.Abs(*used-0.8) > 1e-9 ||
		math.Abs(*stolen-0.05) > 1e-9 {
		t.Errorf("of 100 ticks 80 were busy, 5 of them stolen; the shares are %v and %v", used, stolen)
	}
	if more := to.Since(from); more.Switches != 1500 || more.Add(more).Switches != 3000 {
		t.Errorf("1500 context switches are read as %+v", more)
	}
	if used, stolen := to.Since(to).Shares(); used != nil || stolen != nil {
		t.Error("a share of no time at all")
	}
	for _, text := range []string{"", "intr 1 2 3", "cpu  a b c d e f g h", "cpu  1 2 3 4 5 6 7 8\nbtime 1\n"} {
		if _, err := parseHostCPU(time.Now(), []byte(text)); err == nil {
			t.Errorf("%q is taken for CPU time", text)
		}
	}
}

func TestReadThisMachine(t *testing.T) {
	if s, err := ReadHostCPU(); err != nil || s.Total <= 0 || s.Switches <= 0 || s.Busy > s.Total {
		t.Errorf("%+v, %v", s, err)
	}
}
