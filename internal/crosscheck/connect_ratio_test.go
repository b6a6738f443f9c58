package crosscheck

import (
	"bytes"
	"strings"
	"testing"
)

func TestConnectTable(t *testing.T) {
	list, err := plan([]string{partConnect}, options{})
	if err != nil {
		t.Fatal(err)
	}
	six := func(value float64) []float64 { return []float64{value, value, value, value, value, value} }
	for _, c := range list {
		switch {
		case c.load.path == direct && c.load.role == "app":
			c.pgbench, c.k6 = six(12), six(8)
		case c.load.path != direct && c.load.role == "app":
			c.pgbench, c.k6 = six(6), six(2)
		}
	}
	var out bytes.Buffer
	connectTable(&out, list)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	want := "0.500 (0.500 to 0.500) 0.250 (0.250 to 0.250) 0.500 (0.500 to 0.500)"
	if len(lines) != 3 || !strings.HasPrefix(lines[2], "SCRAM (secret) / SCRAM") || !strings.Contains(lines[2], want) {
		t.Errorf("the table is\n%s", out.String())
	}
	out.Reset()
	if connectTable(&out, list[:1]); out.Len() > 0 {
		t.Errorf("without PgBouncer's connects it prints %q", out.String())
	}
}
