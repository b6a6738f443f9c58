package link

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pooler-lab/test/testkit"
)

func TestTable(t *testing.T) {
	ms := 0.6
	const why = "off: its image yugabytedb/yugabyte:2025.2.8.0-b60 can't be pulled from the registry that was given"
	rows := []Row{
		{Link: "client-pgbouncer", HostPort: 15003, set: "630 ms ±20, 2266 KB/s down, 422 KB/s up", RoundTripMS: &ms,
			UsedBy: []string{"pgbouncer-transaction", "pgbouncer-session", "pgbouncer-yugabyte"}},
		{Link: "client-yugabyte", set: "-", Problem: why, UsedBy: []string{"yugabyte"}},
		{Link: "pgbouncer-yugabyte", set: "-", Problem: why},
		{Link: "client-primary", set: "10 ms", Problem: why},
		{Link: "client-standby", set: "cut", Problem: "cut"},
		{
			Link:        "primary-standby",
			set:         "-",
			Problem:     "unreachable: no answer in time",
			Replication: "unknown: no answer in time",
		},
	}
	var b strings.Builder
	testkit.OK(t, writeTable(&b, rows))
	text := b.String()
	words := strings.Join(strings.Fields(text), " ")
	for _, part := range []string{
		"client-pgbouncer 127.0.0.1:15003 630 ms", "client-yugabyte - - off (1) yugabyte", "pgbouncer-yugabyte - - off (1)",
		"client-primary - 10 ms off (2)", "client-standby - cut cut", "unreachable (3) replication (unknown) (3)",
		"(1) its image", "(2) its image", "has no effect while its server is off", "(3) no answer in time",
	} {
		if !strings.Contains(words, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
	for line := range strings.Lines(text) {
		if utf8.RuneCountInString(strings.TrimSpace(line)) > tableWidth {
			t.Errorf("more than %d columns: %s", tableWidth, line)
		}
	}
}
