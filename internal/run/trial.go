package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"pooler-lab/internal/fault"
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/link"
	"pooler-lab/internal/result"
	"pooler-lab/internal/server"
	"pooler-lab/k6/summary"
)

// preparing is the time that a trial has to set latencies, prove its paths and read counts.
const preparing = 60 * time.Second

// A trial is one attempt at measuring one cell, or two whose clients alternate in one k6.
type trial struct {
	block, number int // number counts the attempts, from 1
	sides         []*side
	pair          *result.Pair   // what becomes of two cells together; nil of one
	tooSlow       string         // why two cells can't alternate, as k6 saw it
	happened      []result.Event // of its events
	seen          *summary.Test  // by k6
}

// events are what is to happen while the trial's cells run.
func (t *trial) events() []lesson.Event { return t.sides[0].cell.Events }

// scenarios are what its cell's clients carry out in place of a workload.
func (t *trial) scenarios() []lesson.Scenario { return t.sides[0].cell.Scenarios }

// A side is one of a trial's cells.
type side struct {
	cell lesson.Cell
	server.Side
	out result.Repeat // what becomes of it
}

// newTrial makes one of cells; of two, pair is how they are to be measured. The repeat of a cell alone has that
// position in its block.
func newTrial(pair *result.Pair, block, position, number int, cells ...lesson.Cell) *trial {
	t := &trial{block: block, number: number}
	started := time.Now().UTC()
	for i, c := range cells {
		t.sides = append(t.sides, &side{cell: c, out: result.Repeat{Block: block, Position: position + i, Attempt: number,
			Started: started, Proof: []result.Fact{}, Counts: []result.Count{}, Shares: []result.Share{},
			Flags: []result.Flag{}}})
	}
	if pair != nil {
		own := *pair
		own.Started, own.Figures, own.Groups, own.Seconds = &started, nil, 0, 0
		t.pair = &own
	}
	return t
}

// A rejection says that something was changed under a trial; it is worth another attempt.
type rejection struct{ reason string }

func (r *rejection) Error() string { return r.reason }

// An unprepared error says that a trial's servers weren't ready in time: it is the lab's own, and says nothing of what
// was to be measured.
type unprepared struct{ error }

// try executes the trial and notes what becomes of it. The ruling on two cells is on both together.
func (r *runner) try(ctx context.Context, t *trial) ruling {
	err := r.measure(ctx, t)
	if wrong := fault.Wrong(); err != nil && wrong != "" {
		err = fmt.Errorf("%w; %s", err, wrong)
	}
	a := attempt{number: t.number, stopped: ctx.Err() != nil, failed: err}
	if r.once || t.events() != nil {
		a.number = attempts
	}
	for _, s := range t.sides {
		if err != nil {
			continue
		}
		s.out.Flags = flags(s.cell, &s.out)
		a.flags = append(a.flags, s.out.Flags...)
		a.burst = a.burst || r.burst(s.cell, &s.out)
	}
	decided := a.rule()
	if t.tooSlow != "" && decided.status != result.Interrupted { // another attempt is as slow
		decided = ruling{status: result.Blocked, reason: t.tooSlow}
	}
	r.close(t, decided)
	return decided
}

// close notes the end of a trial. The log of its clients' program is kept where something is to be learnt from it.
func (r *runner) close(t *trial, decided ruling) {
	ended := time.Now().UTC()
	for _, s := range t.sides {
		s.out.Status, s.out.Reason, s.out.Ended = decided.status, decided.reason, ended
		if decided.status == result.OK && s.out.Log != "" {
			os.Remove(filepath.Join(r.dir, s.out.Log))
			s.out.Log = ""
		}
	}
	if t.pair == nil {
		return
	}
	t.pair.Status, t.pair.Reason, t.pair.Ended = decided.status, decided.reason, &ended
	switch decided.status {
	case result.OK:
	case result.Interrupted:
		t.pair.Ending = string(result.Interrupted)
	default:
		t.pair.Ending = ""
	}
	if decided.status == result.Rejected { // in the last attempt
		t.pair.Status = result.Failed
	}
}

// measure is the trial itself: set the latency, prepare the servers, prove the paths, count, load, count again and
// compare.
func (r *runner) measure(ctx context.Context, t *trial) error {
	preparation, cancel := context.WithTimeout(ctx, preparing)
	defer cancel()
	if err := r.findPaths(t); err != nil {
		return err
	}
	if err := r.setLinks(preparation, t.links()); err != nil {
		return err
	}
	toxics, err := r.links.Snapshot(preparation)
	if err != nil {
		return err
	}
	defer r.restore()
	wanted := t.preparation()
	err = r.servers.Prepare(preparation, wanted, t.onServers()...)
	if err == nil {
		err = r.begin(preparation, t, toxics)
	}
	if err != nil && errors.Is(preparation.Err(), context.DeadlineExceeded) {
		err = &unprepared{err}
	}
	if err != nil {
		return err
	}
	if t.events() != nil {
		return r.loadWithEvents(ctx, t)
	}
	load, by := r.load, t.sides[0].cell.DrivenBy()
	if t.scenarios() != nil {
		load, by = r.carryOutScenarios, "scenarios"
	}
	r.progress.enter(by)
	loadErr := load(ctx, t)
	if loadErr != nil && ctx.Err() != nil {
		return loadErr
	}
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), preparing) // also of a pair that was stopped
	defer cancel()
	// It says more than what it did to the load.
	if err := r.compare(after, toxics, len(wanted.Settings) > 0); err != nil {
		return err
	}
	if loadErr != nil || t.scenarios() != nil {
		return loadErr
	}
	r.reconcile(after, t)
	return nil
}

