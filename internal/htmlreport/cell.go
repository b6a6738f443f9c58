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

// ratioCell is the ratio to the direct path's within each group of a pair or within each block, with its interval where
// there are groups or blocks enough.
func ratioCell(run *result.Run, f metric.Metric, c *result.Cell) Cell {
	to := run.Direct(c)
	if to == nil || to == c {
		return Cell{Class: "number"}
	}
	r := outcome.RatioOf(run, f, c, to)
	if r.N == 0 {
		return Cell{Text: "-", Class: "number"}
	}
	cell := Cell{Text: metric.RatioText(r.Center), Class: "number"}
	if r.Flagged {
		cell.Text += "*"
	}
	if r.Known() {
		cell.Note = r.Text(metric.RatioText)
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
