package server

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// Reset undoes whatever lessons apply, whoever left it so: poolers' settings by having them read their files again,
// what ALTER SYSTEM set on the nodes, the login of the role that has no password, with the connections that poolers
// keep open for it, and the database that is made anew.
func (l *Servers) Reset(ctx context.Context) error {
	for _, service := range slices.Sorted(maps.Keys(l.poolers)) {
		if err := l.poolers[service].Reset(ctx); err != nil {
			return fmt.Errorf("reset %s: %w", service, err)
		}
	}
	for _, name := range []string{primary, standby} {
		if err := l.nodes[name].resetParameters(ctx); err != nil {
			return err
		}
	}
	if err := l.RevokeLogin(ctx, standby); err != nil {
		return err
	}
	return l.dropFresh(ctx)
}
