package topology

import (
	"fmt"
	"net"
	"strconv"
	"strings"
)

// Endpoint is where a client connects.
type Endpoint struct {
	Host   string `yaml:"host" json:"host"` // a host name, several with commas between, or the folder of a Unix socket
	Port   int    `yaml:"port" json:"port"` // of each host
	DBName string `yaml:"dbname" json:"dbname"`
	// Target is which of several hosts a client keeps: the first one of this kind. Any, where it is "".
	Target string `yaml:"target_session_attrs" json:"target_session_attrs,omitempty"`
}

// Hosts returns the host, or each one of a list.
func (e Endpoint) Hosts() []string { return strings.Split(e.Host, ",") }

// Socket reports whether the endpoint is a Unix socket.
func (e Endpoint) Socket() bool { return strings.HasPrefix(e.Host, "/") }

// String returns host:port/dbname, for people, as PostgreSQL's URIs have it.
func (e Endpoint) String() string {
	if e.Socket() {
		return fmt.Sprintf("%s/.s.PGSQL.%d/%s", e.Host, e.Port, e.DBName)
	}
	hosts := e.Hosts()
	for i, host := range hosts {
		hosts[i] = net.JoinHostPort(host, strconv.Itoa(e.Port))
	}
	text := strings.Join(hosts, ",") + "/" + e.DBName
	if e.Target != "" {
		text += "?target_session_attrs=" + e.Target
	}
	return text
}

// DSN returns the endpoint as libpq keywords for user. It holds no password, so it may be shown and written down;
// sslmode is explicit, since a client that falls back from TLS dials twice.
func (e Endpoint) DSN(user string) string {
	dsn := fmt.Sprintf("host=%s port=%d dbname=%s user=%s sslmode=disable", e.Host, e.Port, e.DBName, user)
	if e.Target != "" {
		dsn += " target_session_attrs=" + e.Target
	}
	return dsn
}

// Env returns the environment that makes libpq's programs (psql, pgbench) connect here.
func (e Endpoint) Env(user, password string) []string {
	env := []string{
		"PGHOST=" + e.Host,
		"PGPORT=" + strconv.Itoa(e.Port),
		"PGDATABASE=" + e.DBName,
		"PGUSER=" + user,
		"PGPASSWORD=" + password,
		"PGSSLMODE=disable",
	}
	if e.Target != "" {
		env = append(env, "PGTARGETSESSIONATTRS="+e.Target)
	}
	if len(e.Hosts()) > 1 { // or a host that is unplugged would hold it up for two minutes before it tries the next
		env = append(env, "PGCONNECT_TIMEOUT=5")
	}
	return env
}
