package setup

import (
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"pooler-lab/internal/topology"
	"pooler-lab/test/testkit"
)

// The lab isn't ready while people can't log in, whatever health checks with another role say. A server that is away,
// or has no room, is another matter.
func TestLoginsThatAreRefused(t *testing.T) {
	t.Setenv("APP_PASSWORD", "x")
	t.Setenv("APP_CLEAR_PASSWORD", "")
	for _, c := range []struct {
		code string
		want string
		asks int64
	}{
		{"28P01", "path pgpool refuses role app, so it can't be used", loginTries},
		{"XX000", "path pgpool refuses role app", loginTries},
		{"53300", "", 1},
		{"57P03", "", 1},
	} {
		t.Run(c.code, func(t *testing.T) {
			t.Parallel()
			var asks atomic.Int64
			port := testkit.StandIn(t, func(conn net.Conn) {
				if server, ok := testkit.Startup(conn); ok {
					asks.Add(1)
					server.Send(&pgproto3.ErrorResponse{Severity: "FATAL", Code: c.code, Message: "no"})
					_ = server.Flush()
				}
			})
			said := ""
			if err := checkLogins(t.Context(), pathTo(port)); err != nil {
				said = err.Error()
			}
			if c.want == "" && said != "" || !strings.Contains(said, c.want) || asks.Load() != c.asks {
				t.Errorf("asked %d times, said %q; wanted %d, %q", asks.Load(), said, c.asks, c.want)
			}
		})
	}
	t.Run("away", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		listener.Close()
		if err := checkLogins(t.Context(), pathTo(listener.Addr().(*net.TCPAddr).Port)); err != nil {
			t.Error(err)
		}
	})
}

// pathTo is a lab with one path, to a server in this process.
func pathTo(port int) *topology.Set {
	return &topology.Set{Paths: []topology.Path{{Name: "pgpool", Database: "postgresql", Services: []string{"pgpool"},
		Plain: topology.Endpoint{Host: "127.0.0.1", Port: port, DBName: "lab"}}}}
}
