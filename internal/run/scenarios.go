package run

import (
	"context"
	"fmt"

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
	if s.Path.Pools == "none" && err == nil {
		err = planWrong(s.out.Scenarios)
	}
	return err
}

// planWrong returns an error for a scenario that doesn't come out as the plan says where there is no pooler: PostgreSQL
// is what all are held against. What isn't shown contradicts no plan.
func planWrong(all []result.Scenario) error {
	for _, s := range all {
		if step := s.ShownBy(); step != nil && s.Outcome != result.NotShown {
			wanted := "no error"
			if step.Sees != nil {
				wanted = *step.Sees
			}
			return fmt.Errorf("the plan is wrong: scenario %s, step %d, %s: without a pooler the answer is %q, the plan has %q",
				s.Name, s.Shown, step.Does, step.Saw, wanted)
		}
	}
	return nil
}
