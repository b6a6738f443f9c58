package report

import (
	"slices"

	"pooler-lab/internal/result"
)

// flagsOf are the words of all flags of the cell's repeats that count.
func flagsOf(c *result.Cell) []string {
	var words []string
	for _, r := range c.Repeats {
		for _, f := range r.Flags {
			if r.Status == result.OK && !slices.Contains(words, f.Word) {
				words = append(words, f.Word)
			}
		}
	}
	return words
}

// errorsOf is how many errors the cell's repeats had, those that don't count included.
func errorsOf(c *result.Cell) (n int64) {
	for _, r := range c.Repeats {
		if r.Measured != nil {
			n += errorsIn(r.Measured)
		}
	}
	return n
}

// roundTripOf is the median round trip of the cell's repeats that count.
func roundTripOf(cells ...*result.Cell) string {
	var values []float64
	for _, c := range cells {
		for _, r := range c.Repeats {
			if r.Status == result.OK && r.RoundTrip != nil {
				values = append(values, r.RoundTrip.MeasuredMS)
			}
		}
	}
	if v, ok := middle(values); ok {
		return number(v)
	}
	return "-"
}
