package link

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"pooler-lab/internal/pooler"
	"pooler-lab/internal/topology"
)

const (
	// mostSamples steady a median enough, leastSamples are taken however slow the link is.
	mostSamples, leastSamples = 15, 3
	// enough is how long the samples may take together, above the least number.
	enough = time.Second
	// apart keeps the samples from all falling into one moment in which something else kept the machine busy, such
	// as the logins of the other links' measurements.
	apart = 3 * time.Millisecond
)

// RoundTrip is a measured round trip.
type RoundTrip struct {
	Median  time.Duration
	Samples int
}

// measure returns the median time of a query on one warm connection to the endpoint. It takes up to a second, and
// connecting; the context's deadline holds for both.
func measure(ctx context.Context, e topology.Endpoint, user, password, query string) (RoundTrip, error) {
	conn, err := connect(ctx, e, user, password)
	if err != nil {
		return RoundTrip{}, err
	}
	defer conn.Close(ctx)
	// The first one is slower: the server reads its catalogs, a pooler finds a server connection.
	if _, err := conn.Exec(ctx, query).ReadAll(); err != nil {
		return RoundTrip{}, fmt.Errorf("measure a round trip: %w", err)
	}
	var took []time.Duration
	for began := time.Now(); len(took) < leastSamples || (len(took) < mostSamples && time.Since(began) < enough); {
		start := time.Now()
		if _, err := conn.Exec(ctx, query).ReadAll(); err != nil {
			return RoundTrip{}, fmt.Errorf("measure a round trip: %w", err)
		}
		took = append(took, time.Since(start))
		time.Sleep(apart)
	}
	slices.Sort(took)
	return RoundTrip{Median: took[len(took)/2], Samples: len(took)}, nil
}

// connect opens a connection that speaks the simple protocol, the only one of a pooler's admin console.
func connect(ctx context.Context, e topology.Endpoint, user, password string) (*pgconn.PgConn, error) {
	config, err := pgconn.ParseConfig(e.DSN(user))
	if err != nil {
		return nil, fmt.Errorf("read the endpoint %s: %w", e, err)
	}
	config.Password = password
	config.RuntimeParams["application_name"] = "pooler-lab"
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connect to %s as %s: %w", e, user, err)
	}
	return conn, nil
}

// A place is where a link is measured from this container, whoever its usual client is, and what is asked there.
type place struct {
	endpoint       topology.Endpoint
	user, password string
	query          string
}

// placeOf is a database whose statistics no lesson reads: measuring a link changes no result. Poolers have a statement
// for that which they answer themselves; YugabyteDB's statistics aren't read, so its ordinary database will do.
func placeOf(host string, l topology.Link) place {
	at := place{
		topology.Endpoint{Host: host, Port: l.Port(), DBName: "postgres"}, "lab", os.Getenv("LAB_PASSWORD"), "SELECT 1",
	}
	if kind, err := pooler.Find(l.Pooler()); err == nil {
		at.endpoint.DBName, at.query = kind.Console(l.Service()).DBName, kind.Version
	}
	if l.Service() == "yugabyte" {
		at.endpoint.DBName, at.user, at.password = "lab", "app", os.Getenv("APP_PASSWORD")
	}
	return at
}

// measureLink measures through the link itself.
func measureLink(ctx context.Context, host string, l topology.Link) (RoundTrip, error) {
	at := placeOf(host, l)
	return measure(ctx, at.endpoint, at.user, at.password, at.query)
}

// reason returns why a measurement failed, short enough for a table.
func reason(err error, l topology.Link) string { return Reason(err, l.Service()) }

// Reason says in a few words why a service couldn't be asked.
func Reason(err error, service string) string {
	var said *pgconn.PgError
	var unresolved *net.DNSError
	var network *net.OpError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer in time"
	case errors.As(err, &said):
		return strings.ToLower(said.Severity) + ": " + said.Message
	case errors.As(err, &unresolved):
		return unresolved.Name + " has no address; is that service up?"
	case errors.As(err, &network) && network.Op == "dial":
		return network.Err.Error()
	case strings.Contains(err.Error(), "EOF"), strings.Contains(err.Error(), "reset by peer"):
		return "connection closed; is " + service + " up?"
	}
	return strings.Join(strings.Fields(err.Error()), " ")
}
