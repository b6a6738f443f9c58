package server

import (
	"context"
	"fmt"
)

// Reset undoes whatever lessons turn, whoever left it so: PgBouncer's settings by reading its file again, what ALTER
// SYSTEM set on the nodes, the login of the role that has no password, with the connections that poolers keep open for
// it, and the database that is made anew.
func (l *Lab) Reset(ctx context.Context) error {
	for _, sql := range []string{"RELOAD", "RECONNECT"} {
		if _, err := l.pooler(pgbouncer).ask(ctx, sql); err != nil {
			return fmt.Errorf("reset pgbouncer: %w", err)
		}
	}
	for _, name := range []string{primary, standby} {
		if err := l.nodes[name].resetParameters(ctx); err != nil {
			return err
		}
	}
	if err := l.Expel(ctx, standby); err != nil {
		return err
	}
	return l.dropFresh(ctx)
}
