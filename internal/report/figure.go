package report

import (
	"slices"

	"pooler-lab/internal/chart"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
	"pooler-lab/internal/shared"
)

// write writes a figure of the metric without its unit: see metric.Metric.Text.
func write(f metric.Metric) func(float64) string {
	return func(v float64) string { return chart.Grouped(f.Text(v)) }
}

// unit is the metric's in a heading; TPS says its own.
func unit(f metric.Metric) string {
	if f.Name == "tps" {
		return ""
	}
	return f.ShownUnit()
}

// figureField is a cell's figure with its interval, starred where it is flagged; or how often its one session was on
// the standby, in place of a median.
func figureField(f metric.Metric, c *result.Cell) Field {
	cell := Field{Text: "-"}
	if c == nil {
		return cell
	}
	sum, drawn := outcome.Summary(f.Values(c)), f.Drawn(c)
	switch {
	case sum.N > 0:
		cell.Text = write(f)(sum.Center)
	case drawn != "":
		cell.Text, cell.Note = drawn, "repeats on the standby"
	case c.Status == result.Failed:
		cell.Note = "failed"
		return cell
	default:
		return cell
	}
	if sum.Known() {
		cell.Note = sum.Text(write(f))
	}
	cell.Flags = f.Flags(c)
	return cell
}

// ratioField is the ratio to the direct path's figure, with its interval where there is one.
func ratioField(run *result.Run, f metric.Metric, c *result.Cell) Field {
	to := run.Direct(c)
	r := outcome.RatioOf(run, f, c, to)
	switch {
	case to == nil || to == c:
		return Field{}
	case r.N == 0:
		return Field{Text: "-"}
	}
	cell := Field{Text: metric.RatioText(r.Center)}
	if r.Flagged {
		cell.Flags = slices.Concat(f.Flags(c), f.Flags(to))
	}
	if r.Known() {
		cell.Note = r.Text(metric.RatioText)
	}
	return cell
}

// roundTripField is the median round trip of the repeats that count; or where one of them is flagged for it, the one
// that is furthest from what was set.
func roundTripField(c *result.Cell) Field {
	cell := Field{Text: "-"}
	if v, ok := shared.Median(roundTrips(c)); ok {
		cell.Text = chart.Number(v)
	}
	if t := outcome.Furthest(c); t != nil && slices.Contains(c.Flags(), result.FlagLatency) {
		cell.Text, cell.Flags = chart.Number(t.MeasuredMS), []result.FlagKind{result.FlagLatency}
	}
	return cell
}

// roundTrips are those of the cell's repeats that count.
func roundTrips(c *result.Cell) []float64 {
	var all []float64
	for _, r := range c.Repeats {
		if r.Status == result.OK && r.RoundTrip != nil {
			all = append(all, r.RoundTrip.MeasuredMS)
		}
	}
	return all
}

// counting is how many repeats of the cell count.
func counting(c *result.Cell) (n int) {
	for _, r := range c.Repeats {
		if r.Status == result.OK {
			n++
		}
	}
	return n
}
