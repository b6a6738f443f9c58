package pg

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"pooler-lab/test/testkit"
)

// pairOf returns both ends of a TCP connection, the first one made straight.
func pairOf(t *testing.T) (net.Conn, *net.TCPConn) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	near, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	far, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { near.Close(); far.Close() })
	return straight(near), far.(*net.TCPConn)
}

func TestStraightWaitsForRoomAndForBytes(t *testing.T) {
	near, far := pairOf(t)
	sent := bytes.Repeat([]byte("0123456789abcdef"), 1<<20) // more than both buffers hold
	written := make(chan error, 1)
	go func() {
		_, err := near.Write(sent)
		if err != nil {
			near.Close() // nobody waits for the rest
		}
		written <- err
	}()
	time.Sleep(50 * time.Millisecond)
	got := make([]byte, len(sent))
	if _, err := io.ReadFull(far, got); err != nil || !bytes.Equal(got, sent) {
		t.Fatalf("what arrived isn't what was sent: %v", err)
	}
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, func() { far.Write([]byte("late")) })
	if n, err := near.Read(got); err != nil || string(got[:n]) != "late" {
		t.Errorf("read %q, %v", got[:n], err)
	}
	if n, err := near.Read(nil); n != 0 || err != nil {
		t.Errorf("reading nothing gives %d, %v", n, err)
	}
}

func TestStraightFailsAsConnectionsDo(t *testing.T) {
	for name, test := range map[string]struct {
		do   func(near net.Conn, far *net.TCPConn)
		want error
	}{
		"ended":    {func(_ net.Conn, far *net.TCPConn) { far.Close() }, io.EOF},
		"reset":    {func(_ net.Conn, far *net.TCPConn) { far.SetLinger(0); far.Close() }, syscall.ECONNRESET},
		"deadline": {func(near net.Conn, _ *net.TCPConn) { near.SetDeadline(time.Now()) }, os.ErrDeadlineExceeded},
		"closed":   {func(near net.Conn, _ *net.TCPConn) { near.Close() }, net.ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			near, far := pairOf(t)
			time.AfterFunc(20*time.Millisecond, func() { test.do(near, far) })
			if _, err := near.Read(make([]byte, 1)); !errors.Is(err, test.want) {
				t.Errorf("the read fails with %v, not %v", err, test.want)
			}
		})
	}
	near, far := pairOf(t)
	far.SetLinger(0)
	far.Close()
	if _, err := near.Read(make([]byte, 1)); err == nil { // waits until the reset has arrived
		t.Fatal("a connection that was reset can be read")
	}
	if _, err := near.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("the write fails with %v", err)
	}
}

// A dsn's words on TCP reach the socket, under libpq's names, and aren't sent to the server.
func TestTCPOfDSN(t *testing.T) {
	port := testkit.StandIn(t, func(net.Conn) {})
	for _, test := range []struct {
		dsn  string
		want []int // tcp_user_timeout, keepalives, and their idle, interval and count
	}{
		{"tcp_user_timeout=1500 keepalives_idle=7 keepalives_interval=3 keepalives_count=2", []int{1500, 1, 7, 3, 2}},
		{"tcp_user_timeout=1500 keepalives=0", []int{1500, 0}},
		{"keepalives_idle=7", []int{0, 1, 7}},
	} {
		config, err := new(Module).config(fmt.Sprintf("host=127.0.0.1 port=%d %s", port, test.dsn), "")
		testkit.OK(t, err)
		if len(config.RuntimeParams) != 1 {
			t.Errorf("%s: the server is sent %v", test.dsn, config.RuntimeParams)
		}
		conn, err := config.DialFunc(t.Context(), "tcp", fmt.Sprintf("127.0.0.1:%d", port))
		testkit.OK(t, err)
		raw, err := conn.(*net.TCPConn).SyscallConn()
		testkit.OK(t, err)
		for i, option := range [][2]int{{unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT}, {unix.SOL_SOCKET, unix.SO_KEEPALIVE},
			{unix.IPPROTO_TCP, unix.TCP_KEEPIDLE}, {unix.IPPROTO_TCP, unix.TCP_KEEPINTVL},
			{unix.IPPROTO_TCP, unix.TCP_KEEPCNT}}[:len(test.want)] {
			var got int
			testkit.OK(t, raw.Control(func(fd uintptr) { got, err = unix.GetsockoptInt(int(fd), option[0], option[1]) }))
			if err != nil || got != test.want[i] {
				t.Errorf("%s: option %d is %d (%v), not %d", test.dsn, i, got, err, test.want[i])
			}
		}
		conn.Close()
	}
	for _, wrong := range []string{"tcp_user_timeout=soon", "keepalives=-1"} {
		name, _, _ := strings.Cut(wrong, "=")
		if _, err := new(Module).config("host=127.0.0.1 "+wrong, ""); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("of %s it says %v", wrong, err)
		}
	}
}
