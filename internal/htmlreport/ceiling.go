package htmlreport

import (
	"pooler-lab/internal/chart"
	"pooler-lab/internal/metric"
)

// ceilings are lines of clients / round trip, one for each number of clients: with one statement under way for each
// client, no path can do more.
func (p *plot) ceilings(values []any) []chart.Series {
	counts := valuesOf(p.cells, "clients")
	if p.X == "clients" {
		counts = []any{nil}
	}
	var all []chart.Series
	for _, clients := range counts {
		s := chart.Series{Name: "clients / round trip", Limit: true}
		if len(counts) > 1 {
			s.Name = said("clients", clients) + " / round trip"
		}
		for i, at := range values {
			if v, ok := p.limit(at, clients); ok {
				s.Points = append(s.Points, chart.Point{Place: i, Value: v})
			}
		}
		all = append(all, s)
	}
	return all
}

// limit is the most that the clients can do at a place, with the shortest round trip that a path measured there.
func (p *plot) limit(x, clients any) (float64, bool) {
	most := 0.0
	for _, c := range p.cells {
		if !same(fieldOf(c, p.X), x) || clients != nil && !same(fieldOf(c, "clients"), clients) {
			continue
		}
		if trip, ok := metric.Middle(roundTrips(c)); ok && trip > 0 {
			most = max(most, 1000*float64(c.Clients)/trip)
		}
	}
	return most, most > 0
}
