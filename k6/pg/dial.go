package pg

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"pooler-lab/internal/scram"
)

// configs are the parsed connection settings, shared by the VUs that use them.
type configs struct {
	mu    sync.Mutex
	known map[[2]string]*pgconn.Config // by dsn and password
}

// config translates connection settings as libpq knows them (a keyword string or a
// URL, completed by PGPASSWORD and the other PG* variables) into pgconn's. The
// result is shared: change a copy.
func (m *Module) config(dsn, password string) (*pgconn.Config, error) {
	m.configs.mu.Lock()
	defer m.configs.mu.Unlock()
	key := [2]string{dsn, password}
	if known := m.configs.known[key]; known != nil {
		return known, nil
	}
	config, err := pgconn.ParseConfig(withPort(dsn))
	if err != nil {
		return nil, fmt.Errorf("read the dsn: %w", err)
	}
	if password != "" {
		config.Password = password
	}
	if !strings.Contains(dsn, "sslmode") && os.Getenv("PGSSLMODE") == "" {
		withoutTLS(config)
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "k6"
	}
	config.LookupFunc = m.addresses.lookup
	if m.configs.known == nil {
		m.configs.known = map[[2]string]*pgconn.Config{}
	}
	m.configs.known[key] = config
	return config, nil
}

var (
	namesHost = regexp.MustCompile(`(^|\s)host\s*=`)
	namesPort = regexp.MustCompile(`(^|\s)port\s*=`)
)

// withPort gives a dsn that names a host and no port PostgreSQL's own, 5432.
// PGPORT belongs to PGHOST: scripts/k6 sets both, and the port of one path is
// no port of another server.
func withPort(dsn string) string {
	if address, err := url.Parse(dsn); err == nil && strings.HasPrefix(address.Scheme, "postgres") {
		asked := address.Query()
		if address.Port() != "" || asked.Has("port") || address.Hostname() == "" && !asked.Has("host") {
			return dsn
		}
		if address.RawQuery != "" {
			return dsn + "&port=5432"
		}
		return strings.TrimSuffix(dsn, "?") + "?port=5432"
	}
	if namesHost.MatchString(dsn) && !namesPort.MatchString(dsn) {
		return dsn + " port=5432"
	}
	return dsn
}

// withoutTLS undoes the default sslmode, prefer: it dials twice where the
// server has no TLS, and a load test should say what it measures.
func withoutTLS(config *pgconn.Config) {
	config.TLSConfig = nil
	config.Fallbacks = slices.DeleteFunc(config.Fallbacks, func(fallback *pgconn.FallbackConfig) bool {
		return fallback.TLSConfig != nil || fallback.Host == config.Host && fallback.Port == config.Port
	})
}

// timing holds the moments of one connect: each phase ends where the next one
// begins, so that the phases add up to the whole.
type timing struct {
	began, dialled, secured, ready time.Time
	tls                            bool
	wire                           *wire // of the attempt that came last
	clock                          scram.Clock
}

// timed returns a copy of config for one connect, which is noted in t.
func (t *timing) timed(config *pgconn.Config) *pgconn.Config {
	copied := *config
	copied.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := config.DialFunc(ctx, network, address)
		if err != nil || !t.ready.IsZero() { // a cancel request dials too, later
			return conn, err
		}
		t.wire = &wire{Conn: straight(conn)}
		t.dialled = time.Now()
		return t.wire, nil
	}
	copied.AfterNetConnect = func(ctx context.Context, _ *pgconn.Config, conn net.Conn) (net.Conn, error) {
		t.secured, t.tls = t.dialled, false
		if secure, ok := conn.(*tls.Conn); ok {
			// Otherwise the handshake came with the first message, and counted as authentication.
			if err := secure.HandshakeContext(ctx); err != nil {
				return conn, &tlsError{err}
			}
			t.secured, t.tls = time.Now(), true
		}
		return conn, nil
	}
	copied.AfterConnect = func(context.Context, *pgconn.PgConn) error {
		t.ready = time.Now()
		t.clock.Stop()
		return nil
	}
	t.clock.Watch(&copied)
	return &copied
}

// addressBook resolves each host name once, so that name lookups are no part
// of a connect, until a connect to it fails.
type addressBook struct {
	mu    sync.Mutex
	hosts map[string][]string
}

// lookup returns the addresses of host.
func (b *addressBook) lookup(ctx context.Context, host string) ([]string, error) {
	b.mu.Lock()
	known := b.hosts[host]
	b.mu.Unlock()
	if known != nil {
		return known, nil
	}
	found, err := net.DefaultResolver.LookupHost(ctx, host)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.hosts == nil {
		b.hosts = map[string][]string{}
	}
	b.hosts[host] = found
	return found, nil
}

// forget makes the next lookup of host ask again: a restarted container can
// have got another address.
func (b *addressBook) forget(host string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.hosts, host)
}
