package test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pooler-lab/internal/testkit"
)

// pairLine is a path that both programs measured, with the ratio of k6's ratio to pgbench's.
var pairLine = regexp.MustCompile(`(?m)^(\S+) +2 simple +([\d.]+) \(no interval\) +([\d.]+) \(no interval\) +` +
	`([\d.]+) \(no interval\)`)

// Two groups of slots are too few to say whether k6 agrees. Both programs measure the path.
func TestCrosscheckMeasuresRatios(t *testing.T) {
	a := command(t, nil, filepath.Join(root, "scripts", "crosscheck"), "ratios", "--paths", "pgpool",
		"--clients", "2", "--slot-groups", "2")
	if a.status > 2 {
		t.Fatalf("exit status %d\n%s", a.status, a.all())
	}
	lines := pairLine.FindAllStringSubmatch(a.out, -1)
	if len(lines) != 1 || lines[0][1] != "pgpool" {
		t.Errorf("the table isn't of pgpool:\n%s", a.all())
	}
	for _, line := range lines {
		for _, ratio := range line[2:] {
			if ratio == "0.000" {
				t.Errorf("a ratio is 0: %s", line[0])
			}
		}
	}
	if !strings.Contains(a.err, "1/1  pgpool, 2 clients, simple: pgbench ") {
		t.Errorf("the progress is\n%s", a.err)
	}
	noGeneratorIsLeft(t)
}

// Ctrl-C ends both pgbenches, the one that stands still too. k6 comes first, for as long as each of them.
func TestCrosscheckThatIsInterrupted(t *testing.T) {
	run := start(t, "lab", "crosscheck", "ratios", "--paths", "direct", "--clients", "2", "--slot-groups", "12")
	testkit.Eventually(t, func() string {
		if strings.Count(commandLines(t, "lab"), "pgbench --log") < 2 {
			return "pgbench doesn't run twice"
		}
		return ""
	})
	run.interrupt(t)
	if a := run.wait(t); a.status != 130 || !strings.Contains(a.all(), "interrupted") {
		t.Errorf("exit status %d\n%s", a.status, a.all())
	}
	noGeneratorIsLeft(t)
}

func noGeneratorIsLeft(t testing.TB) {
	t.Helper()
	for _, program := range []string{"pgbench --log", "k6 run "} {
		if strings.Contains(commandLines(t, "lab"), program) {
			t.Errorf("%q is still running", program)
		}
	}
}
