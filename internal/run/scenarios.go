package run

import (
	"context"

	"pooler-lab/internal/result"
	"pooler-lab/internal/scenario"
	"pooler-lab/internal/server"
)

// carryOutScenarios is the load of a cell that has scenarios.
func (r *runner) carryOutScenarios(ctx context.Context, t *trial) (err error) {
	s := t.sides[0]
	at := scenario.Place{DSN: s.Path.DSN(), Password: server.Password(s.cell.Role)}
	at.Shared = s.Path.Pools == "transaction" || s.Path.Pools == "statement"
	at.Keeps = at.Shared || len(s.cell.Settings) > 0
	s.out.Scenarios, err = scenario.Run(ctx, at, t.scenarios())
	if len(s.cell.Settings) == 0 { // documentation is of what is usual
		for i := range s.out.Scenarios {
			s.out.Scenarios[i].Documented = result.DocumentedOn(s.cell.Path, t.scenarios()[i].Documented)
		}
	}
	return err
}
