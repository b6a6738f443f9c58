// Package run executes a lesson, trial after trial: first the pairs, then block after block, in an order that is
// shuffled and repeatable. It tries again what was disturbed, says how far it is, and writes run.json after each trial.
package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pooler-lab/internal/fault"
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/link"
	"pooler-lab/internal/result"
	"pooler-lab/internal/trial"
)

// restoreTime is how long links, and then settings, may take to be put back.
const restoreTime = time.Minute

// stopped is the reason of a run that ended before its last cell.
const stopped = "it was stopped: Ctrl-C, scripts/lab cancel or the console"

// A runner executes one run.
type runner struct {
	lab      *trial.Lab
	progress *progress
	doc      *result.Run

	pauses int  // for other machines, so far
	once   bool // no trial has another attempt
}

// untouched says that no repeat of a run has come to an end, and no group of a pair.
func untouched(doc *result.Run) bool {
	ended := func(r result.Repeat) bool { return r.Status != result.Interrupted }
	return !slices.ContainsFunc(doc.Cells, func(c result.Cell) bool { return slices.ContainsFunc(c.Repeats, ended) }) &&
		!slices.ContainsFunc(doc.Pairs, func(p result.Pair) bool { return p.Groups > 0 })
}

// An interruptedError says that a run was ended before its last cell.
type interruptedError struct{ doc *result.Run }

func (e *interruptedError) Error() string {
	if untouched(e.doc) {
		return "interrupted before the first repeat was finished: nothing is measured"
	}
	return "interrupted; what was finished is in results/" + e.doc.ID
}

// ExitCode is the shell's for a program ended by Ctrl-C.
func (*interruptedError) ExitCode() int { return 128 + 2 }

// errNothing says that a run measured nothing. Its table says why.
var errNothing = errors.New("no repeat of any cell succeeded")

// run executes every block, writes run.json after each cell and puts what it found back. It
// returns an interruptedError where ctx ended before the last cell, and an errNothing where no repeat is ok.
func (r *runner) run(ctx context.Context) error {
	found, err := r.lab.Links.Snapshot(ctx)
	if err == nil {
		stop := r.progress.tick()
		if err = r.pairs(ctx); err == nil {
			err = r.lowerRates(ctx)
		}
		if err == nil {
			err = r.blocks(ctx)
		}
		stop()
		r.restoreAll(found)
		r.progress.clear()
	} else if ctx.Err() != nil {
		err = nil // it was stopped while it looked, and nothing has been changed yet
	} else {
		err = fmt.Errorf("read the latencies that are set: %w", err)
	}

	now := time.Now().UTC()
	r.doc.Ended = &now
	switch {
	case err != nil:
		r.doc.Status, r.doc.Reason = result.Failed, err.Error()
	case ctx.Err() != nil:
		r.doc.Status, r.doc.Reason = result.Interrupted, stopped
		err = &interruptedError{r.doc}
	default:
		r.doc.Status, r.doc.Reason = result.Finished, ""
		if !slices.ContainsFunc(r.doc.Cells, func(c result.Cell) bool { return c.Last() != nil }) {
			err = fmt.Errorf("%w; why stands above and in results/%s", errNothing, r.doc.ID)
		}
	}
	return errors.Join(err, r.doc.Write(r.lab.Folder))
}

// pairs runs the pairs. It returns nil when ctx ends.
func (r *runner) pairs(ctx context.Context) error {
	for i := range r.doc.Pairs {
		if ctx.Err() != nil {
			return nil
		}
		pair := &r.doc.Pairs[i]
		at := func(id string) int {
			return slices.IndexFunc(r.doc.Cells, func(c result.Cell) bool { return c.ID == id })
		}
		if err := r.trials(ctx, pair, pair.Block, 1, at(pair.Of), at(pair.To)); err != nil {
			return err
		}
	}
	return nil
}

// blocks runs the blocks after the pairs. It returns nil when ctx ends.
func (r *runner) blocks(ctx context.Context) error {
	var cells []lesson.Cell
	for _, c := range r.doc.Cells {
		cells = append(cells, c.Cell)
	}
	for b, order := range lesson.Blocks(cells, r.doc.Seed) {
		block := len(r.doc.Pairs) + b + 1
		position := 1
		for _, together := range order {
			if ctx.Err() != nil {
				return nil
			}
			if err := r.trials(ctx, nil, block, position, together...); err != nil {
				return err
			}
			position += len(together)
		}
	}
	return nil
}

