package session

import (
	"fmt"
	"net"
	"sync/atomic"
	"testing"

	"pooler-lab/internal/testkit"
)

// A statement is sent once more where its connection breaks.
func TestStatementWhoseConnectionBreaks(t *testing.T) {
	const question = "SHOW POOLS"
	for _, test := range []struct {
		breaks int // how often the connection breaks in place of an answer
		sent   int // times that the statement is sent
		fails  bool
	}{{0, 1, false}, {1, 2, false}, {2, 2, true}} {
		var sent atomic.Int64
		port := testkit.StandIn(t, func(conn net.Conn) {
			testkit.Serve(conn, func(string) ([]string, bool) {
				return []string{"1"}, int(sent.Add(1)) > test.breaks
			})
		})
		l := NewLine("primary", fmt.Sprintf("host=127.0.0.1 port=%d dbname=d user=u sslmode=disable", port), "")
		defer l.Close()
		if _, err := l.AskOne(t.Context(), question); int(sent.Load()) != test.sent || (err != nil) != test.fails {
			t.Errorf("of a connection that breaks %d times: sent %d times, then %v", test.breaks, sent.Load(), err)
		}
	}
}
