package shared

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// The lead of a slot is what isn't measured at its beginning. A container that was idle has a whole period of its CPU
// limit to spend, which is 100 ms. One that reaches its limit works at the beginning of each period and then stands
// still, and the slot before ends as it goes on: the slots begin with the periods. Leads of random length, drawn from a
// whole period, have the measured part begin anywhere in it. Then it holds the container's share on average, whatever
// the limit. It begins anywhere in an iteration, too, though all clients begin theirs at once.
const (
	LeastLead = Period
	MostLead  = 2 * Period
)

// The measured part of a slot is as short as its iterations allow: the more groups, the better drift cancels out. It is
// whole periods of CPU limits: wherever in a period it begins, it holds as much CPU time of a container at its limit as
// any other slot. A third of a period more holds all of another period's share, some of it, or none.
const (
	Period            = 100 * time.Millisecond
	LeastSlot         = 3 * Period
	MostSlot          = 9 * Period
	IterationsPerSlot = 20
)

// A SlotSide is one of the two whose slots alternate.
type SlotSide struct {
	Name      string        // how an error calls it, such as: an iteration of direct
	Iteration time.Duration // how long one takes
}

// FitSlots returns how long the measured part of the sides' slots is: as wanted, or as short as the slower side's
// iterations allow where that is 0. Its error says why slots don't fit: an iteration is too slow, or that many groups
// take longer than is allowed (0: any time will do).
func FitSlots(wanted time.Duration, sides [2]SlotSide, groups int, atMost time.Duration) (time.Duration, error) {
	slower := slices.MaxFunc(sides[:], func(a, b SlotSide) int { return cmp.Compare(a.Iteration, b.Iteration) })
	length := max(LeastSlot, (IterationsPerSlot*slower.Iteration + Period - 1).Truncate(Period))
	if wanted > 0 {
		length = wanted
	} else if length > MostSlot {
		return 0, fmt.Errorf("%s takes %v: %d of them don't fit into a slot of %v",
			slower.Name, slower.Iteration.Round(time.Millisecond), IterationsPerSlot, MostSlot)
	}
	// After each of a group's four slots, the iterations that it began end.
	group := 4*(length+(LeastLead+MostLead)/2) + 2*(sides[0].Iteration+sides[1].Iteration)
	if take := time.Duration(groups) * group; atMost > 0 && take > atMost {
		return 0, fmt.Errorf("%d groups of slots of %v take %.0f s, and %g s are allowed",
			groups, length, take.Seconds(), atMost.Seconds())
	}
	return length, nil
}
