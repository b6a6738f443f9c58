package run

import (
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

// A warm-up that was too short is made longer: so many times, and so many seconds at least.
const (
	longerTimes = 4
	longerLeast = 2.0
)

// tooShort says whether clients got ready only after the window had opened, so that more time would have helped, in a
// cell that can be given more: that happens once, and not where somebody asked for this warm-up. Clients that never get
// ready, such as those that a session pool starves, are no reason.
func (r *runner) tooShort(c lesson.Cell, out *result.Repeat) bool {
	return out.Measured != nil && out.Measured.ClientsLate > 0 && c.Transactions == 0 &&
		!r.lengthened[c.ID] && r.doc.Lesson.Override.Warmup == nil
}

// lengthen gives the cell at i a longer warm-up for the attempt and the repeats to come: its author chose the one it has
// on a machine where that was enough. left is how many of them there are.
func (r *runner) lengthen(i, left int) {
	c := &r.scheduled[i]
	before := c.Warmup
	c.Warmup = max(longerTimes*before, longerLeast)
	r.lengthened[c.ID] = true
	r.progress.longer((c.Warmup-before)*float64(left), *c)
}

// connections is how many the cell's clients open.
func connections(c lesson.Cell) int {
	if c.Instances > 0 {
		return c.Instances * c.InstancePool
	}
	return c.Clients
}
