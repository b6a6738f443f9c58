package run

import (
	"fmt"
	"reflect"
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
	for _, path := range set.Paths {
		if !slices.ContainsFunc(all, func(c lesson.Cell) bool { return c.Path == path.Name }) {
			continue
		}
		p.paths = append(p.paths, result.Path{
			Name: path.Name, Meaning: path.Meaning, Database: path.Database, Unavailable: path.Unavailable,
			Latencies: latencies(all, path.Name), Services: path.Services, Balances: path.Balances,
		})
		off[path.Name] = path.Unavailable != ""
	}
	p.asked = all
	p.cells = slices.DeleteFunc(slices.Clone(all), func(c lesson.Cell) bool { return off[c.Path] })
	if len(p.cells) == 0 {
		return nil, fmt.Errorf("none of the paths is available: %s", reasons(p.paths))
	}
	room, err := readRoom(set)
	if err != nil {
		return nil, err
	}
	p.pairUp(room)
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

// pathOf is what a lesson has to know of a path. YugabyteDB has a login for role app alone.
func pathOf(p topology.Path) lesson.Path {
	r := lesson.Path{Name: p.Name, Plain: p.WithoutLatency == "", OwnPool: p.ApplicationPool, Roles: server.Roles(),
		Pooler: p.PoolerService(), PoolSize: server.PoolSizeSetting(p), Straight: server.Straight(p)}
	if p.Database != "postgresql" {
		r.Roles = []string{"app"}
	}
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

// expected is how long the run takes by its lesson's author; 0 is unknown, as where it isn't the lesson as it stands.
func (p *plan) expected() time.Duration {
	full := p.override.Full
	if !reflect.DeepEqual(p.override, lesson.Override{Full: full}) {
		return 0
	}
	return p.lesson.Expected(full)
}

// document is the run as it stands before its first cell.
func (p *plan) document(seed uint64) *result.Run {
	l := p.lesson
	doc := &result.Run{
		Version: result.Version, Status: result.Running, Reason: "it has not ended", Seed: seed, Paths: p.paths,
		Lesson: result.Lesson{
			Name: l.Name, Title: l.Title, Question: l.Question, Explanation: l.Explanation, File: l.File, SHA256: l.SHA256,
			Prediction: l.Prediction, Comparisons: l.Comparisons, Findings: l.Findings, Study: l.Study, Charts: l.Charts,
			Full: p.override.Full, Override: p.override, Experiments: p.experiments(), LeftOut: l.LeftOut, OnlyInFull: l.OnlyInFull,
		},
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
			all = append(all, result.Experiment{Name: e.Name, Text: e.Text, Side: e.Side})
		}
	}
	return all
}
