package run

import (
	"fmt"
	"slices"
	"strings"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/path"
	"pooler-lab/internal/result"
)

// plan is what a lesson comes to in this lab: its cells, and the paths it asked for, those that are off included.
type plan struct {
	lesson *lesson.Lesson
	cells  []lesson.Cell
	paths  []result.Path
}

// makePlan spreads the lesson over the paths of set.
func makePlan(l *lesson.Lesson, set *path.Set) (*plan, error) {
	p := &plan{lesson: l}
	var routes []lesson.Route
	for _, way := range set.Paths {
		routes = append(routes, route(way))
	}
	all, err := l.Cells(routes) // for the paths that are off too: they count as asked for, and their names as known
	if err != nil {
		return nil, err
	}
	off := map[string]bool{}
	for _, way := range set.Paths {
		if !slices.ContainsFunc(all, func(c lesson.Cell) bool { return c.Path == way.Name }) {
			continue
		}
		p.paths = append(p.paths, result.Path{Name: way.Name, Meaning: way.Meaning, Database: way.Database, Unavailable: way.Unavailable(),
			Latencies: latencies(all, way.Name)})
		off[way.Name] = way.Unavailable() != ""
	}
	p.cells = slices.DeleteFunc(all, func(c lesson.Cell) bool { return off[c.Path] })
	if len(p.cells) == 0 {
		return nil, fmt.Errorf("none of the paths is available: %s", reasons(p.paths))
	}
	return p, nil
}

// latencies are those of the path's cells, each once.
func latencies(cells []lesson.Cell, path string) (all []lesson.Latency) {
	for _, c := range cells {
		if c.Path == path && !slices.Contains(all, c.Latency) {
			all = append(all, c.Latency)
		}
	}
	return all
}

func route(p path.Path) lesson.Route {
	r := lesson.Route{Name: p.Name, Plain: p.WithoutLatency == ""}
	for _, over := range p.Over {
		r.Links = append(r.Links, over.Links...)
	}
	return r
}

func reasons(paths []result.Path) string {
	var all []string
	for _, p := range paths {
		all = append(all, p.Name+" ("+p.Unavailable+")")
	}
	return strings.Join(all, ", ")
}

// document is the run as it stands before its first cell.
func (p *plan) document(o lesson.Override, seed uint64) *result.Run {
	doc := &result.Run{Version: result.Version, Status: result.Running, Reason: "it has not ended", Seed: seed, Paths: p.paths,
		Lesson: result.Lesson{Name: p.lesson.Name, Title: p.lesson.Title, Question: p.lesson.Question, Explanation: p.lesson.Explanation,
			File: p.lesson.File, SHA256: p.lesson.SHA256, Headlines: p.lesson.Headlines, Override: o}}
	for _, c := range p.cells {
		doc.Blocks = max(doc.Blocks, c.Wanted)
		doc.Cells = append(doc.Cells, result.Cell{Cell: c, Status: result.Planned, Repeats: []result.Repeat{}})
	}
	if doc.Lesson.Headlines == nil {
		doc.Lesson.Headlines = []byte("[]")
	}
	doc.Unfinished = doc.Left()
	return doc
}
