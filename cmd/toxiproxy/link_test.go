package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"

	"pooler-lab/test/testkit"
)

// newTestLink is an enabled link to upstream, with that latency on each direction.
func newTestLink(t *testing.T, upstream string, latency time.Duration) (*link, *toxiproxy.ApiServer) {
	t.Helper()
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	l, err := newLink(server, "client-primary", "127.0.0.1:0", upstream, latency)
	testkit.OK(t, err)
	testkit.OK(t, l.enable(true))
	t.Cleanup(func() { testkit.OK(t, l.enable(false)) })
	return l, server
}

// newEcho is where an echo listens.
func newEcho(t *testing.T) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.OK(t, err)
	t.Cleanup(func() { listener.Close() })
	go answer(listener)
	return listener.Addr().String()
}

// newRefusal is an address of a socket that doesn't listen.
func newRefusal(t *testing.T) (address string, fd int) {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	testkit.OK(t, err)
	t.Cleanup(func() { unix.Close(fd) })
	testkit.OK(t, unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	at, err := unix.Getsockname(fd)
	testkit.OK(t, err)
	return fmt.Sprintf("127.0.0.1:%d", at.(*unix.SockaddrInet4).Port), fd
}

// newSilence is an address that answers no more connects, as a server does that is off the network.
func newSilence(t *testing.T) (address string) {
	t.Helper()
	address, fd := newRefusal(t)
	testkit.OK(t, unix.Listen(fd, 0)) // it has room for one that waits
	connectTo(t, address)
	return address
}

func connectTo(t *testing.T, address string) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	testkit.OK(t, err)
	t.Cleanup(func() { conn.Close() })
	testkit.OK(t, conn.SetDeadline(time.Now().Add(testkit.Patience)))
	return conn.(*net.TCPConn)
}

// echoes has a byte go to the server and back.
func echoes(t *testing.T, conn net.Conn) {
	t.Helper()
	one := make([]byte, 1)
	_, err := conn.Write(one)
	testkit.OK(t, err)
	_, err = io.ReadFull(conn, one)
	testkit.OK(t, err)
}

// A connection's first byte waits for TCP's handshake.
func TestHandshakeTakesARoundTrip(t *testing.T) {
	const latency = 50 * time.Millisecond
	l, _ := newTestLink(t, newEcho(t), latency)
	begun := time.Now()
	echoes(t, connectTo(t, l.proxy.Listen))
	if took := time.Since(begun); took < 4*latency {
		t.Errorf("a connect and its first byte took %v, less than two round trips of %v", took, 2*latency)
	}
}

// A change of the latency acts on handshakes that are under way.
func TestHandshakeFollowsAChange(t *testing.T) {
	l, _ := newTestLink(t, newEcho(t), 10*time.Minute)
	conn := connectTo(t, l.proxy.Listen)
	testkit.Eventually(t, func() string {
		l.lock.Lock()
		defer l.lock.Unlock()
		return map[bool]string{true: "it isn't accepted"}[len(l.conns) == 0]
	})
	for _, direction := range []string{"wan_upstream", "wan_downstream"} {
		_, err := l.proxy.Toxics.UpdateToxicJson(direction, strings.NewReader(`{"attributes": {"latency_us": 0}}`))
		testkit.OK(t, err)
	}
	echoes(t, conn)
}

func TestRefusalIsPassedOn(t *testing.T) {
	refusal, _ := newRefusal(t)
	l, _ := newTestLink(t, refusal, 0)
	conn, err := net.Dial("tcp", l.proxy.Listen)
	if err == nil { // the reset comes after the connect, or in it
		defer conn.Close()
		testkit.OK(t, conn.SetDeadline(time.Now().Add(testkit.Patience)))
		_, err = conn.Read(make([]byte, 1))
	}
	if !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("a client of a server that refuses connections gets %v", err)
	}
}

