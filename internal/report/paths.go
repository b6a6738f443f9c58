package report

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"pooler-lab/internal/chart"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// paths draws the paths that the run took, with the round trips that it measured.
func paths(run *result.Run) chart.Drawing {
	var rows []chart.Path
	for _, p := range run.Paths {
		if len(p.Services) == 0 {
			continue
		}
		if p.Unavailable != "" {
			rows = append(rows, chart.Path{Name: p.Name, Off: p.Unavailable})
			continue
		}
		links := linksOf(run, p.Name)
		for _, link := range links {
			rows = append(rows, pathOf(run, p, link))
		}
		if len(links) == 0 {
			rows = append(rows, pathOf(run, p, ""))
		}
	}
	if len(rows) == 0 {
		return chart.Drawing{}
	}
	d := chart.Paths("paths-drawing", rows)
	d.Description = describe(rows)
	return d
}

// linksOf are the links that the run put latency on for the path's cells.
func linksOf(run *result.Run, path string) []string {
	var links []string
	for _, c := range run.Cells {
		if c.Path == path && c.Link != "" && !slices.Contains(links, c.Link) {
			links = append(links, c.Link)
		}
	}
	return links
}

// pathOf is a path with the link of it that latency was put on, if any.
func pathOf(run *result.Run, p result.Path, link string) chart.Path {
	row := chart.Path{Name: p.Name, Stops: stops(p)}
	if link != "" {
		from, _, _ := strings.Cut(link, "-")
		row.Link = 1
		if from != "client" {
			row.Link = 2
		}
	}
	trips := map[int][]float64{}
	var plain []float64
	for i := range run.Cells {
		c := &run.Cells[i]
		switch {
		case c.Path != p.Name:
		case !c.Latency.Proxied():
			plain = append(plain, roundTrips(c)...)
		case c.Link == link:
			trips[c.Latency.MS()] = append(trips[c.Latency.MS()], roundTrips(c)...)
		}
	}
	if v, ok := metric.Middle(plain); ok {
		row.Plain = trip(v)
	}
	row.Measured = tripTexts(trips)
	return row
}

// stops are what the path goes through, the client first.
func stops(p result.Path) []string {
	stops := []string{"client"}
	for _, s := range p.Services {
		stops = append(stops, strings.TrimSuffix(s, "-near-app"))
	}
	if p.Balances && len(stops) > 3 {
		stops = append(stops[:2], strings.Join(stops[2:], " + "))
	}
	return stops
}

// tripTexts say what was set on a link and what was measured: "0 → 0.14", "10 → 10.9".
func tripTexts(trips map[int][]float64) []string {
	var parts []string
	for _, ms := range slices.Sorted(maps.Keys(trips)) {
		if v, ok := metric.Middle(trips[ms]); ok {
			parts = append(parts, strconv.Itoa(ms)+" → "+trip(v))
		}
	}
	return parts
}

// trip writes a round trip shorter than tables do: there is little room on a link.
func trip(ms float64) string {
	if ms < 1 {
		return strconv.FormatFloat(ms, 'f', 2, 64)
	}
	return chart.Number(ms)
}

// describe says what the picture of the paths shows.
func describe(rows []chart.Path) string {
	var all []string
	for _, row := range rows {
		text := row.Name + ": " + strings.Join(row.Stops, " to ")
		switch {
		case row.Off != "":
			text = row.Name + ": not available"
		case len(row.Measured) > 0:
			text += ", milliseconds of round trip set and measured " + strings.Join(row.Measured, ", ")
		}
		if row.Plain != "" {
			text += ", " + row.Plain + " ms without proxy"
		}
		all = append(all, text)
	}
	return strings.Join(all, ". ") + "."
}
