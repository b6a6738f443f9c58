package shared

import (
	"math"
	"time"
)

// Bounds of a Trend: of values without one, 10 of 100 are beyond Slight and one is beyond Clear, in either direction.
const (
	Slight = 1.645
	Clear  = 2.58
)

// Trend says how surely values rise in the order in which they were measured, or fall where it is below 0: the z of
// Mann's test (Econometrica 13, 1945), which is Kendall's tau against time. It asks which of two values is larger, and
// not by how much, so that an outlier counts little.
func Trend(values []float64) float64 {
	n, rising := float64(len(values)), 0.0
	for i, early := range values {
		for _, late := range values[i+1:] {
			switch {
			case late > early:
				rising++
			case late < early:
				rising--
			}
		}
	}
	if rising == 0 {
		return 0
	}
	return (rising - math.Copysign(1, rising)) / math.Sqrt(n*(n-1)*(2*n+5)/18)
}

// SteadyFrom is the index of the first of the values that are steady. So many are left out that the others, of which
// there have to be fewest, have no trend beyond the bound; and then as many again, for what is left of a trend once it
// is no larger than the scatter. It is len(values) where that leaves none.
func SteadyFrom(values []float64, bound float64, fewest int) int {
	for from := 0; len(values)-from >= fewest; from++ {
		if math.Abs(Trend(values[from:])) <= bound {
			return min(2*from, len(values))
		}
	}
	return len(values)
}

// Ends are the medians of the first third of the values, and of the last.
func Ends(values []float64) (first, last float64) {
	third := max(1, len(values)/3)
	first, _ = Median(values[:third])
	last, _ = Median(values[len(values)-third:])
	return first, last
}

// A Drift is what values were at first and at the end, by their Ends; the zero Drift is none.
type Drift struct{ First, Last float64 }

// DriftOf is the drift of values whose trend is beyond Clear, and none of others.
func DriftOf(values []float64) (d Drift) {
	if math.Abs(Trend(values)) > Clear {
		d.First, d.Last = Ends(values)
	}
	return d
}

// Tick is the time for which SteadyRate has a count. A CPU limit of Docker's is dealt out once in a tick: a container
// at its limit works for a part of it and then stands still.
const Tick = 100 * time.Millisecond

// LeastTicks is how many counts a steady rate has at least.
const LeastTicks = 10

const (
	mostParts = 10 // in which a trend is looked for
	leastDone = 50 // in all of them: fewer show no trend
)

// SteadyRate says whether clients iterate at a steady rate, by how many iterations ended in each Tick since all of them
// were at work. The first half of that time doesn't count. In the second half there is no trend beyond Slight, or too
// little was done to show one.
func SteadyRate(counts []int64) bool {
	if len(counts) < LeastTicks {
		return false
	}
	late := counts[len(counts)/2:]
	rates, done := make([]float64, min(mostParts, len(late))), int64(0)
	for i := range rates {
		part := late[i*len(late)/len(rates) : (i+1)*len(late)/len(rates)]
		for _, n := range part {
			done += n
			rates[i] += float64(n) / float64(len(part))
		}
	}
	return done < leastDone || math.Abs(Trend(rates)) <= Slight
}
