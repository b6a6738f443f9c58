package session

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"pooler-lab/internal/shared"
)

// A RoundTrip is the median of several.
type RoundTrip struct {
	Median  time.Duration
	Samples int
}

const (
	// mostSamples steady a median enough, leastSamples are taken however long each takes.
	mostSamples, leastSamples = 9, 3
	// sampling is how long more than the least number may take together.
	sampling = time.Second
	// apart keeps the samples from all falling into one moment in which something else kept the machine busy.
	apart = 3 * time.Millisecond
)

// Sample is how long the server takes to answer sql, a statement that costs it next to nothing. The first statement of
// a connection takes longer than a round trip: the server reads its catalogs, a pooler finds a server connection.
func (s *Session) Sample(ctx context.Context, sql string) (time.Duration, error) {
	start := time.Now()
	if _, err := s.Ask(ctx, sql); err != nil {
		return 0, fmt.Errorf("measure a round trip: %w", err)
	}
	return time.Since(start), nil
}

// RoundTrip is the median of up to 9 samples, and of fewer where they take more than a second.
func (s *Session) RoundTrip(ctx context.Context, sql string) (RoundTrip, error) {
	var took []time.Duration
	for began := time.Now(); len(took) < leastSamples || len(took) < mostSamples && time.Since(began) < sampling; {
		one, err := s.Sample(ctx, sql)
		if err != nil {
			return RoundTrip{}, err
		}
		took = append(took, one)
		time.Sleep(apart)
	}
	median, _ := shared.Median(took)
	return RoundTrip{median, len(took)}, nil
}

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
