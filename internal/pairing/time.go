package pairing

import (
	"time"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// What a pair takes beside its groups and the warm-up of its clients: links and servers are prepared, both paths are
// proved, two slots find how long an iteration takes, and counts are compared.
const beside = 4 * time.Second

// shortestGroup is how long four slots take at least: of each, the mean lead, the shortest counted part, and some
// milliseconds in which iterations end.
const shortestGroup = 4 * (125 + 230 + 15) * time.Millisecond

// Time is how long a pair of these cells takes at least, when it stops at the fewest groups that give an interval, and
// at most.
func Time(p result.Pair, cells []lesson.Cell) (least, most time.Duration) {
	warmup := 0.0
	for _, c := range cells {
		if c.ID == p.Of || c.ID == p.To {
			warmup = max(warmup, c.Warmup)
		}
	}
	groups := time.Duration(p.AtMost * float64(time.Second))
	least = min(groups, outcome.FewestGroups*shortestGroup)
	extra := beside + time.Duration(warmup*float64(time.Second))
	return least + extra, groups + extra
}
