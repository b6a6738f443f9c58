package link

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/collectors"
	"github.com/rs/zerolog"

	"pooler-lab/internal/topology"
	"pooler-lab/test/testkit"
)

// mostLatency (ms) is so much that no answer comes while it is set: a link that wasn't turned off is seen.
const mostLatency = longest

// startToxiproxy runs a toxiproxy in this process.
func startToxiproxy(t testing.TB) *Client {
	t.Helper()
	testkit.ToxiproxysOwn(t)
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	server.Metrics.RuntimeMetrics = collectors.NewRuntimeMetricCollectors()
	api := httptest.NewServer(server.Routes())
	t.Cleanup(func() {
		if err := server.Collection.Clear(); err != nil {
			t.Error(err)
		}
		api.Close()
	})
	return New(api.URL)
}

// addLink makes a link to upstream and returns it as configs/toxiproxy.json would have it.
func addLink(t testing.TB, c *Client, name, upstream string) topology.Link {
	t.Helper()
	var made Proxy
	asked := map[string]any{"name": name, "listen": "127.0.0.1:0", "upstream": upstream, "enabled": true}
	testkit.OK(t, c.do(t.Context(), http.MethodPost, "/proxies", asked, &made))
	c.links = append(c.links, name)
	return topology.Link{Name: name, Listen: made.Listen, Upstream: upstream}
}

// change sends a request about a link's toxics, as other programs do.
func (c *Client) change(ctx context.Context, link string, r request) error {
	return c.ask(ctx, link, r.method, "/toxics"+r.toxic, r.body, nil)
}

func (c *Client) addToxic(ctx context.Context, link string, t Toxic) error {
	return c.change(ctx, link, adding(t))
}

// listen serves each connection with serve until the test ends.
func listen(t testing.TB, serve func(net.Conn)) (address string) {
	t.Helper()
	return fmt.Sprintf("127.0.0.1:%d", testkit.StandIn(t, serve))
}

func echo(conn net.Conn) { io.Copy(conn, conn) }

// silent answers nothing for as long as its client waits.
func silent(conn net.Conn) { io.Copy(io.Discard, conn) }

// answerQueries answers every query with one row.
func answerQueries(conn net.Conn) {
	testkit.Serve(conn, func(string) (values []string, ok bool) { return []string{"1"}, true })
}

// aClient is a connection through a link that stays open while the link changes.
type aClient struct {
	t    *testing.T
	conn net.Conn
}

func connectThrough(t *testing.T, l topology.Link) aClient {
	t.Helper()
	conn, err := net.Dial("tcp", l.Listen)
	testkit.OK(t, err)
	t.Cleanup(func() { conn.Close() })
	return aClient{t, conn}
}

// roundTrip sends bytes to an echo and returns how long they took.
func (a aClient) roundTrip(size int) time.Duration {
	a.t.Helper()
	sent, got := bytes.Repeat([]byte("x"), size), make([]byte, size)
	start := time.Now()
	a.conn.SetDeadline(start.Add(testkit.Patience))
	go a.conn.Write(sent)
	if _, err := io.ReadFull(a.conn, got); err != nil {
		a.t.Fatal(err)
	}
	return time.Since(start)
}

// takes fails the test unless a round trip of size bytes takes at least as long.
func (a aClient) takes(what string, size int, least time.Duration) {
	a.t.Helper()
	if took := a.roundTrip(size); took < least {
		a.t.Errorf("%s: a round trip took %v, not %v", what, took, least)
	}
}
