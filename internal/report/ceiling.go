package report

import (
	"pooler-lab/internal/chart"
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// ceilings are lines of clients / round trip, one for each number of clients: with one statement under way for each
// client, no path can do more.
func (p *plot) ceilings(values []lesson.Value) []chart.Series {
	clients, err := lesson.DimensionNamed("clients")
	if err != nil {
		return nil
	}
	counts := result.Values(clients, p.cells)
	if p.X == clients.Name || len(counts) == 1 {
		return []chart.Series{p.ceiling("clients / round trip", values, p.cells)}
	}
	var all []chart.Series
	for _, count := range counts {
		var cells []*result.Cell
		for _, c := range p.cells {
			if has(c, clients, count) {
				cells = append(cells, c)
			}
		}
		all = append(all, p.ceiling(said(clients, count)+" / round trip", values, cells))
	}
	return all
}

// ceiling is the most that the cells' clients can do at each place.
func (p *plot) ceiling(name string, values []lesson.Value, cells []*result.Cell) chart.Series {
	s := chart.Series{Name: name, Limit: true}
	for i, x := range values {
		if most := p.most(x, cells); most > 0 {
			s.Points = append(s.Points, chart.Point{Place: i, Value: most})
		}
	}
	return s
}

// most is the most that the cells' clients can do at a place, with the shortest round trip that a path measured there.
func (p *plot) most(x lesson.Value, cells []*result.Cell) (most float64) {
	for _, c := range cells {
		if trip, ok := metric.Middle(roundTrips(c)); ok && trip > 0 && has(c, p.x, x) {
			most = max(most, 1000*float64(c.Clients)/trip)
		}
	}
	return most
}
