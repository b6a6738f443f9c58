package pg

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
)

// cancelWait is how long a statement may go on after its test was stopped: the
// cancel request travels to the server and its answer back.
const cancelWait = 2 * time.Second

// stamps are the moments between the phases of one connect.
type stamps struct {
	dialled, secured time.Time
}

type stampsKey struct{}

// config turns connection settings as libpq knows them (a keyword string or a
// URL, completed by PGPASSWORD and the other PG* variables) into pgconn's.
func (m *Module) config(dsn, password string) (*pgconn.Config, error) {
	config, err := pgconn.ParseConfig(dsn)
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
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		// Cancel requests dial too, without stamps and on another goroutine.
		if at, ok := ctx.Value(stampsKey{}).(*stamps); ok {
			at.dialled = time.Now()
			at.secured = at.dialled
		}
		return conn, err
	}
	config.AfterNetConnect = func(ctx context.Context, _ *pgconn.Config, conn net.Conn) (net.Conn, error) {
		if at, ok := ctx.Value(stampsKey{}).(*stamps); ok {
			at.secured = time.Now()
		}
		return conn, nil
	}
	config.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: cancelWait}
	}
	return config, nil
}

// withoutTLS undoes the default sslmode, prefer: it dials twice where the
// server has no TLS, and a load test should say what it measures.
func withoutTLS(config *pgconn.Config) {
	config.TLSConfig = nil
	config.Fallbacks = slices.DeleteFunc(config.Fallbacks, func(fallback *pgconn.FallbackConfig) bool {
		return fallback.TLSConfig != nil || fallback.Host == config.Host && fallback.Port == config.Port
	})
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
