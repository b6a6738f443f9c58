package pairing

import (
	"math"
	"time"

	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// shortestGroup is how long four slots take at least: of each, the mean lead, the shortest counted part, and some
// milliseconds in which iterations end.
const shortestGroup = 4 * (150 + 300 + 15) * time.Millisecond

// leastScatter is by how much the ratios of groups differ on a quiet machine: their standard deviation.
const leastScatter = 0.04

// Least is how long the groups of a pair take at least: until there are enough of them to end early, and for its
// precision, which takes (2 x scatter / precision)^2 of them.
func Least(p result.Pair) time.Duration {
	groups := max(outcome.EarliestGroups, math.Pow(2*leastScatter/p.Until, 2))
	return time.Duration(min(groups*shortestGroup.Seconds(), p.AtMost) * float64(time.Second))
}
