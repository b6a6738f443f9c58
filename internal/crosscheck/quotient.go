package crosscheck

import (
	"math"
	"math/rand/v2"
	"slices"

	"pooler-lab/internal/outcome"
)

// resamples are how often the bootstrap draws.
const resamples = 4000

// quotient returns the median of above divided by that of below. The two were measured apart from each other, so its
// interval is a bootstrap's: both lists are drawn anew over and over, and 95 of 100 quotients lie within it.
func quotient(above, below []float64) outcome.Interval {
	found := outcome.Interval{N: min(len(above), len(below)), Lo: math.Inf(-1), Hi: math.Inf(1)}
	if found.N == 0 {
		return found
	}
	found.Center = middle(above) / middle(below)
	if found.N < outcome.Fewest {
		return found
	}
	draw := rand.New(rand.NewPCG(1, 2)) // the same figures have the same interval
	quotients := make([]float64, resamples)
	for i := range quotients {
		quotients[i] = medianOf(redrawn(draw, above)) / medianOf(redrawn(draw, below))
	}
	slices.Sort(quotients)
	found.Lo, found.Hi = quotients[resamples*25/1000], quotients[resamples*975/1000]
	return found
}

// redrawn draws as many values as there are, each of them as often as it comes.
func redrawn(draw *rand.Rand, values []float64) []float64 {
	drawn := make([]float64, len(values))
	for i := range drawn {
		drawn[i] = values[draw.IntN(len(values))]
	}
	return drawn
}

// medianOf returns the median, and sorts the values.
func medianOf(values []float64) float64 {
	slices.Sort(values)
	half := len(values) / 2
	if len(values)%2 == 1 {
		return values[half]
	}
	return (values[half-1] + values[half]) / 2
}
