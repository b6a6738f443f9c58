package report

import (
	"math"
	"slices"

	"pooler-lab/internal/metric"
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

// roundTripOf is the median round trip of the repeats that count, or where one of them is flagged for it the one
// that is furthest from what was asked, starred.
func roundTripOf(cells ...*result.Cell) string {
	var values []float64
	furthest, worst := 0.0, 0.0
	for _, c := range cells {
		for _, r := range c.Repeats {
			if r.Status != result.OK || r.RoundTrip == nil {
				continue
			}
			values = append(values, r.RoundTrip.MeasuredMS)
			off := math.Abs(r.RoundTrip.MeasuredMS - r.RoundTrip.SetMS)
			if r.Flagged("latency") && off > furthest {
				furthest, worst = off, r.RoundTrip.MeasuredMS
			}
		}
	}
	if furthest > 0 {
		return metric.Number(worst) + "*"
	}
	if v, ok := metric.Middle(values); ok {
		return metric.Number(v) + " "
	}
	return "- "
}

// errorOf is the most frequent error of the cell's repeats, with a count of 0 where there was none.
func errorOf(c *result.Cell) (most result.Error) {
	for _, r := range c.Repeats {
		if r.Measured == nil {
			continue
		}
		for _, e := range r.Measured.Errors {
			if e.Count > most.Count {
				most = e
			}
		}
	}
	return most
}
