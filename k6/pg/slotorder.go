package pg

import (
	"math/rand/v2"
	"slices"
	"time"

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

// The lead of a slot is what isn't measured at its beginning. A container that was idle has a whole period of its CPU
// limit to spend, which is 100 ms. One that reaches its limit works at the beginning of each period and then stands
// still, and the slot before ends as it goes on: the slots begin with the periods. Leads of random length, drawn from a
// whole period, have the measured part begin anywhere in it. Then it holds the container's share on average, whatever
// the limit. It begins anywhere in an iteration, too, though all clients begin theirs at once.
const (
	leastLead = period
	mostLead  = 2 * period
)

// lead draws the lead of the next slot.
func (d *draw) lead() time.Duration {
	return leastLead + time.Duration(d.random.Int64N(int64(mostLead-leastLead)))
}

// The measured part of a slot is as short as its iterations allow: the more groups, the better drift cancels out. It is
// whole periods of CPU limits: wherever in a period it begins, it holds as much CPU time of a container at its limit as
// any other slot. A third of a period more holds all of another period's share, some of it, or none.
const (
	period            = 100 * time.Millisecond
	leastSlot         = 3 * period
	mostSlot          = 9 * period
	iterationsPerSlot = 20
)

// calibrationSlot is the measured part of the slots that find out how long an iteration takes.
const calibrationSlot = 3 * period

// slotFor returns the shortest measured part that holds enough iterations of the slower side; 0 where none does.
func slotFor(medians [summary.Sides]time.Duration) time.Duration {
	wanted := iterationsPerSlot * slices.Max(medians[:])
	for length := leastSlot; length <= mostSlot; length += period {
		if length >= wanted {
			return length
		}
	}
	return 0
}

// expected is how long a group of slots of that length takes: after each of the four, iterations end.
func expected(length time.Duration, medians [summary.Sides]time.Duration) time.Duration {
	group := 4 * (length + (leastLead+mostLead)/2)
	for _, iteration := range medians {
		group += 2 * iteration
	}
	return group
}
