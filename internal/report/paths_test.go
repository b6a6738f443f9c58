package report

import (
	"strings"
	"testing"

	"pooler-lab/internal/result"
)

// Databases of which a path leads to any are one stop, whatever is before them.
func TestStops(t *testing.T) {
	for services, want := range map[string]string{
		"primary":                         "client primary/node",
		"primary standby":                 "client primary + standby/node",
		"pgbouncer yugabyte":              "client pgbouncer/pooler yugabyte/node",
		"pgpool-near-app primary standby": "client pgpool/pooler primary + standby/node",
		"haproxy primary standby":         "client haproxy/pooler primary + standby/node",
	} {
		var all []string
		for _, s := range stops(result.Path{Services: strings.Fields(services)}) {
			all = append(all, strings.TrimSuffix(s.Name+"/"+s.Class, "/"))
		}
		if got := strings.Join(all, " "); got != want {
			t.Errorf("%s: %s, wanted %s", services, got, want)
		}
	}
}
