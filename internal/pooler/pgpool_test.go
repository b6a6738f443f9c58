package pooler

import (
	"testing"

	"pooler-lab/internal/session"
)

func TestKeptForOthers(t *testing.T) {
	row := func(child, server, role, connected string) session.Row {
		return session.Row{"pool_pid": child, "backend_id": server, "username": role, "pool_connected": connected}
	}
	closer := []session.Row{row("20", "0", "lab", "1"), row("20", "1", "lab", "1")}
	for _, test := range []struct {
		name string
		rows []session.Row
		want bool
	}{
		{"nothing", nil, false},
		{"nobody has come yet", []session.Row{row("19", "0", "", "0"), row("19", "1", "", "0")}, false},
		{"a client that left", []session.Row{row("19", "0", "app", "0"), row("19", "1", "app", "0")}, true},
		{"a client that is there", []session.Row{row("19", "0", "app", "1"), row("19", "1", "app", "1")}, true},
		{"closed", []session.Row{row("19", "0", "", "0"), row("19", "1", "app", "0")}, false},
		{"in the child of a closer", append(closer, row("20", "0", "app", "0"), row("20", "1", "app", "0")), false},
		{"beside it", append(closer, row("21", "0", "app", "0")), true},
		{"a health check's", []session.Row{row("19", "0", "monitor", "0")}, false},
	} {
		if got := keptForOthers(test.rows, []string{"app", "app_clear"}); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}
