package report

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"pooler-lab/internal/chart"
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
	"pooler-lab/internal/shared"
	"pooler-lab/internal/topology"
)

// A TakenPath is a path as the run took it: with the link of it that latency was put on, if any.
type TakenPath struct {
	Name  string
	Stops []Stop // what it goes through, from the client on
	Plain string // round trip without the proxy in ms, "" where it wasn't measured
	Off   string // why none of it was measured
}

// A Stop is one with the hop that leads to it.
type Stop struct {
	Name, Class string
	Slow        bool   // latency was put on the hop
	Trips       string // those set on it and measured, in ms
}

// paths are those that the run took, with the round trips that it measured.
func paths(run *result.Run) (all []TakenPath) {
	for _, p := range run.Paths {
		links := linksOf(run, p.Name)
		switch {
		case len(p.Services) == 0:
		case p.Unavailable != "":
			all = append(all, TakenPath{Name: p.Name, Off: p.Unavailable})
		case len(links) == 0:
			all = append(all, pathOf(run, p, ""))
		default:
			for _, link := range links {
				all = append(all, pathOf(run, p, link))
			}
		}
	}
	return all
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
func pathOf(run *result.Run, p result.Path, link string) TakenPath {
	path := TakenPath{Name: p.Name, Stops: stops(p)}
	trips := map[float64][]float64{}
	var plain []float64
	for _, c := range cellsOf(run) {
		switch {
		case c.Path != p.Name:
		case c.Latency == lesson.None:
			plain = append(plain, roundTrips(c)...)
		case c.Link == link:
			trips[c.Latency.MS()] = append(trips[c.Latency.MS()], roundTrips(c)...)
		}
	}
	if v, ok := shared.Median(plain); ok {
		path.Plain = trip(v)
	}
	if from, _, _ := strings.Cut(link, "-"); link != "" {
		to := 2
		if from == "client" {
			to = 1
		}
		path.Stops[to].Slow, path.Stops[to].Trips = true, tripsText(trips)
	}
	return path
}

// stops are what the path goes through, the client first. Databases of which it leads to any are one.
func stops(p result.Path) []Stop {
	stops := []Stop{{Name: "client"}}
	for _, s := range p.Services {
		class, last := "pooler", &stops[len(stops)-1]
		if topology.IsDatabase(s) {
			class = "node"
		}
		if class == "node" && last.Class == class {
			last.Name += " + " + s
			continue
		}
		stops = append(stops, Stop{Name: strings.TrimSuffix(s, "-near-app"), Class: class})
	}
	return stops
}

// tripsText says what was set on a link and what was measured: "0 → 0.14, 10 → 10.9". No line ends within a pair.
func tripsText(trips map[float64][]float64) string {
	var parts []string
	for _, ms := range slices.Sorted(maps.Keys(trips)) {
		if v, ok := shared.Median(trips[ms]); ok {
			parts = append(parts, strconv.FormatFloat(ms, 'f', -1, 64)+"\u00a0→\u00a0"+trip(v))
		}
	}
	return strings.Join(parts, ", ")
}

// trip writes a round trip shorter than tables do: there is little room on a link.
func trip(ms float64) string {
	if ms < 1 {
		return strconv.FormatFloat(ms, 'f', 2, 64)
	}
	return chart.Number(ms)
}
