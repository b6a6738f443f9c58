package pg

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pooler-lab/k6/summary"
)

// Clients of two paths alternate: each begins its transactions in slots of its own side alone, and says how many it
// did there. Together that is what the module has counted in the window.
func TestCrosscheckAlternates(t *testing.T) {
	const order = "ABBABAAB"
	cell := map[string]any{"path": "direct", "dsn": testDSN(t), "clients": 4, "seconds": 1.8, "warmup_seconds": 0,
		"deadline_seconds": 300, "protocol": "simple", "scale": 1, "seed": 1, "workload": "alternate",
		"params": map[string]any{"other": map[string]any{"path": "again", "dsn": testDSN(t)}, "slot_ms": 110, "lead_ms": 20,
			"order": order}}
	text, err := json.Marshal(cell)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "summary.json")
	out, err := k6(findK6(t), []string{"LAB_CELL=" + string(text)}, "run", "--quiet", "--summary-mode", "disabled",
		"--no-thresholds", "--out", "lab="+file, "k6/crosscheck.js").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := regexp.MustCompile(`slots-([AB])=([0-9:.;]+)`).FindAllStringSubmatch(string(out), -1)
	sum, clients := 0, map[string]int{}
	for _, line := range lines {
		clients[line[1]]++
		for slot := range strings.SplitSeq(line[2], ";") {
			sum += checkSlot(t, order, line[1], slot)
		}
	}
	if len(lines) != 4 || clients["A"] != 2 {
		t.Errorf("the clients printed\n%s", out)
	}
	test, err := summary.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	seen := test.Sides[0]
	counted := seen.Count("pg_transactions", summary.Whole) - 4*10 // of the warm-up
	if len(seen.Errors) > 0 || seen.Window.Ready != 4 || int64(sum) != counted {
		t.Errorf("clients counted %d transactions, the module %d: %+v", sum, counted, seen.Ending)
	}
}

// checkSlot checks number:all:counted, and returns all.
func checkSlot(t *testing.T, order, side, slot string) int {
	t.Helper()
	words := strings.Split(slot, ":")
	if len(words) != 3 {
		t.Fatalf("a slot is %q", slot)
	}
	number, badNumber := strconv.Atoi(words[0])
	all, badAll := strconv.Atoi(words[1])
	counted, badCounted := strconv.ParseFloat(words[2], 64)
	if badNumber != nil || badAll != nil || badCounted != nil || counted > float64(all)+1 {
		t.Errorf("a slot is %q", slot)
	}
	if own := order[number%len(order)]; string(own) != side {
		t.Errorf("side %s was active in a slot of %c", side, own)
	}
	return all
}