// A server that doesn't answer holds up nobody else.
func TestSilenceHoldsUpNobodyElse(t *testing.T) {
	var silent atomic.Bool
	dial = func(ctx context.Context, client *net.TCPConn, address string) (*net.TCPConn, error) {
		if !silent.Swap(true) { // for the first client
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return dialServer(ctx, client, address)
	}
	t.Cleanup(func() { dial = dialServer })
	l, _ := newTestLink(t, newEcho(t), 0)
	held := connectTo(t, l.proxy.Listen)
	testkit.Eventually(t, func() string { return map[bool]string{false: "nobody is dialled"}[silent.Load()] })
	echoes(t, connectTo(t, l.proxy.Listen))
	if left(held) {
		t.Error("a client of a server that doesn't answer has lost its connection")
	}
}

func isTimeout(err error) bool {
	var network net.Error
	return errors.As(err, &network) && network.Timeout()
}

func TestNobodyIsDialledForAClientThatHasLeft(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.OK(t, err)
	defer listener.Close()
	client := connectTo(t, listener.Addr().String())
	accepted, err := listener.Accept()
	testkit.OK(t, err)
	testkit.OK(t, client.Close())
	if _, err := dialServer(t.Context(), accepted.(*net.TCPConn), newSilence(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("the connect ends with %v", err)
	}
}

// asking asks toxiproxy's API for something, and wants a status. What it answers may be a proxy.
type asking func(method, path, body string, status int) (shown struct{ Enabled bool })

func newAsking(t *testing.T, server *toxiproxy.ApiServer, links ...*link) asking {
	t.Helper()
	api := httptest.NewServer(newAPI(server, links))
	t.Cleanup(api.Close)
	return func(method, path, body string, status int) (shown struct{ Enabled bool }) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, api.URL+path, strings.NewReader(body))
		testkit.OK(t, err)
		response, err := http.DefaultClient.Do(request)
		testkit.OK(t, err)
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		testkit.OK(t, err)
		if response.StatusCode != status {
			t.Errorf("%s %s %s: %d %s", method, path, body, response.StatusCode, text)
		}
		_ = json.Unmarshal(text, &shown) // a refusal has none of it
		return shown
	}
}

// Requests that come at once all end, and a link is what the last one has made it.
func TestRequestsAtOnce(t *testing.T) {
	testkit.ToxiproxysOwn(t)
	l, server := newTestLink(t, newEcho(t), 0)
	ask := newAsking(t, server, l)
	const proxy = "/proxies/client-primary"
	var all sync.WaitGroup
	for range 400 {
		all.Go(func() { ask(http.MethodPatch, proxy, `{"enabled": false}`, http.StatusOK) })
		all.Go(func() { ask(http.MethodPatch, proxy, `{"enabled": true}`, http.StatusOK) })
		all.Go(func() { ask(http.MethodPost, "/reset", "", http.StatusNoContent) })
	}
	all.Wait()
	for _, enabled := range []bool{false, true} {
		shown := ask(http.MethodPatch, proxy, fmt.Sprintf(`{"enabled": %t}`, enabled), http.StatusOK)
		if shown.Enabled != enabled {
			t.Errorf("enabled: %t is shown as %t", enabled, shown.Enabled)
		}
		if conn, err := net.Dial("tcp", l.proxy.Listen); (err == nil) != enabled {
			t.Errorf("enabled: %t, a connect ends with %v", enabled, err)
		} else if err == nil {
			conn.Close()
		}
	}
}

