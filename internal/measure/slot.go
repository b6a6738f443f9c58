package measure

import (
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

// SlotFor is the shortest measured part that holds enough iterations of the slower of two sides; 0 where none does.
func SlotFor(iterations [2]time.Duration) time.Duration {
	wanted := IterationsPerSlot * slices.Max(iterations[:])
	for length := LeastSlot; length <= MostSlot; length += Period {
		if length >= wanted {
			return length
		}
	}
	return 0
}

// GroupTakes is how long a group of slots of that length takes: after each of the four, iterations end.
func GroupTakes(length time.Duration, iterations [2]time.Duration) time.Duration {
	group := 4 * (length + (LeastLead+MostLead)/2)
	for _, iteration := range iterations {
		group += 2 * iteration
	}
	return group
}
