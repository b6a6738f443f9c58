package test

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestConnectShowsEachPath(t *testing.T) {
	t.Parallel()
	measured := regexp.MustCompile(`^(\S*) +\d+ +(\d+ +\d+ +\d+ +\d+ +\d+)$`)
	paths := []string{"direct", "socket", "standby", "pgbouncer-transaction", "pgbouncer-session", "pgpool",
		"direct-hosts", "haproxy"}
	rows, path := map[string]int{}, ""
	for line := range strings.Lines(script(t, "connect")) {
		match := measured.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if match == nil {
			continue
		}
		path = cmp.Or(match[1], path)
		rows[path]++
		var dial, auth, hash, connect, query int // us
		if _, err := fmt.Sscan(match[2], &dial, &auth, &hash, &connect, &query); err != nil {
			t.Fatal(err)
		}
		// 4096 rounds of hashing take longer than that on any machine.
		if slices.Contains(paths, path) && (dial < 1 || hash < 100 || hash >= auth || query < 20 || connect < auth) {
			t.Errorf("%s: %s", path, line)
		}
	}
	for _, path := range paths {
		if rows[path] != 5 {
			t.Errorf("%s: %d connects, wanted 5", path, rows[path])
		}
	}
}

// Whoever speaks no TLS says so, and the others are measured all the same.
func TestConnectWithTLS(t *testing.T) {
	t.Parallel()
	said := refused(t, nil, "connect", "--tls", "-n", "1", "direct", "pgpool")
	if !strings.Contains(said, "server refused TLS") || !strings.Contains(said, "1 of 2 connects failed") {
		t.Errorf("said\n%s", said)
	}
	if !regexp.MustCompile(`(?m)^direct +1( +\d+){6}$`).MatchString(said) {
		t.Errorf("direct has no six figures:\n%s", said)
	}
}
