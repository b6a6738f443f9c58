// Package plan says what a lesson comes to in this lab before anything runs: its cells, which of them are measured side
// by side and why others can't be, their order, what they need of servers and poolers, and how long they take.
package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/pooler"
	"pooler-lab/internal/result"
	"pooler-lab/internal/shared"
	"pooler-lab/internal/topology"
)

// A Plan is what a lesson comes to in this lab: its cells, and the paths it asked for, those that are off included.
type Plan struct {
	Lesson   *lesson.Lesson
	Override lesson.Override // that has been applied to it
	Set      *topology.Set
	asked    []lesson.Cell // those of paths that are off, too
	Cells    []lesson.Cell // of paths that are not; as often as pairs leave them to run
	pairs    []result.Pair // Planned, in the order in which the lesson compares; see ordered
	unpaired []result.Unpaired
	Paths    []result.Path
	Room     Room
}

// Read reads a lesson and checks what it asks.
func Read(file string) (*lesson.Lesson, error) {
	l, err := lesson.Read(file)
	if err != nil {
		return nil, err
	}
	if err := outcome.Check(l); err != nil {
		return nil, fmt.Errorf("%s: %w", lesson.PlanOf(file), err)
	}
	return l, nil
}

// New makes the plan of a lesson's run.
func New(l *lesson.Lesson, o lesson.Override) (*Plan, error) {
	set, err := topology.Load(topology.Root())
	if err != nil {
		return nil, err
	}
	if err := l.Apply(o); err != nil {
		return nil, err
	}
	p, err := makePlan(l, set)
	if err != nil {
		return nil, err
	}
	if asItIs(o) {
		if err := outcome.CheckCells(l, p.asked); err != nil {
			return nil, fmt.Errorf("%s: %w", lesson.PlanOf(l.File), err)
		}
	}
	p.Override = o
	return p, nil
}

// asItIs says whether a run has its lesson's cells as they are, in either size, with side experiments or without.
func asItIs(o lesson.Override) bool {
	o.Until, o.AtMost, o.NoPairs = nil, nil, false
	if slices.Equal(o.Experiments, []string{lesson.All}) {
		o.Experiments = nil
	}
	return o.Describe() == ""
}

// makePlan spreads the lesson over the paths of set.
func makePlan(l *lesson.Lesson, set *topology.Set) (*Plan, error) {
	p := &Plan{Lesson: l, Set: set}
	var known []lesson.PathTraits
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
		p.Paths = append(p.Paths, result.Path{Name: path.Name, Meaning: path.Meaning, Database: path.Database,
			Unavailable: why, Latencies: latencies, Services: path.Services, Balances: path.Balances})
		if why != "" {
			off[path.Name] = true
			reasons = append(reasons, path.Name+" ("+why+")")
		}
	}
	p.asked = all
	p.Cells = slices.DeleteFunc(slices.Clone(all), func(c lesson.Cell) bool { return off[c.Path] })
	if len(p.Cells) == 0 {
		return nil, fmt.Errorf("none of the paths is available: %s", strings.Join(reasons, ", "))
	}
	if p.Room, err = readRoom(set); err != nil {
		return nil, err
	}
	p.pairUp(p.Room)
	return p, nil
}

// pathOf is what a lesson has to know of a path. YugabyteDB has a login for role app alone.
func pathOf(p topology.Path) lesson.PathTraits {
	r := lesson.PathTraits{Name: p.Name, Plain: p.WithoutLatency == "", OwnPool: p.ApplicationPool,
		Roles: topology.Roles(), Pooler: p.PoolerService(), PoolSize: pooler.SizeSetting(p),
		Straight: p.Straight(), NamedOnly: p.NamedOnly}
	if p.Database != "postgresql" {
		r.Roles = []string{topology.App}
	}
	for _, over := range p.Over {
		r.Links = append(r.Links, over.Links...)
	}
	return r
}

// Expected is how long the run takes by its lesson's author; 0 is unknown, as where it isn't the lesson as it stands.
func (p *Plan) Expected() time.Duration {
	switch {
	case p.Override.Describe() != "":
		return 0
	case p.Override.Full:
		return shared.Seconds(60 * p.Lesson.Full.Minutes)
	}
	return shared.Seconds(60 * p.Lesson.Minutes)
}

// Document is the run as it stands before its first cell.
func (p *Plan) Document(seed uint64) *result.Run {
	doc := &result.Run{
		Version: result.Version, Status: result.Running, Reason: "it has not ended", Seed: seed, Paths: p.Paths,
		Lesson: result.Lesson{About: p.Lesson.About, Full: p.Override.Full, Override: p.Override,
			Experiments: p.experiments()},
	}
	doc.Pairs, doc.Unpaired = ordered(p.pairs, seed), p.unpaired
	for _, c := range p.Cells {
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
func (p *Plan) experiments() []result.Experiment {
	all := []result.Experiment{}
	for _, e := range p.Lesson.Experiments {
		if slices.ContainsFunc(p.Cells, func(c lesson.Cell) bool { return c.Experiment == e.Name }) {
			of := result.Experiment{Name: e.Name, Text: e.Text, Side: e.Side, Changed: e.Changed}
			if len(e.Changed) > 0 { // the text may say what isn't so any more
				of.Text = ""
			}
			all = append(all, of)
		}
	}
	return all
}
