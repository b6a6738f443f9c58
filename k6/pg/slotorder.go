package pg

import (
	"math/rand/v2"
	"time"

	"pooler-lab/internal/shared"
	"pooler-lab/k6/summary"
)

// orders are those of a group's slots. In both, the sides have the same mean time: a drift of the machine doesn't
// favour one.
var orders = map[string][]int{
	"ABBA": {summary.Of, summary.To, summary.To, summary.Of},
	"BAAB": {summary.To, summary.Of, summary.Of, summary.To},
}

// A draw draws the orders of the groups and the leads of the slots from a seed.
type draw struct {
	random *rand.Rand
	next   string // order that the next group has, "" where it is to be drawn
}

// newDraw returns the draw of that seed; 0 has others each time.
func newDraw(seed uint64) *draw { return &draw{random: seeded(seed)} }

// order returns the order of the next group. Of two groups each order has one, so that after any number of groups
// neither side was first much more often.
func (d *draw) order() string {
	if order := d.next; order != "" {
		d.next = ""
		return order
	}
	if d.random.IntN(2) == 0 {
		d.next = "ABBA"
		return "BAAB"
	}
	d.next = "BAAB"
	return "ABBA"
}

// lead draws the lead of the next slot: see shared.LeastLead.
func (d *draw) lead() time.Duration {
	return shared.LeastLead + time.Duration(d.random.Int64N(int64(shared.MostLead-shared.LeastLead)))
}

// calibrationSlot is the measured part of the slots that find out how long an iteration takes.
const calibrationSlot = 3 * shared.Period
