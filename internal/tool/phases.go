package tool

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"pooler-lab/internal/measure"
	"pooler-lab/internal/topology"
)

// Phases are the parts of one connect and of the first query after it. Each begins where the one before it ends, but
// for Hash, which is a part of Auth.
type Phases struct {
	Dial       time.Duration // the TCP connection, or that of the Unix socket; without the name lookup
	TLS        time.Duration // the handshake; 0 without TLS
	Auth       time.Duration // from the startup message to ready for query
	Hash       time.Duration // of Auth, what the client itself computes (measure.Handshake); 0 where nobody asks for SCRAM
	FirstQuery time.Duration // a SELECT 1
}

// Connect is the time until the session takes queries.
func (p Phases) Connect() time.Duration { return p.Dial + p.TLS + p.Auth }

// A client connects as one role to one endpoint.
type client struct {
	config *pgconn.Config
}

// newClient looks the endpoint's host up, so that no connect pays for that.
func newClient(ctx context.Context, e topology.Endpoint, user, password string, withTLS bool) (client, error) {
	dsn := e.DSN(user)
	if withTLS {
		dsn += " sslmode=require" // of a keyword given twice the last one holds
	}
	config, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return client{}, fmt.Errorf("read the endpoint %s: %w", e, err)
	}
	config.Password = password
	config.RuntimeParams["application_name"] = "lab connect"
	if !e.Socket() {
		addresses, err := net.DefaultResolver.LookupHost(ctx, e.Host)
		if err != nil {
			return client{}, fmt.Errorf("look up %s: %w", e.Host, err)
		}
		config.LookupFunc = func(context.Context, string) ([]string, error) { return addresses[:1], nil }
	}
	return client{config}, nil
}

// measure connects once, asks SELECT 1, and closes the connection.
func (c client) measure(ctx context.Context) (Phases, error) {
	var timing measure.Handshake
	conn, err := pgconn.ConnectConfig(ctx, timing.Watch(c.config))
	if err != nil {
		return Phases{}, err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "SELECT 1").ReadAll(); err != nil {
		return Phases{}, fmt.Errorf("first query: %w", err)
	}
	phases := Phases{Dial: timing.Dial(), Auth: timing.Auth(), Hash: timing.Hashed(),
		FirstQuery: time.Since(timing.Ready())}
	phases.TLS, _ = timing.TLS() // 0 without
	return phases, nil
}
