package pg

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"pooler-lab/internal/shared"
)

// config translates connection settings as libpq knows them (a keyword string or a
// URL, completed by PGPASSWORD and the other PG* variables) into pgconn's. The
// result is shared: change a copy.
func (m *Module) config(dsn, password string) (*pgconn.Config, error) {
	key := [2]string{dsn, password}
	if known, ok := m.configs.Load(key); ok {
		return known.(*pgconn.Config), nil
	}
	config, err := pgconn.ParseConfig(withPort(withHost(dsn)))
	if err != nil {
		return nil, fmt.Errorf("read the dsn: %w", err)
	}
	if password != "" {
		config.Password = password
	}
	if !strings.Contains(dsn, "sslmode") && os.Getenv("PGSSLMODE") == "" {
		withoutTLS(config)
	}
	if err := obey(config); err != nil {
		return nil, fmt.Errorf("read the dsn: %w", err)
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "k6"
	}
	if err := dialAsLibpq(config); err != nil {
		return nil, fmt.Errorf("read the dsn: %w", err)
	}
	config.LookupFunc = m.addresses.lookup
	known, _ := m.configs.LoadOrStore(key, config)
	return known.(*pgconn.Config), nil
}

var (
	namesHost = regexp.MustCompile(`(^|\s)host\s*=`)
	namesPort = regexp.MustCompile(`(^|\s)port\s*=`)
)

var address = regexp.MustCompile(`(?:^|[\s?&])hostaddr\s*=\s*'?([^\s'&,]+)`)

// withHost gives a dsn that has hostaddr and no host that address as its host: pgx would take one of its own, and with
// that decide on TLS.
func withHost(dsn string) string {
	found := address.FindStringSubmatch(dsn)
	if found == nil {
		return dsn
	}
	if u, err := url.Parse(dsn); err == nil && strings.HasPrefix(u.Scheme, "postgres") {
		if u.Hostname() == "" && !u.Query().Has("host") {
			return dsn + "&host=" + found[1]
		}
		return dsn
	}
	if !namesHost.MatchString(dsn) {
		return dsn + " host=" + found[1]
	}
	return dsn
}

// withPort gives a dsn that names a host and no port PostgreSQL's own, 5432.
// PGPORT belongs to PGHOST: scripts/k6 sets both, and the port of one path is
// no port of another server.
func withPort(dsn string) string {
	if u, err := url.Parse(dsn); err == nil && strings.HasPrefix(u.Scheme, "postgres") {
		asked := u.Query()
		if u.Port() != "" || asked.Has("port") || u.Hostname() == "" && !asked.Has("host") {
			return dsn
		}
		if u.RawQuery != "" {
			return dsn + "&port=5432"
		}
		return strings.TrimSuffix(dsn, "?") + "?port=5432"
	}
	if namesHost.MatchString(dsn) && !namesPort.MatchString(dsn) {
		return dsn + " port=5432"
	}
	return dsn
}

// dialAsLibpq has connections made with what the dsn says of TCP, under libpq's names: tcp_user_timeout in
// milliseconds, keepalives (0 or 1), keepalives_idle and keepalives_interval in seconds, keepalives_count. 0 is the
// system's own. pgx doesn't know them, and would send them to the server.
func dialAsLibpq(config *pgconn.Config) error {
	given := map[string]int{}
	for _, name := range []string{"tcp_user_timeout", "keepalives", "keepalives_idle", "keepalives_interval",
		"keepalives_count"} {
		text, is := config.RuntimeParams[name]
		if !is {
			continue
		}
		delete(config.RuntimeParams, name)
		value, err := strconv.Atoi(text)
		if err != nil || value < 0 {
			return fmt.Errorf("%s must be a whole number, 0 or more, got %q", name, text)
		}
		given[name] = value
	}
	if len(given) == 0 {
		return nil
	}
	orSystem := func(name string) int {
		if given[name] > 0 {
			return given[name]
		}
		return -1
	}
	dialer := &net.Dialer{KeepAlive: -1}
	if on, is := given["keepalives"]; !is || on > 0 {
		dialer.KeepAliveConfig = net.KeepAliveConfig{Enable: true,
			Idle:     time.Duration(orSystem("keepalives_idle")) * time.Second,
			Interval: time.Duration(orSystem("keepalives_interval")) * time.Second,
			Count:    orSystem("keepalives_count")}
	}
	dialer.Control = func(network, _ string, raw syscall.RawConn) (err error) {
		if given["tcp_user_timeout"] == 0 || !strings.HasPrefix(network, "tcp") {
			return nil
		}
		return errors.Join(raw.Control(func(fd uintptr) { err = userTimeout(fd, given["tcp_user_timeout"]) }), err)
	}
	config.DialFunc = dialer.DialContext
	return nil
}

// withoutTLS undoes the default sslmode, prefer: it dials twice where the
// server has no TLS, and a load test should say what it measures.
func withoutTLS(config *pgconn.Config) {
	config.TLSConfig = nil
	config.Fallbacks = slices.DeleteFunc(config.Fallbacks, func(fallback *pgconn.FallbackConfig) bool {
		return fallback.TLSConfig != nil || fallback.Host == config.Host && fallback.Port == config.Port
	})
}

// timing times one connect, and keeps the wire that came of it.
type timing struct {
	shared.Handshake
	wire *wire
}

// newTiming returns the timing of a connect that has yet to begin, over a link with that handshake in milliseconds.
func newTiming(tcpHandshake float64) *timing {
	t := &timing{}
	t.TCP = time.Duration(tcpHandshake * float64(time.Millisecond))
	t.Wrap = func(conn net.Conn) net.Conn {
		t.wire = &wire{Conn: straight(conn)}
		if conn.RemoteAddr().Network() == "tcp" {
			t.wire.trips.Store(1) // the handshake
		}
		return t.wire
	}
	return t
}

// addressBook resolves each host name once, so that name lookups are no part
// of a connect, until a connect to it fails.
type addressBook struct {
	hosts sync.Map // their addresses
}

// lookup returns the addresses of host.
func (b *addressBook) lookup(ctx context.Context, host string) ([]string, error) {
	if known, ok := b.hosts.Load(host); ok {
		return known.([]string), nil
	}
	found, err := net.DefaultResolver.LookupHost(ctx, host)
	if err == nil {
		b.hosts.Store(host, found)
	}
	return found, err
}

// forget makes the next lookup of the hosts of config ask again: a restarted
// container can have got another address.
func (b *addressBook) forget(config *pgconn.Config) {
	b.hosts.Delete(config.Host)
	for _, other := range config.Fallbacks {
		b.hosts.Delete(other.Host)
	}
}
