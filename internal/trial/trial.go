package trial

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/link"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/pooler"
	"pooler-lab/internal/result"
	"pooler-lab/internal/server"
	"pooler-lab/k6/summary"
)

// preparing is the time that a trial has to set latencies, prove its paths and read counts.
const preparing = 60 * time.Second

// A Trial is one attempt at measuring one cell, or two whose clients alternate in one k6, or several that run at once
// while events happen.
type Trial struct {
	Block, Number int // Number counts the attempts, from 1
	Sides         []*Side
	Pair          *result.Pair   // what becomes of two cells together; nil of one
	TooSlow       string         // why two cells can't alternate, as k6 saw it
	happened      []result.Event // of its events
	seen          *summary.Test  // by k6
}

// Events are what is to happen while the trial's cells run.
func (t *Trial) Events() []lesson.Event { return t.Sides[0].Cell.Events }

// scenarios are what its cell's clients carry out in place of a workload.
func (t *Trial) scenarios() []lesson.Scenario { return t.Sides[0].Cell.Scenarios }

// A Side is one of a trial's cells.
type Side struct {
	Cell lesson.Cell
	server.Side
	Out result.Repeat // what becomes of it
}

// New makes one of cells; of two, pair is how they are to be measured. The repeat of a cell alone has that
// position in its block.
func New(pair *result.Pair, block, position, number int, cells ...lesson.Cell) *Trial {
	t := &Trial{Block: block, Number: number}
	started := time.Now().UTC()
	for i, c := range cells {
		t.Sides = append(t.Sides, &Side{Cell: c, Out: result.Repeat{Block: block, Position: position + i, Attempt: number,
			Started: started, Proof: []result.Fact{}, Counts: []result.Count{}, Shares: []result.Share{},
			Flags: []result.Flag{}}})
	}
	if pair != nil {
		own := *pair
		own.Started, own.Figures, own.Groups, own.Seconds = &started, nil, 0, 0
		t.Pair = &own
	}
	return t
}

// A Rejection says that something was changed under a trial; it is worth another attempt.
type Rejection struct{ Reason string }

func (r *Rejection) Error() string { return r.Reason }

// An Unprepared error says that a trial's servers weren't ready in time: it is the lab's own, and says nothing of what
// was to be measured.
type Unprepared struct{ Err error }

func (e *Unprepared) Error() string { return e.Err.Error() }

// Unwrap is what went wrong.
func (e *Unprepared) Unwrap() error { return e.Err }

// Measure sets the latency, prepares the servers, proves the paths, counts, has the load run, counts again and
// compares. What it measured stands in the trial's sides, and of two cells in its pair. Its error says why there is
// nothing, or nothing that counts: a *Rejection, an *Unprepared, or what was wrong with the cells. What it has set on
// the servers is taken back, whatever became of it; latencies stay.
func (lab *Lab) Measure(ctx context.Context, t *Trial) error {
	preparation, cancel := context.WithTimeout(ctx, preparing)
	defer cancel()
	if err := lab.findRoutes(t); err != nil {
		return err
	}
	if err := lab.setLinks(preparation, t.links()); err != nil {
		return err
	}
	toxics, err := lab.Links.Snapshot(preparation)
	if err != nil {
		return err
	}
	defer lab.Restore()
	wanted := t.preparation()
	err = lab.Servers.Prepare(preparation, wanted, t.onServers()...)
	if err == nil {
		err = lab.begin(preparation, t, toxics)
	}
	if err != nil && errors.Is(preparation.Err(), context.DeadlineExceeded) {
		err = &Unprepared{err}
	}
	if err != nil {
		return err
	}
	if t.Events() != nil {
		return lab.loadWithEvents(ctx, t)
	}
	load, by := lab.load, t.Sides[0].Cell.DrivenBy()
	if t.scenarios() != nil {
		load, by = lab.carryOutScenarios, "scenarios"
	}
	lab.Phase(by)
	loadErr := load(ctx, t)
	if loadErr != nil && ctx.Err() != nil {
		return loadErr
	}
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), preparing) // also of a pair that was stopped
	defer cancel()
	// It says more than what it did to the load.
	if err := lab.compare(after, toxics, len(wanted.Settings) > 0); err != nil {
		return err
	}
	if loadErr != nil || t.scenarios() != nil {
		return loadErr
	}
	lab.reconcile(after, t)
	return nil
}

// findRoutes finds out where the clients connect.
func (lab *Lab) findRoutes(t *Trial) error {
	for _, s := range t.Sides {
		c := s.Cell
		p, err := lab.Set.Find(c.Path)
		if err != nil {
			return err
		}
		if s.Route, err = server.NewRoute(lab.Set, p, c.Link); err != nil {
			return err
		}
		s.Route.Role, s.Route.PoolSize, s.Route.Fresh, s.Fill = c.Role, c.PoolSize, c.FreshDatabase, c.FillPools
	}
	return nil
}

// onServers are the sides as the servers know them.
func (t *Trial) onServers() (all []*server.Side) {
	for _, s := range t.Sides {
		all = append(all, &s.Side)
	}
	return all
}

