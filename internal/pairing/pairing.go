// Package pairing says which of a run's comparisons are measured as pairs: both cells' clients connected and warm in one
// k6, alternating slot by slot. It computes that from the cells; a lesson's author needn't know.
package pairing

import (
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

// A Plan says which cells run side by side, and which comparisons can't.
type Plan struct {
	Pairs    []result.Pair // Planned, in the order in which they are to run; Block counts from 1
	Unpaired []result.Unpaired
	// Cells are those given, with Wanted and Paired set: a cell that only pairs need runs in one block as well, for what
	// only a cell by itself shows (CPU, waits, memory).
	Cells []lesson.Cell
}
