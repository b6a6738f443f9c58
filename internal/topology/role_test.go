package topology

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// While the standby is the primary, a path to one PostgreSQL node leads to the node that has that node's role, over its
// link. The others stay: a pooler, HAProxy or a list of hosts finds the primary, or is told.
func TestPathsFollowTheRoles(t *testing.T) {
	t.Setenv("LAB_NODES", t.TempDir())
	root := "../.."
	at := func() *Set {
		t.Helper()
		set, err := Load(root)
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	before := at()
	if err := os.WriteFile(filepath.Join(NodesFolder(), "primary"), []byte("standby\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	after := at()
	find := func(set *Set, name string) Path {
		p, err := set.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for name, now := range map[string]string{"direct": "standby", "app-pool": "standby", "standby": "direct"} {
		p, other := find(after, name), find(before, now)
		if p.Plain != other.Plain || !reflect.DeepEqual(p.Over, other.Over) ||
			!reflect.DeepEqual(p.Services, other.Services) {
			t.Errorf("path %s goes to %v over %v, wanted what %s was: %v, %v", name, p.Plain, p.Over, now, other.Plain,
				other.Over)
		}
	}
	if why := find(after, "socket").Unavailable; !strings.Contains(why, "standby is the primary") {
		t.Errorf("path socket is off: %q", why)
	}
	for _, name := range []string{"pgbouncer-transaction", "pgbouncer-session-near-app", "pgpool", "direct-hosts",
		"haproxy"} {
		if !reflect.DeepEqual(find(before, name), find(after, name)) {
			t.Errorf("path %s has changed", name)
		}
	}
}
