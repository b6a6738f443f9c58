package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
	"pooler-lab/internal/server"
	"pooler-lab/k6/summary"
)

// A trial is one attempt at a pair.
type trial struct {
	pair    result.Pair
	cells   [summary.Sides]lesson.Cell
	paths   [summary.Sides]server.Path
	repeats [summary.Sides]result.Repeat // what becomes of each cell
	tooSlow string                       // why the cells can't alternate, as k6 saw it
}

// pairs runs the pairs. It returns nil when ctx ends.
func (r *runner) pairs(ctx context.Context) error {
	for i := range r.doc.Pairs {
		if ctx.Err() != nil {
			return nil
		}
		cells, err := r.cellsOf(&r.doc.Pairs[i])
		if err != nil {
			return err
		}
		r.progress.startingPair(r.doc.Pairs[i], r.scheduled[cells[summary.Of]], r.scheduled[cells[summary.To]])
		if err := r.pair(ctx, i, cells); err != nil {
			return err
		}
		r.progress.counts(r.doc.Cells)
		r.progress.ended()
	}
	return nil
}

// cellsOf are the indexes of a pair's cells.
func (r *runner) cellsOf(p *result.Pair) (cells [summary.Sides]int, err error) {
	for side, id := range []string{p.Of, p.To} {
		cells[side] = slices.IndexFunc(r.scheduled, func(c lesson.Cell) bool { return c.ID == id })
		if cells[side] < 0 {
			return cells, fmt.Errorf("the pair in block %d has a cell %q that the run doesn't have", p.Block, id)
		}
	}
	return cells, nil
}

// pair runs the pair at i, and again where it was disturbed. The error is of writing results alone. Attempts before
// the one that counts are kept with it; of a pair that comes to nothing, the reason is.
func (r *runner) pair(ctx context.Context, i int, cells [summary.Sides]int) error {
	var before [summary.Sides][]result.Repeat
	for number := 1; ; number++ {
		t := &trial{pair: r.doc.Pairs[i]}
		for side, c := range cells {
			t.cells[side] = r.scheduled[c]
			t.repeats[side] = result.Repeat{Block: t.pair.Block, Position: side + 1, Attempt: number}
		}
		decided := r.try(ctx, t)
		for side := range before {
			before[side] = append(before[side], t.repeats[side])
		}
		if decided.again && ctx.Err() == nil {
			if decided.wait {
				r.calm(ctx)
			}
			r.progress.again()
			continue
		}
		r.settlePair(i, cells, t, before)
		return r.doc.Write(r.dir)
	}
}

// settlePair notes what became of the pair at i.
func (r *runner) settlePair(i int, cells [summary.Sides]int, t *trial, attempts [summary.Sides][]result.Repeat) {
	r.doc.Pairs[i] = t.pair
	switch t.pair.Status {
	case result.OK, result.Interrupted:
		for side, c := range cells {
			for _, repeat := range attempts[side] {
				r.doc.Cells[c].Add(repeat)
			}
		}
	default:
		r.inBlocks(cells)
	}
	if t.pair.Status != result.Interrupted {
		r.doc.Unfinished = r.doc.Left()
	}
}

// inBlocks has the cells of a pair that came to nothing run in blocks, as often as their experiment says.
func (r *runner) inBlocks(cells [summary.Sides]int) {
	for _, i := range cells {
		c := &r.scheduled[i]
		had := c.Wanted - c.Paired
		c.Paired--
		blocks := max(had, c.Planned, 1)
		c.Wanted = c.Paired + blocks
		r.doc.Cells[i].Paired, r.doc.Cells[i].Wanted = c.Paired, c.Wanted
		r.doc.Blocks = max(r.doc.Blocks, len(r.doc.Pairs)+blocks)
		r.progress.more(*c, blocks-had)
	}
	r.progress.setBlocks(r.doc.Blocks)
}

// try executes one attempt at a pair. The ruling is that of a repeat, with the flags of both.
func (r *runner) try(ctx context.Context, t *trial) ruling {
	started := time.Now().UTC()
	t.pair.Started, t.pair.Figures, t.pair.Groups = &started, nil, 0
	for side := range t.repeats {
		out := &t.repeats[side]
		out.Started = started
		out.Proof, out.Counts, out.Shares, out.Flags = []result.Fact{}, []result.Count{}, []result.Share{}, []result.Flag{}
	}
	err := r.measurePair(ctx, t)
	decided := r.attemptAt(ctx, t, err).rule()
	if t.tooSlow != "" && decided.status != result.Interrupted { // another attempt is as slow
		decided = ruling{status: result.Blocked, reason: t.tooSlow}
	}
	t.pair.Status, t.pair.Reason = decided.status, decided.reason
	switch decided.status {
	case result.OK:
	case result.Interrupted:
		t.pair.Ending = string(result.Interrupted)
	case result.Rejected: // in the last attempt
		t.pair.Status = result.Failed
	}
	r.closePair(t, decided)
	return decided
}

// attemptAt is how the attempt went, both sides together.
func (r *runner) attemptAt(ctx context.Context, t *trial, err error) attempt {
	a := attempt{number: t.repeats[summary.Of].Attempt, stopped: ctx.Err() != nil, failed: err}
	if r.once {
		a.number = attempts
	}
	var rejected *rejection
	if errors.As(err, &rejected) {
		a.changed = rejected.reason
	}
	for side, c := range t.cells {
		out := &t.repeats[side]
		if err != nil || a.stopped {
			continue
		}
		out.Flags = flags(c, out)
		a.flags = append(a.flags, out.Flags...)
	}
	return a
}

// closePair notes the end of an attempt. k6's log is kept where something is to be learnt from it.
func (r *runner) closePair(t *trial, decided ruling) {
	ended := time.Now().UTC()
	t.pair.Ended = &ended
	log := t.repeats[summary.Of].Log
	for side := range t.repeats {
		out := &t.repeats[side]
		out.Status, out.Reason, out.Ended = decided.status, decided.reason, ended
		if decided.status == result.OK {
			out.Log = ""
		}
	}
	if decided.status == result.OK && log != "" {
		os.Remove(filepath.Join(r.dir, log))
	}
}

// measurePair is the attempt itself: what measure does for a repeat, for two at once.
func (r *runner) measurePair(ctx context.Context, t *trial) error {
	preparation, cancel := context.WithTimeout(ctx, preparing)
	defer cancel()
	if err := r.pathsOf(t); err != nil {
		return err
	}
	wanted, err := t.links()
	if err != nil {
		return err
	}
	over := t.cells[summary.Of].ReplicationMS > 0
	if err := r.setLinks(preparation, wanted, over); err != nil {
		return err
	}
	toxics, err := r.links.Snapshot(preparation)
	if err != nil {
		return err
	}
	preparations, err := t.preparation()
	if err != nil {
		return err
	}
	defer r.restore()
	if err := r.servers.Prepare(preparation, preparations, t.paths[:]...); err != nil {
		return err
	}
	tallies, err := r.beginPair(preparation, t, toxics)
	if err != nil {
		return err
	}
	r.progress.enter(load)
	loadErr := r.loadPair(ctx, t)
	after, cancel := context.WithTimeout(ctx, preparing)
	defer cancel()
	if err := r.compare(after, toxics, over, len(preparations.Settings) > 0); err != nil {
		return err
	}
	if loadErr != nil {
		return loadErr
	}
	r.reconcilePair(after, t, tallies)
	return nil
}
