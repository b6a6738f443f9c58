package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pooler-lab/internal/k6run"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
	"pooler-lab/internal/server"
	"pooler-lab/k6/summary"
)

// Seconds that a pair's k6 may take beside its warm-up, its groups and what slack allows: to find out how long its
// slots have to be, and to let the group under way end.
const calibrating = 15

// onlyBoth says why a repeat of a pair has no container.
const onlyBoth = "what containers use is known of both cells of the pair together only"

// pairFile names what k6 writes of a pair, below the run's folder and without its ending.
func pairFile(t *trial) string {
	name := fmt.Sprintf("%s/pair-%d", k6Folder, t.pair.Block)
	if attempt := t.repeats[summary.Of].Attempt; attempt > 1 {
		name += fmt.Sprintf("-attempt%d", attempt)
	}
	return name
}

// toldPair is the pair as k6 is told of it.
func (r *runner) toldPair(t *trial) k6run.Pair {
	file := filepath.Join(r.dir, pairFile(t))
	p := k6run.Pair{AtMost: t.pair.AtMost, Fewest: outcome.FewestGroups,
		Seed:   repeatSeed(r.doc.Seed, t.pair.Of+" "+t.pair.To, t.pair.Block),
		Groups: file + ".groups", Stop: file + ".stop"}
	for side, c := range t.cells {
		p.Cells[side] = r.told(c, t.paths[side], &t.repeats[side])
		p.Passwords[side] = server.Password(c.Role)
		p.End += gettingReady(c) + c.Warmup + slack(c)
	}
	p.End += calibrating + 1.25*p.AtMost // where it lacks groups: see k6/pg
	for side := range p.Cells {
		p.Cells[side].Deadline = p.End
	}
	return p
}

// loadPair runs k6 until the interval is as narrow as it has to be, or time is over, and reads what it saw. Whole
// groups are kept, whatever ends it.
func (r *runner) loadPair(ctx context.Context, t *trial) error {
	told, file := r.toldPair(t), pairFile(t)
	env, err := told.Env()
	if err != nil {
		return err
	}
	deadline := time.Duration(told.End * float64(time.Second))
	limited, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()

	follower := r.follow(t, told)
	log, written := file+".log", filepath.Join(r.dir, file+".json")
	g, err := runOrder(limited, filepath.Join(r.dir, log), k6run.Order{Script: r.script, Output: "lab=" + written,
		Env: env, Grace: grace(told.Cells[:]...)})
	followErr := follower.end()
	os.Remove(told.Stop)
	t.pair.File, t.pair.Groups, t.pair.Figures = file+".groups", len(follower.groups), follower.figures
	for side := range t.repeats {
		t.repeats[side].Exit, t.repeats[side].Log = g.Exit, log
	}
	if err != nil {
		return err
	}
	seen, readErr := summary.ReadPair(written)
	if readErr == nil {
		r.seenPair(t, seen, g, file+".json")
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case t.tooSlow != "":
		return errors.New(t.tooSlow)
	}
	if err := g.complain(limited, deadline, readErr, whyEither(seen)); err != nil {
		return err
	}
	if followErr != nil {
		return followErr
	}
	t.pair.Ending = result.TimeOver
	if follower.precise {
		t.pair.Ending = result.Precise
	}
	return t.complain(seen)
}

// named puts the cells' names where k6 speaks of sides.
func (t *trial) named(text string) string {
	for side, name := range sideNames(t.cells[summary.Of], t.cells[summary.To]) {
		text = strings.ReplaceAll(text, fmt.Sprintf("the side %q", summary.SideNames[side]), name)
	}
	return text
}

// seenPair takes over what k6 saw of both sides.
func (r *runner) seenPair(t *trial, seen *summary.Pair, g generator, file string) {
	t.pair.SlotMS, t.pair.MedianMS, t.tooSlow = seen.SlotMS, seen.MedianMS, t.named(seen.TooSlow)
	var from, to time.Time
	for _, side := range seen.Sides {
		if side == nil {
			continue
		}
		opened, closed := opened(g, side)
		if from.IsZero() || opened.Before(from) {
			from = opened
		}
		if closed.After(to) {
			to = closed
		}
	}
	resources := r.used(nil, g, from, to)
	resources.GeneratorMB, resources.GeneratorSeconds, resources.NotMeasured = nil, nil, onlyBoth
	for side, s := range seen.Sides {
		if s == nil {
			continue
		}
		own := *resources
		if share := seen.HostCPU[side]; share != nil {
			own.HostCPU = share
		}
		t.repeats[side].Summary, t.repeats[side].Resources = file, &own
		t.repeats[side].Measured = measured(s)
	}
}

// complain returns why the pair measured nothing, or nil where it did.
func (t *trial) complain(seen *summary.Pair) error {
	if seen.Failure != "" {
		return errors.New(t.named(seen.Failure) + whyEither(seen))
	}
	names := sideNames(t.cells[summary.Of], t.cells[summary.To])
	for side, s := range seen.Sides {
		if s == nil {
			return fmt.Errorf("k6 told nothing of %s", names[side])
		}
		if err := complain(s, t.cells[side]); err != nil {
			return fmt.Errorf("%s: %w", names[side], err)
		}
	}
	if t.pair.Groups == 0 {
		return errors.New("no group of slots was complete")
	}
	return nil
}

// whyEither lists what went wrong on either side.
func whyEither(seen *summary.Pair) (text string) {
	if seen == nil {
		return ""
	}
	for _, s := range seen.Sides {
		if s != nil {
			text += why(s)
		}
	}
	return text
}