// trials runs one of the cells at these indexes, and another one where it was rejected. The error is of writing results
// alone: what goes wrong with a cell stands in it.
func (r *runner) trials(ctx context.Context, pair *result.Pair, block, position int, cells ...int) error {
	var of []lesson.Cell
	for _, i := range cells {
		of = append(of, r.doc.Cells[i].Cell)
	}
	var all []*trial.Trial
	var decided ruling
	for number := 1; ; number++ {
		t := trial.New(pair, block, position, number, of...)
		if all = append(all, t); number == 1 {
			r.progress.starting(r.doc, t)
		} else {
			r.progress.again(decided.reason)
		}
		decided = r.try(ctx, t)
		if !decided.again || ctx.Err() != nil {
			r.settle(all, pair, cells)
			r.progress.over(r.doc, decided.status == result.OK)
			return r.doc.Write(r.lab.Folder)
		}
		if decided.wait {
			r.calm(ctx)
		}
	}
}

// settle notes what became of all attempts at a trial. Of two cells that could not be measured together the reason is
// kept, and they run in blocks.
func (r *runner) settle(all []*trial.Trial, pair *result.Pair, cells []int) {
	if pair != nil {
		*pair = *all[len(all)-1].Pair
	}
	if pair != nil && pair.Status != result.OK && pair.Status != result.Interrupted {
		r.inBlocks(cells)
		all = nil
	}
	for _, t := range all {
		for side, i := range cells {
			r.doc.Cells[i].Add(t.Sides[side].Out)
		}
	}
	r.doc.Unfinished = r.doc.Left()
}

// inBlocks has the cells of a pair that came to nothing run in blocks, as often as their experiment says.
func (r *runner) inBlocks(cells []int) {
	for _, i := range cells {
		c := &r.doc.Cells[i]
		blocks := max(c.Wanted-c.Paired, c.Planned, 1)
		c.Paired--
		c.Wanted = c.Paired + blocks
		r.doc.Blocks = max(r.doc.Blocks, len(r.doc.Pairs)+blocks)
	}
}

// restoreAll makes all links, settings and logins what they were before the run, whatever became of it.
func (r *runner) restoreAll(found link.Snapshot) {
	r.doc.NotRestored = ""
	ctx, cancel := context.WithTimeout(context.Background(), trial.ComesBack+restoreTime)
	defer cancel()
	_, err := r.lab.Answering(ctx)
	if stalled := (*link.StalledError)(nil); err == nil || errors.As(err, &stalled) { // the others can be put back
		err = r.lab.Links.Put(ctx, found)
	}
	if err != nil {
		r.notRestored("latencies", err)
	}
	if wrong := fault.Wrong(); wrong != "" {
		r.notRestored("nodes", errors.New(wrong))
	}
	r.lab.Restore()
}

// notRestored notes what could not be put back.
func (r *runner) notRestored(what string, err error) {
	r.doc.NotRestored = strings.TrimPrefix(r.doc.NotRestored+"; "+err.Error(), "; ")
	r.progress.say("The %s that were there before this run could not be put back ('scripts/reset' does): %v", what, err)
}

// try executes the trial and notes what becomes of it. The ruling on two cells is on both together.
func (r *runner) try(ctx context.Context, t *trial.Trial) ruling {
	err := r.lab.Measure(ctx, t)
	if wrong := fault.Wrong(); err != nil && wrong != "" {
		err = fmt.Errorf("%w; %s", err, wrong)
	}
	a := attempt{number: t.Number, stopped: ctx.Err() != nil, failed: err}
	if r.once || t.Events() != nil {
		a.number = attempts
	}
	for _, s := range t.Sides {
		if err != nil {
			continue
		}
		s.Out.Flags = trial.Flags(s.Cell, &s.Out)
		a.flags = append(a.flags, s.Out.Flags...)
		a.burst = a.burst || r.burst(s.Cell, &s.Out)
	}
	decided := a.rule()
	if t.TooSlow != "" && decided.status != result.Interrupted { // another attempt is as slow
		decided = ruling{status: result.Blocked, reason: t.TooSlow}
	}
	r.close(t, decided)
	return decided
}

// close notes the end of a trial. The log of its clients' program is kept where something is to be learnt from it.
func (r *runner) close(t *trial.Trial, decided ruling) {
	ended := time.Now().UTC()
	for _, s := range t.Sides {
		s.Out.Status, s.Out.Reason, s.Out.Ended = decided.status, decided.reason, ended
		if decided.status == result.OK && s.Out.Log != "" {
			os.Remove(filepath.Join(r.lab.Folder, s.Out.Log))
			s.Out.Log = ""
		}
	}
	if t.Pair == nil {
		return
	}
	t.Pair.Status, t.Pair.Reason, t.Pair.Ended = decided.status, decided.reason, &ended
	switch decided.status {
	case result.OK:
	case result.Interrupted:
		t.Pair.Ending = string(result.Interrupted)
	default:
		t.Pair.Ending = ""
	}
	if decided.status == result.Rejected { // in the last attempt
		t.Pair.Status = result.Failed
	}
}
