package htmlreport

import (
	"encoding/json"
	"reflect"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// conditionCell is the cell's value of a condition, without the unit where the column's heading says it.
func conditionCell(field string, c *result.Cell) Cell {
	v := fieldOf(c, field)
	if v != nil && (field == "clients" || field == "pods") {
		return Cell{Text: bare(v)}
	}
	return Cell{Text: said(field, v)}
}

// figureCell is a cell's figure with its interval, and a star where it is flagged.
func figureCell(f metric.Metric, c *result.Cell) Cell {
	p, ok := pointOf(f, c)
	switch {
	case ok:
		return pointCell(p)
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

// directOf is the direct path's cell under the same conditions as c, nil where there is none. The size of a pool that
// it doesn't have is no condition.
func directOf(run *result.Run, c *result.Cell) *result.Cell {
	wanted := likeDirect(c)
	for i := range run.Cells {
		if d := &run.Cells[i]; d.Path == "direct" && reflect.DeepEqual(likeDirect(d), wanted) {
			return d
		}
	}
	return nil
}

func likeDirect(c *result.Cell) lesson.Cell {
	l := c.Cell
	l.ID, l.Path, l.Link, l.PoolSize, l.Metrics, l.Fill, l.WaitsHz = "", "", "", 0, nil, false, 0
	if text, err := json.Marshal(l.Params); err == nil {
		l.Params = text
	}
	return l
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
