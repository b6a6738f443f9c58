package run

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
	"pooler-lab/internal/server"
	"pooler-lab/internal/topology"
)

// plan is what a lesson comes to in this lab: its cells, and the paths it asked for, those that are off included.
type plan struct {
	lesson   *lesson.Lesson
	override lesson.Override // that has been applied to it
	set      *topology.Set
	asked    []lesson.Cell // those of paths that are off, too
	cells    []lesson.Cell // of paths that are not; as often as pairs leave them to run
	pairs    []result.Pair // Planned, in the order in which the lesson compares; see ordered
	unpaired []result.Unpaired
	paths    []result.Path
	room     room
}

// makePlan spreads the lesson over the paths of set.
func makePlan(l *lesson.Lesson, set *topology.Set) (*plan, error) {
	p := &plan{lesson: l, set: set}
	var known []lesson.Path
	for _, path := range set.Paths {
		known = append(known, pathOf(path))
	}
	all, err := l.Cells(known) // for the paths that are off too: they count as asked for, and their names as known
	if err != nil {
		return nil, err
	}
	off := map[string]bool{}
	var reasons []string
	for _, path := range set.Paths {
		var latencies []lesson.Value
		for _, c := range all {
			if c.Path == path.Name && !slices.Contains(latencies, c.Latency) {
				latencies = append(latencies, c.Latency)
			}
		}
		if len(latencies) == 0 {
			continue
		}
		if path.Database != "postgresql" && slices.ContainsFunc(all, func(c lesson.Cell) bool {
			return c.Path == path.Name && c.Events != nil
		}) {
			return nil, fmt.Errorf("events happen to the PostgreSQL nodes, and path %s leads to another database", path.Name)
		}
		why := path.Unavailable
		p.paths = append(p.paths, result.Path{Name: path.Name, Meaning: path.Meaning, Database: path.Database,
			Unavailable: why, Latencies: latencies, Services: path.Services, Balances: path.Balances})
		if why != "" {
			off[path.Name] = true
			reasons = append(reasons, path.Name+" ("+why+")")
		}
	}
	p.asked = all
	p.cells = slices.DeleteFunc(slices.Clone(all), func(c lesson.Cell) bool { return off[c.Path] })
	if len(p.cells) == 0 {
		return nil, fmt.Errorf("none of the paths is available: %s", strings.Join(reasons, ", "))
	}
	if p.room, err = readRoom(set); err != nil {
		return nil, err
	}
	p.pairUp(p.room)
	return p, nil
}

// pathOf is what a lesson has to know of a path. YugabyteDB has a login for role app alone.
func pathOf(p topology.Path) lesson.Path {
	r := lesson.Path{Name: p.Name, Plain: p.WithoutLatency == "", OwnPool: p.ApplicationPool, Roles: server.Roles(),
		Pooler: p.PoolerService(), PoolSize: server.PoolSizeSetting(p), Straight: p.Straight(), NamedOnly: p.NamedOnly}
	if p.Database != "postgresql" {
		r.Roles = []string{"app"}
	}
	for _, over := range p.Over {
		r.Links = append(r.Links, over.Links...)
	}
	return r
}

// expected is how long the run takes by its lesson's author; 0 is unknown, as where it isn't the lesson as it stands.
func (p *plan) expected() time.Duration {
	switch {
	case p.override.Describe() != "":
		return 0
	case p.override.Full:
		return inSeconds(60 * p.lesson.Full.Minutes)
	}
	return inSeconds(60 * p.lesson.Minutes)
}

// document is the run as it stands before its first cell.
func (p *plan) document(seed uint64) *result.Run {
	doc := &result.Run{
		Version: result.Version, Status: result.Running, Reason: "it has not ended", Seed: seed, Paths: p.paths,
		Lesson: result.Lesson{About: p.lesson.About, Full: p.override.Full, Override: p.override,
			Experiments: p.experiments()},
	}
	doc.Pairs, doc.Unpaired = ordered(p.pairs, seed), p.unpaired
	for _, c := range p.cells {
		doc.Blocks = max(doc.Blocks, len(doc.Pairs)+c.Wanted-c.Paired)
		doc.Cells = append(doc.Cells, result.Cell{Cell: c, Status: result.Planned, Repeats: []result.Repeat{}})
	}
	if doc.Lesson.Comparisons == nil {
		doc.Lesson.Comparisons = []lesson.Comparison{}
	}
	doc.Unfinished = doc.Left()
	return doc
}

// experiments are those that have cells.
func (p *plan) experiments() []result.Experiment {
	all := []result.Experiment{}
	for _, e := range p.lesson.Experiments {
		if slices.ContainsFunc(p.cells, func(c lesson.Cell) bool { return c.Experiment == e.Name }) {
			of := result.Experiment{Name: e.Name, Text: e.Text, Side: e.Side, Changed: e.Changed}
			if len(e.Changed) > 0 { // the text may say what isn't so any more
				of.Text = ""
			}
			all = append(all, of)
		}
	}
	return all
}
