package tool

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"pooler-lab/internal/shared"
	"pooler-lab/internal/topology"
)

// Phases are the parts of one connect and of the first query after it. Each begins where the one before it ends, but
// for Hash, which is a part of Auth.
type Phases struct {
	Dial       time.Duration // the TCP connection, or that of the Unix socket; without the name lookup
	TLS        time.Duration // the handshake; 0 without TLS
	Auth       time.Duration // from the startup message to ready for query
	Hash       time.Duration // of Auth, what the client itself computes (shared.Handshake); 0 where nobody asks for SCRAM
	FirstQuery time.Duration // a SELECT 1
}

// Connect is the time until the session takes queries.
func (p Phases) Connect() time.Duration { return p.Dial + p.TLS + p.Auth }

// configOf is how a role connects to an endpoint, whose hosts it looks up, so that no connect pays for that.
func configOf(ctx context.Context, e topology.Endpoint, user, password string, withTLS bool) (*pgconn.Config, error) {
	dsn := e.DSN(user)
	if withTLS {
		dsn += " sslmode=require" // of a keyword given twice the last one holds
	}
	config, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("read the endpoint %s: %w", e, err)
	}
	config.Password = password
	config.RuntimeParams["application_name"] = "lab connect"
	if e.Socket() {
		return config, nil
	}
	addresses := map[string][]string{}
	for _, host := range e.Hosts() {
		found, err := net.DefaultResolver.LookupHost(ctx, host)
		if err != nil {
			return nil, fmt.Errorf("look up %s: %w", host, err)
		}
		addresses[host] = found[:1]
	}
	config.LookupFunc = func(_ context.Context, host string) ([]string, error) { return addresses[host], nil }
	return config, nil
}

// connectOnce connects over a link whose TCP handshake takes tcp, asks SELECT 1, and closes the connection. It gives up
// after patience.
func connectOnce(ctx context.Context, config *pgconn.Config, tcp time.Duration) (Phases, error) {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	timing := shared.Handshake{TCP: tcp}
	conn, err := pgconn.ConnectConfig(limited, timing.Watch(config))
	if err == nil {
		defer conn.Close(ctx)
		if _, err = conn.Exec(limited, "SELECT 1").ReadAll(); err != nil {
			err = fmt.Errorf("first query: %w", err)
		}
	}
	switch {
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		return Phases{}, fmt.Errorf("no answer within %v", patience)
	case err != nil:
		return Phases{}, err
	}
	phases := Phases{Dial: timing.Dial(), Auth: timing.Auth(), Hash: timing.Hashed(),
		FirstQuery: time.Since(timing.Ready())}
	phases.TLS, _ = timing.TLS() // 0 without
	return phases, nil
}
