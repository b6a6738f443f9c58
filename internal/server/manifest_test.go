package server

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"pooler-lab/internal/session"
	"pooler-lab/internal/topology"
	"pooler-lab/test/testkit"
)

// A fakeNode stands in for a PostgreSQL server: it notes statements, and knows whether the role without a password may
// log in.
type fakeNode struct {
	mu       sync.Mutex
	asked    []string
	mayLogIn bool
}

// listen has f answer, and returns where.
func (f *fakeNode) listen(t *testing.T) string {
	return fmt.Sprintf("host=127.0.0.1 port=%d dbname=postgres user=lab sslmode=disable", testkit.StandIn(t, f.serve))
}

func (f *fakeNode) serve(conn net.Conn) {
	testkit.Serve(conn, func(sql string) ([]string, bool) {
		if f.ask(sql) {
			return []string{""}, true
		}
		return nil, true
	})
}

// ask notes a statement and says whether its answer has a row.
func (f *fakeNode) ask(sql string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, sql)
	switch {
	case strings.HasSuffix(sql, " NOLOGIN"):
		f.mayLogIn = false
	case strings.HasSuffix(sql, " LOGIN"):
		f.mayLogIn = true
	}
	return sql == mayLogIn && f.mayLogIn
}

// The login is revoked where a run is stopped while it asks, too.
func TestLoginsRevokesTheLogin(t *testing.T) {
	for _, stopped := range []bool{false, true} {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		node := &fakeNode{}
		dsn := node.listen(t)
		l := &Servers{nodes: map[string]*Node{}}
		for _, name := range topology.Nodes() {
			l.nodes[name] = &Node{session.NewLine(name, dsn, "")}
		}
		asked, err := net.Listen("tcp", "127.0.0.1:0")
		testkit.OK(t, err)
		defer asked.Close()
		go func() {
			if conn, err := asked.Accept(); err == nil {
				if stopped {
					stop()
				}
				conn.Close()
			}
		}()
		at := topology.Endpoint{Host: "127.0.0.1", Port: asked.Addr().(*net.TCPAddr).Port, DBName: "lab"}
		logins, err := l.Logins(ctx, topology.AppTrust, []topology.Path{{Name: "direct", Plain: at}})
		if err != nil || len(logins) != 1 || !strings.HasPrefix(logins[0].Method, "unknown: ") {
			t.Errorf("stopped: %v: the logins are %v, %v", stopped, logins, err)
		}
		node.mu.Lock()
		granted := slices.Contains(node.asked, "ALTER ROLE "+topology.AppTrust+" LOGIN")
		if !granted || node.mayLogIn || l.granted != nil {
			t.Errorf("stopped: %v: it may log in: %v, after %q", stopped, node.mayLogIn, node.asked)
		}
		node.mu.Unlock()
	}
}
