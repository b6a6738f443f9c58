package pooler

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pooler-lab/test/testkit"
)

// configs/ says how much each kind takes at once, in the settings in which the kind looks for it. Whoever changes one
// changes which comparisons of lessons are measured side by side, too: see internal/plan/testdata/pairs.txt.
func TestLimits(t *testing.T) {
	want := map[string]Limits{
		"pgbouncer": {Clients: 10100, PoolSize: 20, Setting: "max_client_conn in configs/pgbouncer/pgbouncer.ini"},
		"pgpool":    {Clients: 100, Setting: "num_init_children in configs/pgpool/pgpool.conf"},
		"odyssey":   {Clients: 10100, PoolSize: 20, Setting: "client_max in configs/odyssey/odyssey.conf"}}
	if !slices.Equal(slices.Sorted(maps.Keys(want)), Kinds()) {
		t.Fatalf("limits are known of %v, kinds are %v", slices.Sorted(maps.Keys(want)), Kinds())
	}
	for name, limits := range want {
		if got, err := kinds[name].Limits("../.."); err != nil || got != limits {
			t.Errorf("%s has %+v, %v; it should have %+v", name, got, err, limits)
		}
	}
}

func TestLimitsThatAreNotThere(t *testing.T) {
	root := t.TempDir()
	for _, k := range kinds {
		file := filepath.Join(root, "configs", k.configuration)
		if _, err := k.Limits(root); err == nil {
			t.Errorf("%s has limits without a configuration", k.Name)
		}
		testkit.OK(t, os.MkdirAll(filepath.Dir(file), 0o755))
		twice := "; " + k.mostClients + " = 1\n" + k.mostClients + " = 2\n" + k.mostClients + " = 3\n"
		testkit.OK(t, os.WriteFile(file, []byte(twice), 0o644))
		if _, err := k.Limits(root); err == nil {
			t.Errorf("%s has limits that its configuration gives twice", k.Name)
		}
	}
}
