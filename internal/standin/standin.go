// Package standin is a server in a test's own process, for tests of those who talk to one. No program contains it.
package standin

import (
	"net"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

// Listen has serve answer each connection until the test ends, and closes the connection after it. It returns the
// port, on 127.0.0.1.
func Listen(t testing.TB, serve func(net.Conn)) (port int) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				serve(conn)
			}()
		}
	}()
	return listener.Addr().(*net.TCPAddr).Port
}

// Startup reads a PostgreSQL client's startup message and returns the server's side of what follows, not ok where the
// client sends none.
func Startup(conn net.Conn) (server *pgproto3.Backend, ok bool) {
	server = pgproto3.NewBackend(conn, conn)
	_, err := server.ReceiveStartupMessage()
	return server, err == nil
}
