package run

import (
	"slices"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/topology"
)

// Poolers are no databases, nor is toxiproxy; a path that no cell takes counts for nothing.
func TestDatabasesOfTheCells(t *testing.T) {
	set := &topology.Set{Paths: []topology.Path{
		{Name: "direct", Services: []string{"primary"}},
		{Name: "balanced", Services: []string{"pgpool", "primary", "standby"}, Pooler: "pgpool"},
		{Name: "other", Services: []string{"yugabyte"}},
	}}
	for path, want := range map[string][]string{
		"direct": {"primary"}, "balanced": {"primary", "standby"}, "other": {"yugabyte"},
	} {
		if got := databases(set, []lesson.Cell{{Path: path}}); !slices.Equal(got, want) {
			t.Errorf("the databases of %s are %v, they should be %v", path, got, want)
		}
	}
}
