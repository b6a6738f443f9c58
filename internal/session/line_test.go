package session

import (
	"fmt"
	"net"
	"sync"
	"testing"

	"pooler-lab/test/testkit"
)

// A question is sent once more where its connection breaks. A statement that mustn't run twice isn't.
func TestStatementWhoseConnectionBreaks(t *testing.T) {
	const create = "CREATE DATABASE anew"
	for _, test := range []struct {
		name   string
		breaks map[string]int // how often the connection breaks in place of an answer
		asks   bool           // in place of Do
		sent   int            // times that the statement is sent
		fails  bool
	}{
		{"nothing breaks", nil, false, 1, false},
		{"it breaks before", map[string]int{"SELECT 1": 1}, false, 1, false},
		{"it breaks meanwhile", map[string]int{create: 1}, false, 1, true},
		{"a question", map[string]int{create: 1}, true, 2, false},
		{"a question to a server that is broken", map[string]int{create: 2}, true, 2, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			var mu sync.Mutex
			sent := map[string]int{}
			port := testkit.StandIn(t, func(conn net.Conn) {
				testkit.Serve(conn, func(sql string) ([]string, bool) {
					mu.Lock()
					defer mu.Unlock()
					sent[sql]++
					return []string{"1"}, sent[sql] > test.breaks[sql]
				})
			})
			l := NewLine("primary", fmt.Sprintf("host=127.0.0.1 port=%d dbname=d user=u sslmode=disable", port), "")
			defer l.Close()
			var err error
			if test.asks {
				_, err = l.AskOne(t.Context(), create)
			} else {
				err = l.Do(t.Context(), create)
			}
			mu.Lock()
			defer mu.Unlock()
			if sent[create] != test.sent || (err != nil) != test.fails {
				t.Errorf("it was sent %d times, then %v; wanted %d times", sent[create], err, test.sent)
			}
		})
	}
}