// A cut ends all connections, those that have yet to reach the server as well, and refuses others.
func TestCut(t *testing.T) {
	testkit.ToxiproxysOwn(t)
	l, server := newTestLink(t, newEcho(t), 0)
	ask := newAsking(t, server, l)
	const proxy = "/proxies/client-primary"
	address := l.proxy.Listen
	ends := func(conn *net.TCPConn) {
		t.Helper()
		if _, err := conn.Read(make([]byte, 1)); err == nil || isTimeout(err) {
			t.Errorf("a connection over a link that was cut: %v", err)
		}
	}

	one := connectTo(t, address)
	echoes(t, one)
	ask(http.MethodPatch, proxy+"/toxics/wan_upstream", `{"attributes": {"latency_us": 600000000}}`, http.StatusOK)
	other := connectTo(t, address)
	if ask(http.MethodPatch, proxy, `{"enabled": false}`, http.StatusOK).Enabled {
		t.Error("it is shown as enabled")
	}
	ends(one)
	ends(other)
	if _, err := net.Dial("tcp", address); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("a connect to a link that is cut: %v", err)
	}
	if !ask(http.MethodPost, proxy, `{"enabled": true}`, http.StatusOK).Enabled || l.proxy.Listen != address {
		t.Errorf("it is enabled at %s", l.proxy.Listen)
	}
	ask(http.MethodPatch, proxy+"/toxics/wan_upstream", `{"attributes": {"latency_us": 0}}`, http.StatusOK)
	echoes(t, connectTo(t, address))

	ask(http.MethodPatch, proxy, `{"upstream": "elsewhere:1"}`, http.StatusConflict)
	ask(http.MethodPatch, proxy, `{"enabled": 1}`, http.StatusBadRequest)
	ask(http.MethodPatch, proxy, `{} and more`, http.StatusOK)
	ask(http.MethodPost, "/populate", fmt.Sprintf(`[{"name": "client-primary", "upstream": %q}]`, l.proxy.Upstream),
		http.StatusConflict) // it would listen on any port
	ask(http.MethodPost, "/populate", `[{"name": "client-primary", "listen": "127.0.0.1:1", "upstream": "elsewhere:1"}]`,
		http.StatusConflict)
	ask(http.MethodPost, "/populate", fmt.Sprintf(`[{"name": "client-primary", "listen": %q, "upstream": %q}]`, address,
		l.proxy.Upstream), http.StatusCreated)
	echoes(t, connectTo(t, address))
	ask(http.MethodPatch, proxy, `{"enabled": false}`, http.StatusOK)
	ask(http.MethodPost, "/reset", "", http.StatusNoContent)
	echoes(t, connectTo(t, address))
	ask(http.MethodDelete, proxy, "", http.StatusNoContent)
	ask(http.MethodGet, proxy, "", http.StatusNotFound)
	if err := l.enable(true); !errors.Is(err, toxiproxy.ErrProxyNotFound) {
		t.Errorf("a link that was deleted is enabled: %v", err)
	}
	if _, err := net.Dial("tcp", address); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("a connect to a link that was deleted: %v", err)
	}
	make := func(upstream string, status int) {
		ask(http.MethodPost, "/proxies", fmt.Sprintf(`{"name": "client-primary", "listen": %q, "upstream": %q}`, address,
			upstream), status)
	}
	make("127.0.0.1:1", http.StatusCreated)
	ask(http.MethodPatch, proxy, `{"upstream": "127.0.0.1:2"}`, http.StatusOK) // it is toxiproxy's own
	make(l.proxy.Upstream, http.StatusConflict)
	ask(http.MethodDelete, proxy, "", http.StatusNoContent)
	make(l.proxy.Upstream, http.StatusCreated)
	echoes(t, connectTo(t, address))
	ask(http.MethodPatch, proxy, `{"upstream": "127.0.0.1:2"}`, http.StatusConflict) // it is a link again, with a wan
	ask(http.MethodPatch, proxy+"/toxics/wan_upstream", `{"attributes": {"latency_us": 0}}`, http.StatusOK)
	ask(http.MethodDelete, proxy, "", http.StatusNoContent)
	ask(http.MethodPost, "/populate", fmt.Sprintf(`[{"name": "client-primary", "listen": %q, "upstream": %q}]`, address,
		l.proxy.Upstream), http.StatusCreated)
	ask(http.MethodPatch, proxy+"/toxics/wan_upstream", `{"attributes": {"latency_us": 0}}`, http.StatusOK)
	ask(http.MethodDelete, proxy, "", http.StatusNoContent)
	testkit.OK(t, server.Collection.Clear())
}

// Connections that have ended aren't kept.
func TestEndedConnectionsAreForgotten(t *testing.T) {
	l, _ := newTestLink(t, newEcho(t), 0)
	for range 100 {
		conn := connectTo(t, l.proxy.Listen)
		echoes(t, conn)
		conn.Close()
	}
	testkit.Eventually(t, func() string {
		conn := connectTo(t, l.proxy.Listen)
		echoes(t, conn)
		conn.Close()
		l.lock.Lock()
		defer l.lock.Unlock()
		if len(l.conns) > 64 {
			return fmt.Sprintf("%d connections are kept", len(l.conns))
		}
		return ""
	})
}
