//go:build !linux

package pg

import (
	"net"
	"time"
)

// straight returns the connection as it is.
func straight(conn net.Conn) net.Conn { return conn }

// preciseSleep sleeps as exactly as Go's timers do.
func preciseSleep(wait time.Duration) { time.Sleep(wait) }
