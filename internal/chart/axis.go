package chart

import (
	"math"
	"strconv"

	"github.com/aclements/go-moremath/scale"
)

// An axis places numbers between two ends of a drawing.
type axis struct {
	scale    scale.Quantitative
	from, to float64 // coordinates of its least and its greatest number
}

// least share of a logarithmic axis: what lies closer together is drawn as if its ends were this much apart.
const leastSpan = 1.2

// newAxis makes one that holds the numbers from least to most; a linear one begins at 0 and ends at a round number.
func newAxis(log bool, least, most, from, to float64) axis {
	if log {
		if most/least < leastSpan {
			least, most = least/leastSpan, most*leastSpan
		}
		s, err := scale.NewLog(least, most, 10)
		if err == nil {
			return axis{&s, from, to}
		}
	}
	s := scale.Linear{Min: 0, Max: most}
	s.Nice(scale.TickOptions{Max: maxTicks})
	return axis{&s, from, to}
}

// maxTicks is how many lines an axis has at most.
const maxTicks = 6

func (a axis) at(v float64) float64 { return a.from + a.scale.Map(v)*(a.to-a.from) }

// ticks are the numbers that the axis is drawn with.
func (a axis) ticks() []float64 {
	major, minor := a.scale.Ticks(scale.TickOptions{Max: maxTicks})
	if _, log := a.scale.(*scale.Log); log && len(major) < 3 {
		return thinned(minor)
	}
	return major
}

// thinned keeps of a decade's numbers those that begin with 1, 2 and 5.
func thinned(ticks []float64) []float64 {
	var kept []float64
	for _, t := range ticks {
		switch lead := math.Round(t / math.Pow(10, math.Floor(math.Log10(t)+1e-9))); lead {
		case 1, 2, 5:
			kept = append(kept, t)
		}
	}
	return kept
}

// tickText writes a tick's number as short as it can be: 0.05, 2, 10 000.
func tickText(v float64) string { return Grouped(strconv.FormatFloat(v, 'f', -1, 64)) }
