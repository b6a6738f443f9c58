package generator

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pooler-lab/test/testkit"
)

// What pgbench has logged counts as far as each of its threads has written whole ticks of it.
func TestRateLog(t *testing.T) {
	folder := t.TempDir()
	log := rateLog{prefix: logsIn(folder), from: time.Unix(1700000000, 0), files: map[string]*logFile{}}
	line := func(tick string) string { return "0 1 1500 0 1700000000 " + tick + "50000\n" }
	for _, step := range []struct {
		name, more string
		want       []int64
	}{
		{"77", "", nil},
		{"77", line("0") + line("0") + line("2"), []int64{2, 0}},
		{"77.1", line("0")[:9], nil},
		{"77.1", line("0")[9:] + line("1"), []int64{3}},
		{"77.1", "0 2 serialization 0 1700000000 250000\n" + line("4") + line("5"), []int64{3, 1}},
		{"77", line("3") + line("9"), []int64{3, 1, 2, 1, 1}},
	} {
		file, err := os.OpenFile(filepath.Join(folder, "log."+step.name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		testkit.OK(t, err)
		_, err = file.WriteString(step.more)
		testkit.OK(t, err)
		testkit.OK(t, file.Close())
		if got, err := log.counts(); err != nil || !slices.Equal(got, step.want) {
			t.Errorf("after %q of %s the ticks are %v (%v), they should be %v", step.more, step.name, got, err, step.want)
		}
	}
	testkit.OK(t, os.WriteFile(filepath.Join(folder, "log.77.2"), []byte("nonsense\n"), 0o600))
	if _, err := log.counts(); err == nil || !strings.Contains(err.Error(), `line "nonsense"`) {
		t.Errorf("nonsense gave the error %v", err)
	}
}
