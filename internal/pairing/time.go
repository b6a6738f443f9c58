package pairing

import (
	"time"

	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// shortestGroup is how long four slots take at least: of each, the mean lead, the shortest counted part, and some
// milliseconds in which iterations end.
const shortestGroup = 4 * (150 + 300 + 15) * time.Millisecond

// Least is how long the groups of a pair take at least: it stops at the fewest that give an interval.
func Least(p result.Pair) time.Duration {
	return min(outcome.EarliestGroups*shortestGroup, time.Duration(p.AtMost*float64(time.Second)))
}
