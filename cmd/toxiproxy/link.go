package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/stream"
	"github.com/Shopify/toxiproxy/v2/toxics"
	"golang.org/x/sys/unix"

	"pooler-lab/internal/wan"
)

// A link is a proxy of toxiproxy whose connections are accepted here. A new one waits for a round trip, in place of
// TCP's handshake. Then the server is dialled, for each client by itself. A refusal is passed on as a reset, and a
// server that doesn't answer holds up nobody else. toxiproxy's own proxies dial for one client after another, and close
// a connection that is refused.
type link struct {
	proxy  *toxiproxy.Proxy // which toxiproxy itself never starts
	server *toxiproxy.ApiServer

	lock    sync.Mutex
	cut     context.CancelFunc // nil while the link is cut
	removed bool               // from toxiproxy: it is cut for good
	conns   []*net.TCPConn     // of clients and to the server; some of them are closed

	begun atomic.Int64 // connections: a client's address may be another's before toxiproxy has forgotten the first
}

// newLink adds a link to toxiproxy's proxies. It has a wan on both directions, each with that latency, and is cut.
func newLink(server *toxiproxy.ApiServer, name, listen, upstream string, latency time.Duration) (*link, error) {
	l := &link{proxy: toxiproxy.NewProxy(server, name, listen, upstream), server: server}
	for _, direction := range []string{"upstream", "downstream"} {
		toxic := fmt.Sprintf(`{"type": %q, "stream": %q, "attributes": {"latency_us": %d}}`, wan.Type, direction,
			latency.Microseconds())
		if _, err := l.proxy.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
			return nil, fmt.Errorf("link %s: %w", name, err)
		}
	}
	if err := server.Collection.Add(l.proxy, false); err != nil {
		return nil, fmt.Errorf("link %s: %w", name, err)
	}
	return l, nil
}

// enable has the link take connections, or ends those that it has and takes no more.
func (l *link) enable(enabled bool) error {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.proxy.Lock()
	defer l.proxy.Unlock()
	switch {
	case enabled && l.removed:
		return fmt.Errorf("link %s: %w", l.proxy.Name, toxiproxy.ErrProxyNotFound)
	case enabled && l.cut == nil:
		listener, err := net.Listen("tcp", l.proxy.Listen)
		if err != nil {
			return fmt.Errorf("link %s: %w", l.proxy.Name, err)
		}
		l.proxy.Listen = listener.Addr().String()
		ctx, cancel := context.WithCancel(context.Background())
		l.cut = func() { cancel(); listener.Close() }
		go l.accept(ctx, listener)
	case !enabled && l.cut != nil:
		l.cut()
		for _, conn := range l.conns {
			conn.Close()
		}
		l.cut, l.conns = nil, nil
	}
	l.proxy.Enabled = enabled
	return nil
}

// remove cuts the link for good.
func (l *link) remove() {
	l.lock.Lock()
	l.removed = true
	l.lock.Unlock()
	_ = l.enable(false) // which can't fail
}

func (l *link) isRemoved() bool {
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.removed
}

// accept takes connections until the link is cut.
func (l *link) accept(ctx context.Context, listener net.Listener) {
	for ctx.Err() == nil {
		client, err := listener.Accept()
		switch {
		case err == nil:
			go l.connect(ctx, client.(*net.TCPConn))
		case !errors.Is(err, net.ErrClosed):
			l.proxy.Logger.Err(err).Msg("accept") // such as too many open files: some of them will be closed
			time.Sleep(100 * time.Millisecond)
		}
	}
}

// connect connects a client to the server, once the handshake is over.
func (l *link) connect(ctx context.Context, client *net.TCPConn) {
	accepted := time.Now()
	if !l.keep(ctx, client) {
		return
	}
	var server *net.TCPConn
	err := l.handshake(ctx, accepted)
	if err == nil {
		server, err = dial(ctx, client, l.proxy.Upstream)
	}
	if err != nil {
		if ctx.Err() == nil && !errors.Is(err, context.Canceled) { // the link isn't cut, and the client hasn't left
			l.proxy.Logger.Err(err).Msg("connect to the server")
		}
		_ = client.SetLinger(0) // a reset: it was refused
		client.Close()
		return
	}
	if !l.keep(ctx, server) {
		return
	}
	name := fmt.Sprintf("%v, number %d, ", client.RemoteAddr(), l.begun.Add(1))
	l.proxy.Toxics.StartLink(l.server, name+"upstream", client, server, stream.Upstream)
	l.proxy.Toxics.StartLink(l.server, name+"downstream", server, client, stream.Downstream)
}

// keep notes a connection that a cut is to close. It closes one that comes too late for that.
func (l *link) keep(ctx context.Context, conn *net.TCPConn) bool {
	l.lock.Lock()
	defer l.lock.Unlock()
	if ctx.Err() != nil {
		conn.Close()
		return false
	}
	if len(l.conns) == cap(l.conns) { // before it grows: there is room for as many again then
		open := slices.DeleteFunc(l.conns, closed)
		l.conns = slices.Grow(open, len(open)+1)
	}
	l.conns = append(l.conns, conn)
	return true
}

// handshake waits for a round trip. It follows changes of the latency.
func (l *link) handshake(ctx context.Context, accepted time.Time) error {
	for {
		left := time.Until(accepted.Add(l.latency()))
		if left <= 0 {
			return nil
		}
		select {
		case <-wan.After(min(left, 100*time.Millisecond)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// latency is that of a round trip.
func (l *link) latency() (sum time.Duration) {
	for _, one := range l.proxy.Toxics.GetToxicArray() {
		if wrapper, is := one.(*toxics.ToxicWrapper); is {
			if own, is := wrapper.Toxic.(*wan.Toxic); is {
				sum += time.Duration(own.Settings().Latency) * time.Microsecond
			}
		}
	}
	return sum
}

// dial is dialServer. Tests put another in its place.
var dial = dialServer

// dialServer connects to the server. If the client leaves meanwhile it gives up within a second.
func dialServer(ctx context.Context, client *net.TCPConn, address string) (*net.TCPConn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if left(client) {
					cancel()
				}
			}
		}
	}()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return conn.(*net.TCPConn), nil
}

// left says whether the other end has closed its side of a connection.
func left(conn *net.TCPConn) (has bool) {
	gone := control(conn, func(fd uintptr) {
		n, _ := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}, 0)
		has = n > 0
	})
	return has || gone != nil
}

// closed says whether this end of a connection is closed.
func closed(conn *net.TCPConn) bool { return control(conn, func(uintptr) {}) != nil }

func control(conn *net.TCPConn, do func(fd uintptr)) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	return raw.Control(do)
}
