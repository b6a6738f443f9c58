package topology

import (
	"fmt"
	"net"
	"strconv"
	"strings"
)

// Endpoint is where a client connects.
type Endpoint struct {
	Host   string `yaml:"host" json:"host"` // a host name, or the folder of a Unix socket
	Port   int    `yaml:"port" json:"port"`
	DBName string `yaml:"dbname" json:"dbname"`
}

// Socket reports whether the endpoint is a Unix socket.
func (e Endpoint) Socket() bool { return strings.HasPrefix(e.Host, "/") }

// String returns host:port/dbname, for people.
func (e Endpoint) String() string {
	if e.Socket() {
		return fmt.Sprintf("%s/.s.PGSQL.%d/%s", e.Host, e.Port, e.DBName)
	}
	return net.JoinHostPort(e.Host, strconv.Itoa(e.Port)) + "/" + e.DBName
}

// DSN returns the endpoint as libpq keywords for user. It holds no password, so it may be shown and written down;
// sslmode is explicit, since a client that falls back from TLS dials twice.
func (e Endpoint) DSN(user string) string {
	return fmt.Sprintf("host=%s port=%d dbname=%s user=%s sslmode=disable", e.Host, e.Port, e.DBName, user)
}

// Env returns the environment that makes libpq's programs (psql, pgbench) connect here.
func (e Endpoint) Env(user, password string) []string {
	return []string{
		"PGHOST=" + e.Host,
		"PGPORT=" + strconv.Itoa(e.Port),
		"PGDATABASE=" + e.DBName,
		"PGUSER=" + user,
		"PGPASSWORD=" + password,
		"PGSSLMODE=disable",
	}
}
