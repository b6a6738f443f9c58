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

func scaleOf(c Comparison, guess *float64) scale {
	s := scale{Label: "not measured"}
	if s.At, s.Seen = position(c.Ratio); s.Seen {
		s.Label = "measured " + ratio(c.Ratio)
	}
	s.Sure = c.Outcome != outcome.CantSay && c.Outcome != outcome.NoInterval
	lo, hasLo := position(c.Lo)
	hi, hasHi := position(c.Hi)
	s.Lo, s.Hi, s.Band = lo, hi, hasLo && hasHi
	if s.Guess, s.Guessed = position(guess); s.Guessed {
		s.Label += ", guessed " + ratio(guess)
	}
	return s
}

// position is where a ratio stands on the line, not ok where there is none.
func position(ratio *float64) (x float64, ok bool) {
	if ratio == nil || *ratio <= 0 {
		return 0, false
	}
	share := math.Log(*ratio) / math.Log(reach)
	return math.Round(10*(120+116*max(-1, min(1, share)))) / 10, true
}

// undecided says whether all that this run compares is inconclusive. Fewer repeats than an interval needs are another
// matter.
func undecided(comparisons []Comparison) bool {
	measured := false
	for _, c := range comparisons {
		switch c.Outcome {
		case outcome.CantSay:
			measured = true
		case outcome.NotAsked:
		default:
			return false
		}
	}
	return measured
}

// missed says how far a guess is off, "" where there is nothing to compare.
func missed(c Comparison, guess *float64) string {
	if guess == nil || c.Ratio == nil || *guess <= 0 || *c.Ratio <= 0 {
		return ""
	}
	switch {
	case c.Lo != nil && c.Hi != nil && *guess >= *c.Lo && *guess <= *c.Hi:
		return "within the interval"
	case *guess > *c.Ratio:
		return metric.Number(*guess / *c.Ratio) + " times too much"
	}
	return metric.Number(*c.Ratio / *guess) + " times too little"
}

// ratio writes one as reports do.
func ratio(v *float64) string {
	if v == nil {
		return "-"
	}
	return metric.RatioText(*v)
}
