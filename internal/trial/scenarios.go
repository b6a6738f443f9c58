package trial

import (
	"context"
	"fmt"

	"pooler-lab/internal/result"
	"pooler-lab/internal/scenario"
	"pooler-lab/internal/topology"
)

// carryOutScenarios is the load of a cell that has scenarios.
func (lab *Lab) carryOutScenarios(ctx context.Context, t *Trial) (err error) {
	s := t.Sides[0]
	at := scenario.Place{DSN: s.Route.DSN(), Password: topology.Password(s.Cell.Role)}
	at.Shared = s.Route.Pools == "transaction" || s.Route.Pools == "statement"
	at.Keeps = at.Shared || len(s.Cell.Settings) > 0
	s.Out.Scenarios, err = scenario.Run(ctx, at, t.scenarios())
	if len(s.Cell.Settings) == 0 { // documentation is of what is usual
		for i := range s.Out.Scenarios {
			s.Out.Scenarios[i].Documented = result.DocumentedOn(s.Cell.Path, t.scenarios()[i].Documented)
		}
	}
	if s.Route.Pools == "none" && err == nil {
		err = planWrong(s.Out.Scenarios)
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
