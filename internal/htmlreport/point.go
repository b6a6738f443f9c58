package htmlreport

import (
	"cmp"

	"pooler-lab/internal/chart"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// pointOf is the cell's figure: its median, and the interval of that where it ran often enough. A cell of a pair need
// not have run often: what its comparisons show rests on the pair's groups.
func pointOf(f metric.Metric, c *result.Cell) (chart.Point, bool) {
	if c == nil {
		return chart.Point{}, false
	}
	values := f.Values(c)
	if f.Unit == "share" {
		for i := range values {
			values[i] *= 100
		}
	}
	sum := outcome.Summary(values)
	point := chart.Point{Value: sum.Center, Once: !sum.Known() && c.Paired == 0, Flagged: len(f.Flags(c)) > 0}
	if sum.Known() {
		point.Lo, point.Hi = sum.Lo, sum.Hi
	}
	return point, sum.N > 0
}

// dataOf is a chart as a table.
func dataOf(c chart.Chart) Table {
	t := Table{Caption: c.Title + ": " + c.Y, Head: heads(c.X)}
	for _, s := range c.Series {
		t.Head = append(t.Head, Head{Text: cmp.Or(s.Name, c.Y), Number: true})
	}
	for i, place := range c.Places {
		row := Row{Cells: words(place.Name)}
		for _, s := range c.Series {
			cell := Cell{Text: "-", Class: "number"}
			for _, p := range s.Points {
				if p.Place == i {
					cell = pointCell(p)
				}
			}
			row.Cells = append(row.Cells, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// pointCell is a figure with its interval, as a table has it.
func pointCell(p chart.Point) Cell {
	cell := Cell{Text: chart.Number(p.Value), Class: "number"}
	if p.Flagged {
		cell.Text += "*"
	}
	if p.Hi > p.Lo {
		cell.Note = chart.Number(p.Lo) + " to " + chart.Number(p.Hi)
	}
	return cell
}
