package k6run

import (
	"encoding/json"
	"fmt"

	"pooler-lab/k6/summary"
)

// A Pair is what k6/lib/lab.js is told of two cells whose clients alternate, slot by slot, in one k6.
type Pair struct {
	Cells  [summary.Sides]Cell `json:"cells"`
	SlotMS float64             `json:"slot_ms"`          // counted part of each slot; 0 has k6 choose it
	AtMost float64             `json:"at_most_seconds"`  // from the first group to the last
	Fewest int                 `json:"fewest_groups"`    // that have to fit into it, or the pair is too slow; 0: any
	End    float64             `json:"deadline_seconds"` // of the whole script
	Seed   uint32              `json:"seed"`             // of the order of the slots in each group
	// Groups is the file to which each group is added as it is complete: a line of JSON, see summary.Group.
	Groups string `json:"groups_file"`
	// Stop is a file that doesn't exist: once it does, k6 ends after the group under way.
	Stop string `json:"stop_file"`

	// Passwords of the two cells' roles; they stand in the environment, not in the pair.
	Passwords [summary.Sides]string `json:"-"`
}

// Env is the environment that tells k6 of the pair: LAB_PAIR, and LAB_PAIR_PASSWORDS as a list.
func (p Pair) Env() ([]string, error) {
	for i := range p.Cells {
		if len(p.Cells[i].Params) == 0 {
			p.Cells[i].Params = json.RawMessage("{}")
		}
	}
	text, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("write the pair for k6: %w", err)
	}
	passwords, err := json.Marshal(p.Passwords)
	if err != nil {
		return nil, fmt.Errorf("write the pair's passwords for k6: %w", err)
	}
	return []string{"LAB_PAIR=" + string(text), "LAB_PAIR_PASSWORDS=" + string(passwords)}, nil
}
