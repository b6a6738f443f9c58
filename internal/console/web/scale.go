package web

import (
	"math"

	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
)

// reach is the largest ratio that a scale shows, and 1/reach the smallest; what lies beyond stands at its end.
const reach = 20

// A scale is a ratio and a guess of it drawn on one line, 240 x 28, whose middle is 1.
type scale struct {
	Label      string
	Seen, Band bool
	Sure       bool // the outcome rests on it
	Guessed    bool
	At, Lo, Hi float64
	Guess      float64
}

func scaleOf(c outcome.Comparison, guess *float64) scale {
	s := scale{Label: "not measured"}
	if c.Ratio.N > 0 {
		s.At, s.Seen = position(c.Ratio.Center)
	}
	if s.Seen {
		s.Label = "measured " + ratio(c)
	}
	s.Sure = c.Outcome.Concludes()
	if c.Ratio.Known() {
		s.Lo, s.Band = position(c.Ratio.Lo)
		s.Hi, _ = position(c.Ratio.Hi)
	}
	if guess != nil {
		s.Guess, s.Guessed = position(*guess)
	}
	if s.Guessed {
		s.Label += ", guessed " + metric.RatioText(*guess)
	}
	return s
}

// position is where a ratio stands on the line, not ok where it is none.
func position(ratio float64) (x float64, ok bool) {
	if ratio <= 0 {
		return 0, false
	}
	share := math.Log(ratio) / math.Log(reach)
	return math.Round(10*(120+116*max(-1, min(1, share)))) / 10, true
}

// undecided says whether all that this run compares is inconclusive. Fewer repeats than an interval needs are another
// matter.
func undecided(comparisons []outcome.Comparison) bool {
	measured := false
	for _, c := range comparisons {
		switch c.Outcome {
		case outcome.Inconclusive:
			measured = true
		case outcome.NotInThisRun:
		default:
			return false
		}
	}
	return measured
}

// missed says how far a guess is off, "" where there is nothing to compare.
func missed(c outcome.Comparison, guess *float64) string {
	if guess == nil || *guess <= 0 || c.Ratio.N == 0 || c.Ratio.Center <= 0 {
		return ""
	}
	switch {
	case c.Ratio.Known() && *guess >= c.Ratio.Lo && *guess <= c.Ratio.Hi:
		return "within the interval"
	case *guess > c.Ratio.Center:
		return metric.Number(*guess/c.Ratio.Center) + " times too much"
	}
	return metric.Number(c.Ratio.Center / *guess) + " times too little"
}

// ratio writes what was measured as reports do, "-" where nothing was.
func ratio(c outcome.Comparison) string {
	if c.Ratio.N == 0 {
		return "-"
	}
	return metric.RatioText(c.Ratio.Center)
}

// interval writes the interval of a ratio, "" where there is none.
func interval(c outcome.Comparison) string {
	if !c.Ratio.Known() {
		return ""
	}
	return c.Ratio.Text(metric.RatioText)
}

// times writes a ratio of its own, "-" where there is none.
func times(v *float64) string {
	if v == nil {
		return "-"
	}
	return metric.RatioText(*v)
}
