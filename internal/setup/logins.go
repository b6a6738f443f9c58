package setup

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"pooler-lab/internal/session"
	"pooler-lab/internal/shared"
	"pooler-lab/internal/topology"
)

// loginTries is how often a login is tried that a server or pooler refuses, a second apart: it may be starting.
const loginTries = 10

// checkLogins logs in as people do, on each path that no link can hold up, and returns the first login that is refused.
// The health checks of servers and poolers have a role of their own, so a path may be shut to people while all of them
// succeed. A server that doesn't answer at all is for its own health check to say.
func checkLogins(ctx context.Context, set *topology.Set) error {
	seen := map[topology.Endpoint]bool{}
	for _, p := range set.Paths {
		e, err := p.Endpoint("")
		if err != nil || p.Unavailable != "" || p.Database != "postgresql" || p.WithoutLatency != "" || seen[e] {
			continue
		}
		seen[e] = true
		for _, role := range topology.Roles() {
			if topology.Password(role) == "" {
				continue // it can log in only while a cell needs it
			}
			if err := tryLogin(ctx, e, role); err != nil {
				return fmt.Errorf("path %s refuses role %s, so it can't be used: %w", p.Name, role, err)
			}
		}
	}
	return nil
}

// tryLogin returns why a login is refused, each time that it is tried.
func tryLogin(ctx context.Context, e topology.Endpoint, role string) error {
	tries := 0
	var refusal error
	err := shared.Until(ctx, shared.Forever, time.Second, func() (bool, error) {
		tries++
		refusal = logIn(ctx, e.DSN(role), topology.Password(role))
		return !isRefusal(refusal) || tries == loginTries, nil
	})
	if err == nil && isRefusal(refusal) {
		err = refusal
	}
	return err
}

// isRefusal reports whether a server answered, and not that it has no room or isn't up.
func isRefusal(err error) bool {
	var said *pgconn.PgError
	return errors.As(err, &said) && !strings.HasPrefix(said.Code, "53") && !strings.HasPrefix(said.Code, "57")
}

// logIn asks a query, too: a pooler may complete a login by itself.
func logIn(ctx context.Context, dsn, password string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	s, err := session.Open(ctx, dsn, password)
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = s.Ask(ctx, "SELECT 1")
	return err
}