// findPaths finds out where the clients connect.
func (r *runner) findPaths(t *trial) error {
	for _, s := range t.sides {
		c := s.cell
		p, err := r.set.Find(c.Path)
		if err != nil {
			return err
		}
		if s.Path, err = server.NewPath(r.set, p, c.Link); err != nil {
			return err
		}
		s.Path.Role, s.Path.PoolSize, s.Path.Fresh, s.Fill = c.Role, c.PoolSize, c.FreshDatabase, c.FillPools
	}
	return nil
}

// onServers are the sides as the servers know them.
func (t *trial) onServers() (all []*server.Side) {
	for _, s := range t.sides {
		all = append(all, &s.Side)
	}
	return all
}

// links are what the cells want on their links. Two cells want the same on those that they share: see refuseLinks.
func (t *trial) links() map[string]link.Settings {
	all := map[string]link.Settings{}
	for _, s := range t.sides {
		for _, l := range s.Path.Crossed {
			all[l.Name] = link.Settings{LatencyMS: s.cell.Latency.MS(), DownKBps: s.cell.BandwidthKBs,
				UpKBps: s.cell.BandwidthKBs}
		}
		if s.cell.ReplicationMS > 0 {
			all[link.ReplicationLink] = link.Settings{LatencyMS: float64(s.cell.ReplicationMS)}
		}
	}
	return all
}

// preparation is what the cells want of the servers: their settings, and the sizes of their poolers' pools. Two cells
// want no setting to be different: see refuseSettings and refusePoolSizes.
func (t *trial) preparation() server.Preparation {
	p := server.Preparation{Settings: map[string]map[string]string{}}
	set := func(component, name, value string) {
		if p.Settings[component] == nil {
			p.Settings[component] = map[string]string{}
		}
		p.Settings[component][name] = value
	}
	for _, s := range t.sides {
		p.Writes = p.Writes || s.cell.Writes
		if s.cell.PoolSize > 0 {
			set(s.Path.PoolerService(), server.PoolSizeSetting(s.Path.Path), strconv.Itoa(s.cell.PoolSize))
		}
		for component, wanted := range s.cell.Settings {
			for name, value := range wanted {
				set(component, name, value)
			}
		}
	}
	return p
}

// begin makes sure that the paths lead where they say, from pools whose state is known, and notes their round trips
// and the counts before the load.
func (r *runner) begin(ctx context.Context, t *trial, toxics link.Snapshot) error {
	for _, s := range t.sides {
		for _, l := range s.Path.Crossed { // they lie side by side, and a query goes over one of them
			s.Path.SetMS = max(s.Path.SetMS, toxics.SetMS(l.Name))
		}
		if s.Fill {
			r.progress.enter("filling pools")
		}
	}
	err := r.servers.Begin(ctx, t.onServers()...)
	for i, s := range t.sides {
		s.out.Proof, s.out.RoundTrip = append(s.out.Proof, s.Facts...), s.RoundTrip
		if wrong := server.Wrong(s.Facts); wrong != "" {
			err = errors.New(t.prefix(i) + wrong)
		}
	}
	return err
}

// compare rejects the trial where links or settings are not what they were before it.
func (r *runner) compare(ctx context.Context, before link.Snapshot, hasSettings bool) error {
	after, err := r.links.Snapshot(ctx)
	if err != nil {
		return err
	}
	if difference := before.Difference(after); difference != "" {
		return &rejection{"someone changed a link meanwhile: " + difference}
	}
	if !hasSettings {
		return nil
	}
	difference, err := r.servers.Changed(ctx)
	if err == nil && difference != "" {
		return &rejection{"someone changed a setting meanwhile: " + difference}
	}
	return err
}

// reconcile sets k6's counts beside the servers'. A server that can't tell, since it has just gone down, doesn't
// undo what k6 measured: the repeats are flagged.
func (r *runner) reconcile(ctx context.Context, t *trial) {
	var k6 []result.Counted
	var written int64
	var writing []*side
	for _, s := range t.sides {
		k6 = append(k6, s.out.Measured.Counted)
		if writesHistory(s.cell, s.Path) {
			writing, written = append(writing, s), written+s.out.Measured.Counted.Transactions
		}
	}
	err := r.servers.Reconcile(ctx, k6, t.onServers()...)
	if err == nil && len(writing) > 0 {
		var rows result.Count
		rows, err = r.servers.CountHistory(ctx, written)
		for _, s := range writing {
			s.Counts = append(s.Counts, rows)
		}
	}
	for _, s := range t.sides {
		if err != nil {
			s.out.Uncounted = err.Error()
			continue
		}
		s.out.Counts, s.out.Shares = append(s.out.Counts, s.Counts...), append(s.out.Shares, s.Shares...)
	}
}

// writesHistory says whether each of the cell's transactions inserts a row of pgbench_history.
func writesHistory(c lesson.Cell, path server.Path) bool {
	return c.Writes && path.Database == "postgresql" && strings.HasPrefix(c.Workload, "tpcb")
}
