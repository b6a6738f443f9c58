//go:build !linux

package pg

import "net"

// straight returns the connection as it is.
func straight(conn net.Conn) net.Conn {
	return conn
}