// links are what the cells want on their links. Two cells want the same on those that they share: see refuseLinks in
// package plan.
func (t *Trial) links() map[string]link.Settings {
	all := map[string]link.Settings{}
	for _, s := range t.Sides {
		for _, l := range s.Route.Crossed {
			all[l.Name] = link.Settings{LatencyMS: s.Cell.Latency.MS(), DownKBps: s.Cell.BandwidthKBs,
				UpKBps: s.Cell.BandwidthKBs}
		}
		if s.Cell.ReplicationMS > 0 {
			all[link.ReplicationLink] = link.Settings{LatencyMS: float64(s.Cell.ReplicationMS)}
		}
	}
	return all
}

// preparation is what the cells want of the servers: their settings, and the sizes of their poolers' pools. Two cells
// want no setting to be different: see refuseSettings and refusePoolSizes
// in package plan.
func (t *Trial) preparation() server.Preparation {
	p := server.Preparation{Settings: map[string]map[string]string{}}
	set := func(component, name, value string) {
		if p.Settings[component] == nil {
			p.Settings[component] = map[string]string{}
		}
		p.Settings[component][name] = value
	}
	for _, s := range t.Sides {
		p.Writes = p.Writes || s.Cell.Writes
		if s.Cell.PoolSize > 0 {
			set(s.Route.PoolerService(), pooler.SizeSetting(s.Route.Path), strconv.Itoa(s.Cell.PoolSize))
		}
		for component, wanted := range s.Cell.Settings {
			for name, value := range wanted {
				set(component, name, value)
			}
		}
	}
	return p
}

// begin makes sure that the paths lead where they say, from pools whose state is known, and notes their round trips
// and the counts before the load.
func (lab *Lab) begin(ctx context.Context, t *Trial, toxics link.Snapshot) error {
	for _, s := range t.Sides {
		for _, l := range s.Route.Crossed { // they lie side by side, and a query goes over one of them
			s.Route.SetMS = max(s.Route.SetMS, toxics.SetMS(l.Name))
		}
		if s.Fill {
			lab.Phase("filling pools")
		}
	}
	err := lab.Servers.Begin(ctx, t.onServers()...)
	for i, s := range t.Sides {
		s.Out.Proof, s.Out.RoundTrip = append(s.Out.Proof, s.Facts...), s.RoundTrip
		if wrong := server.Wrong(s.Facts); wrong != "" {
			err = errors.New(t.prefix(i) + wrong)
		}
	}
	return err
}

// compare rejects the trial where links or settings are not what they were before it.
func (lab *Lab) compare(ctx context.Context, before link.Snapshot, hasSettings bool) error {
	after, err := lab.Links.Snapshot(ctx)
	if err != nil {
		return err
	}
	if difference := before.Difference(after); difference != "" {
		return &Rejection{"someone changed a link meanwhile: " + difference}
	}
	if !hasSettings {
		return nil
	}
	difference, err := lab.Servers.Changed(ctx)
	if err == nil && difference != "" {
		return &Rejection{"someone changed a setting meanwhile: " + difference}
	}
	return err
}

// reconcile sets k6's counts beside the servers'. A server that can't tell, since it has just gone down, doesn't
// undo what k6 measured: the repeats are flagged.
func (lab *Lab) reconcile(ctx context.Context, t *Trial) {
	var k6 []result.Counted
	var written int64
	var writing []*Side
	for _, s := range t.Sides {
		k6 = append(k6, s.Out.Measured.Counted)
		if writesHistory(s.Cell, s.Route) {
			writing, written = append(writing, s), written+s.Out.Measured.Counted.Transactions
		}
	}
	err := lab.Servers.Reconcile(ctx, k6, t.onServers()...)
	if err == nil && len(writing) > 0 {
		var rows result.Count
		rows, err = lab.Servers.CountHistory(ctx, written)
		for _, s := range writing {
			s.Counts = append(s.Counts, rows)
		}
	}
	for _, s := range t.Sides {
		if err != nil {
			s.Out.Uncounted = err.Error()
			continue
		}
		s.Out.Counts, s.Out.Shares = append(s.Out.Counts, s.Counts...), append(s.Out.Shares, s.Shares...)
	}
}

// writesHistory says whether each of the cell's transactions inserts a row of pgbench_history.
func writesHistory(c lesson.Cell, path server.Route) bool {
	return c.Writes && path.Database == "postgresql" && strings.HasPrefix(c.Workload, "tpcb")
}

// prefix begins what is said of one of two sides; it is empty where there is one.
func (t *Trial) prefix(i int) string {
	if t.Pair == nil {
		if len(t.Sides) > 1 {
			return outcome.FullName(t.Sides[i].Cell) + ": "
		}
		return ""
	}
	own, _ := outcome.Differ(t.Sides[summary.Of].Cell, t.Sides[summary.To].Cell)
	return own[i] + ": "
}

// named puts the cells' names where k6 speaks of sides.
func (t *Trial) named(text string) string {
	own, _ := outcome.Differ(t.Sides[summary.Of].Cell, t.Sides[summary.To].Cell)
	for i, name := range own {
		text = strings.ReplaceAll(text, fmt.Sprintf("the side %q", summary.SideNames[i]), name)
	}
	return text
}
