package htmlreport

import (
	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// figureCell is a cell's figure with its interval, and a star where it is flagged; or how often its one session was on
// the standby, in place of a median.
func figureCell(f metric.Metric, c *result.Cell) Cell {
	p, ok := pointOf(f, c)
	switch {
	case ok:
		return pointCell(p)
	case f.Drawn(c) != "":
		return Cell{Text: "standby in " + f.Drawn(c) + " repeats", Class: "number"}
	case c.Status == result.Failed:
		return Cell{Text: "failed", Class: "number"}
	}
	return Cell{Text: "-", Class: "number"}
}

// ratioCell is the ratio to the direct path's within each block, with its interval where there are blocks enough.
func ratioCell(f metric.Metric, c, to *result.Cell) Cell {
	if to == nil || to == c {
		return Cell{Class: "number"}
	}
	ratios := f.Ratios(c, to)
	v, ok := metric.Middle(ratios)
	if !ok {
		return Cell{Text: "-", Class: "number"}
	}
	cell := Cell{Text: metric.RatioText(v), Class: "number"}
	if len(f.Flags(c))+len(f.Flags(to)) > 0 {
		cell.Text += "*"
	}
	if sum := outcome.Summary(ratios); sum.Known() {
		cell.Note = sum.Text(metric.RatioText)
	}
	return cell
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
