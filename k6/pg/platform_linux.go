package pg

import (
	"io"
	"net"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// direct is a network connection that makes its system calls without telling Go's scheduler. They never block: the
// descriptor is Go's own, and where there is nothing to read, the goroutine waits in Go's poller as ever. Told of each
// call, the scheduler would look after them fifty thousand times a second and take the processor away from those
// that take longer than 20 µs, which a send over the loopback does: it includes the server's receipt.
type direct struct {
	net.Conn
	raw syscall.RawConn

	// What the functions below are to do, and what came out; kept here so that a call makes no garbage.
	in, out         []byte
	received, sent  int
	readErr, sndErr syscall.Errno
	read, write     func(fd uintptr) bool
}

// straight returns a connection that does the same as conn with less of the CPU, where the network has a descriptor.
func straight(conn net.Conn) net.Conn {
	holder, ok := conn.(syscall.Conn)
	if !ok {
		return conn
	}
	raw, err := holder.SyscallConn()
	if err != nil {
		return conn
	}
	d := &direct{Conn: conn, raw: raw}
	d.read = func(fd uintptr) bool {
		d.received, d.readErr = call(syscall.SYS_READ, fd, d.in)
		return d.readErr != syscall.EAGAIN
	}
	d.write = func(fd uintptr) bool {
		d.sent, d.sndErr = call(syscall.SYS_WRITE, fd, d.out)
		return d.sndErr != syscall.EAGAIN
	}
	return d
}

// call reads into buf or writes from it.
func call(number, fd uintptr, buf []byte) (int, syscall.Errno) {
	for {
		n, _, errno := syscall.RawSyscall(number, fd, uintptr(unsafe.Pointer(unsafe.SliceData(buf))), uintptr(len(buf)))
		if errno != syscall.EINTR {
			return int(n), errno
		}
	}
}

// Read is net.Conn's.
func (d *direct) Read(buf []byte) (int, error) {
	if len(buf) == 0 {
		return 0, nil
	}
	d.in = buf
	err := d.raw.Read(d.read)
	d.in = nil
	switch {
	case err != nil:
		return 0, err
	case d.readErr != 0:
		return 0, d.failure("read", d.readErr)
	case d.received == 0:
		return 0, io.EOF
	}
	return d.received, nil
}

// Write is net.Conn's.
func (d *direct) Write(buf []byte) (int, error) {
	total := 0
	for total < len(buf) {
		d.out = buf[total:]
		err := d.raw.Write(d.write)
		d.out = nil
		switch {
		case err != nil:
			return total, err
		case d.sndErr != 0:
			return total, d.failure("write", d.sndErr)
		}
		total += d.sent
	}
	return total, nil
}

// failure is what package net makes of an error of a system call.
func (d *direct) failure(call string, err error) error {
	return &net.OpError{Op: call, Net: d.LocalAddr().Network(), Addr: d.RemoteAddr(), Err: os.NewSyscallError(call, err)}
}

// userTimeout has a socket give up on what isn't acknowledged for so many milliseconds.
func userTimeout(fd uintptr, ms int) error {
	return os.NewSyscallError("setsockopt", unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, ms))
}

// preciseSleep blocks the thread, not only the goroutine, for at most the
// given time: the kernel's own timers are exact to about 50 µs.
func preciseSleep(wait time.Duration) {
	request := syscall.NsecToTimespec(wait.Nanoseconds())
	// A signal ends the sleep early; the caller looks at the clock again.
	_ = syscall.Nanosleep(&request, nil)
}
