package crosscheck

import (
	"context"
	"fmt"

	"pooler-lab/internal/pgbench"
	"pooler-lab/internal/server"
	"pooler-lab/internal/topology"
)

// runPgbench runs the pair as two pgbenches that alternate.
func (p pair) runPgbench(ctx context.Context, ends [2]topology.Endpoint) (*part, error) {
	both := pgbench.Pair{Groups: p.groups, Seed: p.seed}
	for side, end := range ends {
		both.Sides[side] = pgbench.Load{Env: pgbench.Environment(ctx, end, p.role, server.Password(p.role)), Args: []string{"--no-vacuum",
			"--builtin=select-only", "--protocol=" + p.protocol, fmt.Sprintf("--client=%d", p.clients),
			fmt.Sprintf("--jobs=%d", min(2, p.clients))}}
	}
	result, err := both.Run(ctx)
	if err != nil {
		return nil, err
	}
	found := &part{slots: result.Slots, ratios: result.Ratios, cpu: result.CPU}
	for side, log := range result.Logs {
		if log.Failed > 0 {
			return nil, fmt.Errorf("pgbench met errors: %d transactions failed", log.Failed)
		}
		found.clients[side] = perClient(log.Transactions, result.Slots, p.clients)
	}
	return found, nil
}

// perClient returns how many transactions each client ended while the pair alternated.
func perClient(transactions []pgbench.Transaction, slots []pgbench.Slot, clients int) []float64 {
	done := make([]float64, clients)
	for _, t := range transactions {
		if t.End.After(slots[0].Start) && t.End.Before(slots[len(slots)-1].End) {
			done[t.Client]++
		}
	}
	return done
}
