//go:build !linux

package pg

import (
	"errors"
	"net"
	"time"
)

// straight returns the connection as it is.
func straight(conn net.Conn) net.Conn { return conn }

// userTimeout is Linux's own.
func userTimeout(uintptr, int) error { return errors.New("tcp_user_timeout needs Linux") }

// preciseSleep sleeps as exactly as Go's timers do.
func preciseSleep(wait time.Duration) { time.Sleep(wait) }
