package web

import (
	"math"

	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
)

// reach is the largest ratio that a scale shows, and 1/reach the smallest; what lies beyond stands at its end.
const reach = 20

// A ratioScale is a ratio and a guess of it drawn on one line, 240 x 28, whose middle is 1.
type ratioScale struct {
	Says       string
	Seen, Band bool
	Sure       bool // a verdict rests on it
	Guessed    bool
	At, Lo, Hi float64
	Guess      float64
}

func scale(verdict map[string]any, guess any) ratioScale {
	s := ratioScale{Says: "not measured"}
	at := func(v any) (float64, bool) {
		ratio, ok := v.(float64)
		if !ok || ratio <= 0 {
			return 0, false
		}
		return math.Round(10*(120+116*max(-1, min(1, math.Log(ratio)/math.Log(reach))))) / 10, true
	}
	if s.At, s.Seen = at(verdict["ratio"]); s.Seen {
		s.Says = "measured " + ratio(verdict["ratio"])
	}
	s.Sure = sure(verdict)
	lo, hasLo := at(verdict["lo"])
	hi, hasHi := at(verdict["hi"])
	s.Lo, s.Hi, s.Band = lo, hi, hasLo && hasHi
	if s.Guess, s.Guessed = at(guess); s.Guessed {
		s.Says += ", guessed " + ratio(guess)
	}
	return s
}

// outcomeOf is the outcome of a comparison, empty where it has none.
func outcomeOf(verdict map[string]any) outcome.Outcome {
	word, _ := verdict["word"].(string)
	return outcome.Outcome(word)
}

// sure says whether something rests on a verdict.
func sure(verdict map[string]any) bool {
	return outcomeOf(verdict).Concludes()
}

// unsaid says whether all that was asked of a run can't be said. Fewer repeats than a claim needs are another matter.
func unsaid(verdicts any) bool {
	asked := false
	all, _ := verdicts.([]any)
	for _, v := range all {
		verdict, _ := v.(map[string]any)
		switch outcomeOf(verdict) {
		case outcome.Inconclusive:
			asked = true
		case outcome.NotInThisRun:
		default:
			return false
		}
	}
	return asked
}

// missed says how far a guess is off, "" where there is nothing to compare.
func missed(verdict map[string]any, guess any) string {
	said, guessed := guess.(float64)
	seen, measured := verdict["ratio"].(float64)
	if !guessed || !measured || said <= 0 || seen <= 0 {
		return ""
	}
	lo, hasLo := verdict["lo"].(float64)
	hi, hasHi := verdict["hi"].(float64)
	switch {
	case hasLo && hasHi && said >= lo && said <= hi:
		return "within the interval"
	case said > seen:
		return metric.Number(said/seen) + " times too much"
	}
	return metric.Number(seen/said) + " times too little"
}

// ratio writes one as reports do.
func ratio(v any) string {
	r, ok := v.(float64)
	if !ok {
		return "-"
	}
	return metric.RatioText(r)
}

// guessed is what the run's prediction says of a headline, nil where it says nothing.
func guessed(run map[string]any, headline any) any {
	prediction, _ := run["prediction"].(map[string]any)
	guesses, _ := prediction["headlines"].(map[string]any)
	name, _ := headline.(string)
	return guesses[name]
}
