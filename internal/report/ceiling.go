package report

import (
	"slices"

	"pooler-lab/internal/chart"
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// ceilings are lines of clients / round trip, one for each number of clients: with one statement under way for each
// client, no path can do more.
func (p *plot) ceilings(values []lesson.Value) (all []chart.Series) {
	clients, err := lesson.DimensionNamed("clients")
	if err != nil {
		return nil
	}
	counts := result.Values(clients, p.cells)
	for _, count := range counts {
		s := chart.Series{Name: "clients / round trip", Limit: true}
		cells := p.cells
		if several := p.X != clients.Name && len(counts) > 1; several {
			s.Name = said(clients, count) + " / round trip"
			cells = slices.DeleteFunc(slices.Clone(cells), func(c *result.Cell) bool { return !has(c, clients, count) })
		}
		for i, x := range values {
			if most := p.most(x, cells); most > 0 {
				s.Points = append(s.Points, chart.Point{Place: i, Value: most})
			}
		}
		if all = append(all, s); p.X == clients.Name {
			break
		}
	}
	return all
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
