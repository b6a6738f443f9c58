package pg

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"

	"pooler-lab/internal/measure"
)

// config translates connection settings as libpq knows them (a keyword string or a
// URL, completed by PGPASSWORD and the other PG* variables) into pgconn's. The
// result is shared: change a copy.
func (m *Module) config(dsn, password string) (*pgconn.Config, error) {
	key := [2]string{dsn, password}
	if known, ok := m.configs.Load(key); ok {
		return known.(*pgconn.Config), nil
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
	known, _ := m.configs.LoadOrStore(key, config)
	return known.(*pgconn.Config), nil
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

// timing times one connect, and keeps the wire that came of it.
type timing struct {
	measure.Handshake
	wire *wire
}

// newTiming returns the timing of a connect that has yet to begin.
func newTiming() *timing {
	t := &timing{}
	t.Wrap = func(conn net.Conn) net.Conn {
		t.wire = &wire{Conn: straight(conn)}
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
