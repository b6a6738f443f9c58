package console

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pooler-lab/internal/fault"
	"pooler-lab/internal/topology"
	"pooler-lab/test/testkit"
)

// Whoever breaks or heals a node, the charts have a line for it.
func TestFaultsAreTold(t *testing.T) {
	t.Setenv("LAB_NODES", t.TempDir())
	var f faults
	for _, step := range []struct{ file, word, want string }{
		{"", "", ""},
		{"primary.broken", fault.Kill, "primary: killed"},
		{"", "", ""},
		{"primary", "standby", "primary is: standby"},
		{"primary.broken", "", "primary: healed"},
	} {
		switch file := filepath.Join(topology.NodesFolder(), step.file); {
		case step.word != "":
			testkit.OK(t, os.WriteFile(file, []byte(step.word+"\n"), 0o644))
		case step.file != "":
			testkit.OK(t, os.Remove(file))
		}
		var told []string
		for _, s := range f.take(time.Now()) {
			told = append(told, s.Link+": "+s.Text)
		}
		if got := strings.Join(told, ", "); got != step.want {
			t.Errorf("after %q in %s: told %q, wanted %q", step.word, step.file, got, step.want)
		}
	}
}

// A verb that can't be is refused in words, and one while something measures, too.
func TestBreakIsRefused(t *testing.T) {
	t.Setenv("LAB_NODES", t.TempDir())
	b := newBench(t, nil)
	for address, want := range map[string]string{
		"/api/break/stop":         "name a node, primary or standby",
		"/api/break/nonsense":     "unknown verb",
		"/api/break/heal#primary": "primary isn't broken",
		"/api/break/kill#lab":     "unknown node",
		"/api/break/reset#lab":    "concerns both nodes",
	} {
		address, node, _ := strings.Cut(address, "#")
		status, said := b.post(address, `{"node": "`+node+`"}`)
		if status != http.StatusBadRequest || !strings.Contains(said, want) {
			t.Errorf("%s %s: status %d, %s; wanted %q", address, node, status, said, want)
		}
	}
	if _, page := b.get("/"); !strings.Contains(page, `data-verb="kill" data-of="primary"`) {
		t.Error("the map's page has no button that kills the primary")
	}
}
