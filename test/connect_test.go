package test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// connects are the lines of scripts/connect by path: dial, auth, hash, connect and first query of each, in
// microseconds.
func connects(t *testing.T, args ...string) map[string][][]int {
	t.Helper()
	measured := regexp.MustCompile(`^(\S*) +\d+ +(\d+) +(\d+) +(\d+) +(\d+) +(\d+)$`)
	found := map[string][][]int{}
	path := ""
	for line := range strings.Lines(script(t, "connect", args...)) {
		match := measured.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if match == nil {
			continue
		}
		if match[1] != "" {
			path = match[1]
		}
		var phases []int
		for _, text := range match[2:] {
			micros, err := strconv.Atoi(text)
			if err != nil {
				t.Fatal(err)
			}
			phases = append(phases, micros)
		}
		found[path] = append(found[path], phases)
	}
	return found
}

func TestConnectShowsEachPath(t *testing.T) {
	t.Parallel()
	found := connects(t)
	for _, path := range []string{"direct", "socket", "standby", "pgbouncer-transaction", "pgbouncer-session", "pgpool"} {
		rows := found[path]
		if len(rows) != 5 {
			t.Errorf("%s: %d connects, wanted 5", path, len(rows))
		}
		for _, phases := range rows {
			dial, auth, hash, connect, query := phases[0], phases[1], phases[2], phases[3], phases[4]
			if dial < 1 || auth < 100 || query < 20 || max(connect-dial-auth, dial+auth-connect) > 1 {
				t.Errorf("%s: dial %d, auth %d, connect %d, first query %d us", path, dial, auth, connect, query)
			}
			if hash < 100 || hash >= auth { // 4096 rounds take longer on any machine
				t.Errorf("%s: of an authentication of %d us the client hashed for %d", path, auth, hash)
			}
		}
	}
}

// SCRAM takes three round trips, a query one.
func TestConnectOverALink(t *testing.T) {
	setLatency(t, "10ms", "client-primary")
	rows := connects(t, "--link", "client-primary", "-n", "1", "direct")["direct"]
	if len(rows) != 1 {
		t.Fatalf("%d connects, wanted one", len(rows))
	}
	if auth, query := rows[0][1], rows[0][4]; auth < 30_000 || query < 10_000 {
		t.Errorf("at 10 ms: auth %d, first query %d us", auth, query)
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
