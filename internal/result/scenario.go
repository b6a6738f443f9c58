package result

import (
	"slices"

	"pooler-lab/internal/lesson"
)

// A ScenarioOutcome is what became of the state of a client's session.
type ScenarioOutcome string

// They stand from the gravest on. NotShown is where nobody can say what B saw, or that it was on a backend that A had
// used.
const (
	Leaks    ScenarioOutcome = "leaks" // into another client's session
	Lost     ScenarioOutcome = "lost"  // without an error
	Fails    ScenarioOutcome = "fails" // with an error
	NotShown ScenarioOutcome = "not shown"
	Works    ScenarioOutcome = "works"
)

// A Scenario is what became of one of the plan's in a cell.
type Scenario struct {
	Name    string          `json:"name"`
	Outcome ScenarioOutcome `json:"outcome"`
	Shown   int             `json:"shown_by,omitempty"` // the step that shows it, from 1; 0 where all together do
	Why     string          `json:"why,omitempty"`      // it isn't shown
	Steps   []StepTaken     `json:"steps"`              // those that were taken
	// Documented is what documentation says of it, nil where it says nothing.
	Documented *Documented `json:"documented,omitempty"`
}

// Documented is what documentation says of a scenario on the cell's path.
type Documented struct {
	Works  bool   `json:"works"`
	Source string `json:"source"`
}

// Disagrees says whether documentation says another thing than was measured. What isn't shown contradicts nothing.
func (s Scenario) Disagrees() bool {
	return s.Documented != nil && s.Outcome != NotShown && s.Documented.Works != (s.Outcome == Works)
}

// ShownBy is the step that shows the outcome, nil where all together do.
func (s Scenario) ShownBy() *StepTaken {
	if s.Shown == 0 {
		return nil
	}
	return &s.Steps[s.Shown-1]
}

// A StepTaken is a step of a scenario that was taken.
type StepTaken struct {
	Client  string  `json:"client"` // A or B
	Does    string  `json:"does"`
	Sees    *string `json:"must_see,omitempty"`
	Saw     string  `json:"saw"`
	Message string  `json:"message,omitempty"` // of an error
	Backend string  `json:"backend,omitempty"` // that answered: its process ID, and its server's address
}

// DocumentedOn is what documentation says of a scenario on a path, nil where it says nothing.
func DocumentedOn(path string, all []lesson.Documented) *Documented {
	for _, d := range all {
		if works := slices.Contains(d.Works, path); works || slices.Contains(d.DoesNotWork, path) {
			return &Documented{Works: works, Source: d.Source}
		}
	}
	return nil
}
