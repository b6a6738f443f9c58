package metric

import (
	"slices"

	"pooler-lab/internal/result"
)

// RoundTripMeaning says what a round trip is, and why it is longer than what was set where something was.
func RoundTripMeaning(run *result.Run) string {
	text := "a SELECT 1 on a warm connection of that path, before load, median"
	if slices.ContainsFunc(run.Cells, func(c result.Cell) bool { return c.Latency.MS() > 0 }) {
		text += "; toxiproxy's timers and its own hop add to what is set, so 10 ms measure about 10.7"
	}
	return text
}
