package fault

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pooler-lab/internal/topology"
)

// What would leave two primaries, or none that can be healed, is refused before anything is written.
func TestRefusals(t *testing.T) {
	type files map[string]string
	for _, c := range []struct {
		name string
		told files
		do   func(*Faults) error
		want string
	}{
		{"killed twice", files{"primary.broken": "stop"},
			func(f *Faults) error { return f.Break(t.Context(), Kill, "primary") },
			"primary is broken, stopped at "},
		{"promoted while the primary runs", nil,
			func(f *Faults) error { return f.Promote(t.Context(), "standby") },
			"primary is still the primary and isn't broken: 'scripts/break kill primary'"},
		{"promoted twice", files{"primary": "standby", "primary.broken": "kill"},
			func(f *Faults) error { return f.Promote(t.Context(), "standby") }, "standby is the primary already"},
		{"promoted while broken", files{"standby.broken": "kill", "primary.broken": "kill"},
			func(f *Faults) error { return f.Promote(t.Context(), "standby") },
			": heal it first, with 'scripts/break heal standby'"},
		{"healed without need", nil,
			func(f *Faults) error { return f.Heal(t.Context(), "standby") }, "standby isn't broken"},
		{"healed before the primary", files{"primary": "standby", "primary.broken": "kill", "standby.broken": "kill"},
			func(f *Faults) error { return f.Heal(t.Context(), "primary") },
			"primary can't follow the primary: standby is broken, killed at "},
		{"a verb that is heal", nil, func(f *Faults) error { return f.Do(t.Context(), "unfreeze", "primary") },
			`there is no verb "unfreeze": 'heal' undoes whatever broke a node`},
		{"switched over while broken", files{"standby.broken": "kill"},
			func(f *Faults) error { return f.Switchover(t.Context()) }, "standby is broken, killed at "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("LAB_NODES", t.TempDir())
			for name, word := range c.told {
				if err := tell(filepath.Join(topology.NodesFolder(), name), word); err != nil {
					t.Fatal(err)
				}
			}
			var out bytes.Buffer
			f, err := New(&topology.Set{}, &out)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.do(f); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("said %v, wanted %q", err, c.want)
			}
			left, err := os.ReadDir(topology.NodesFolder())
			if err != nil || len(left) != len(c.told) {
				t.Errorf("afterwards there are the files %v (%v)", left, err)
			}
		})
	}
}

// Of two verbs at once the second one is refused, and only as long as the first one is under way.
func TestOneVerbAtATime(t *testing.T) {
	t.Setenv("LAB_NODES", t.TempDir())
	f, err := New(&topology.Set{}, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	free, err := hold()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Do(t.Context(), "reset", ""); err == nil || !strings.Contains(err.Error(), "another verb is under way") {
		t.Errorf("beside another verb it says %v", err)
	}
	free()
	if err := f.Do(t.Context(), "reset", ""); err != nil {
		t.Errorf("after the other one it says %v", err)
	}
}

// A node that Docker can't freeze isn't broken, and is let go on in case Docker has half done it.
func TestNodeThatCannotBeFrozen(t *testing.T) {
	t.Setenv("LAB_NODES", t.TempDir())
	var asked []string
	standIn := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, filepath.Base(r.URL.Path))
		if strings.HasSuffix(r.URL.Path, "/pause") {
			http.Error(w, "unable to freeze", http.StatusInternalServerError)
		}
	}))
	defer standIn.Close()
	f, err := New(&topology.Set{}, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	f.docker.URL = standIn.URL
	if err := f.Break(t.Context(), Freeze, "primary"); err == nil || !strings.Contains(err.Error(), "unable to freeze") {
		t.Errorf("it says %v", err)
	}
	if _, broken := Find("primary"); broken || !slices.Contains(asked, "unpause") {
		t.Errorf("afterwards the node is broken: %v; Docker was asked for %q", broken, asked)
	}
}

// A verb is refused while something measures. What is broken may be looked at.
func TestNothingIsBrokenWhileALessonRuns(t *testing.T) {
	t.Setenv("LAB_NODES", t.TempDir())
	command := NewCommand(func() (string, bool) { return "lesson 00-tour", true })
	command.SetArgs([]string{"kill", "primary"})
	command.SilenceUsage, command.SilenceErrors = true, true
	if err := command.Execute(); err == nil || !strings.HasPrefix(err.Error(), "lesson 00-tour is running") {
		t.Errorf("it says %v", err)
	}
	if _, broken := Find("primary"); broken {
		t.Error("the primary is broken")
	}
}

// What keeps a lesson from measuring is named with what mends it.
func TestWrong(t *testing.T) {
	t.Setenv("LAB_NODES", t.TempDir())
	if wrong := Wrong(); wrong != "" {
		t.Errorf("nothing was told, and it says %q", wrong)
	}
	for _, told := range []struct{ file, word, want, remedy string }{
		{"primary", "standby", "standby is the primary just now: ", "'scripts/break reset' gives the role back to primary"},
		{"standby.broken", Kill, "standby is broken, killed at ", "'scripts/break reset' heals it"},
		{"primary.broken", Unplug, "primary is broken, unplugged at ", "'scripts/break reset' heals both"},
	} {
		if err := tell(filepath.Join(topology.NodesFolder(), told.file), told.word); err != nil {
			t.Fatal(err)
		}
		if wrong := Wrong(); !strings.HasPrefix(wrong, told.want) || !strings.HasSuffix(wrong, told.remedy) {
			t.Errorf("says %q, wanted %q", wrong, told.want+"... "+told.remedy)
		}
	}
}
