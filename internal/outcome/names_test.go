package outcome

import (
	"testing"

	"pooler-lab/internal/lesson"
)

// Cells are named by what they differ by, whatever that is.
func TestNamesOfAPair(t *testing.T) {
	one := lesson.Cell{ID: "one", Experiment: "g", Path: "direct", Workload: "select", Clients: 1, Protocol: "simple",
		Role: "app"}
	pooled, prepared, elsewhere := one, one, one
	pooled.Path, prepared.Protocol, elsewhere.Experiment = "pooled", "prepared", "h"
	for want, other := range map[string]lesson.Cell{
		"direct : pooled, select, 1 client":                             pooled,
		"simple protocol : prepared protocol, direct, select, 1 client": prepared,
		"g : h, direct, select, 1 client":                               elsewhere,
	} {
		if got := PairName(one, other); got != want {
			t.Errorf("a pair is called %q, it should be %q", got, want)
		}
	}
}
