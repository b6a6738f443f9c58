package test

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
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

// TCP's handshake takes a round trip over a link, and counts as dial. A login with SCRAM takes three more.
func TestConnectOverALink(t *testing.T) {
	const ms = 100
	setLatency(t, fmt.Sprintf("%dms", ms), "client-primary", "client-pgbouncer")
	for _, path := range []string{"direct", "pgbouncer-transaction"} {
		said := script(t, "connect", "--link", "all", "-n", "1", path)
		match := regexp.MustCompile(`(?m)^` + path + ` +1 +(\d+) +(\d+) `).FindStringSubmatch(said)
		if match == nil {
			t.Fatal(said)
		}
		dial, _ := strconv.ParseFloat(match[1], 64)
		auth, _ := strconv.ParseFloat(match[2], 64)
		if least := 1000 * (ms - early); dial < least || dial+auth < 4*least {
			t.Errorf("%d ms set: %s", ms, said)
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
