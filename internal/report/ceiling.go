package report

import (
	"pooler-lab/internal/chart"
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
	"pooler-lab/internal/shared"
)

// ceilings are lines of clients / round trip, one for each number of clients: with one statement under way for each
// client, no path can do more.
func (p *plot) ceilings(spots []spot) (all []chart.Series) {
	clients, err := lesson.DimensionNamed("clients")
	if err != nil {
		return nil
	}
	counts := result.Values(clients, p.cells)
	several := p.X != clients.Name && len(counts) > 1
	if !several {
		counts = counts[:min(1, len(counts))]
	}
	for _, count := range counts {
		s := chart.Series{Name: "clients / round trip", Limit: true}
		if several {
			s.Name = clients.Said(count) + " / round trip"
		}
		for i, at := range spots {
			most := 0.0 // with the shortest round trip that a path measured there
			for _, c := range p.cells {
				trip, ok := shared.Median(roundTrips(c))
				if ok && trip > 0 && p.at(c, at.x) && (!several || has(c, clients, count)) {
					most = max(most, 1000*float64(c.Clients)/trip)
				}
			}
			if most > 0 {
				s.Points = append(s.Points, chart.Point{Place: i, Value: most})
			}
		}
		all = append(all, s)
	}
	return all
}
