package run

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"pooler-lab/internal/link"
	"pooler-lab/internal/result"
	"pooler-lab/internal/server"
	"pooler-lab/k6/summary"
)

func (r *runner) pathsOf(t *trial) (err error) {
	for side, c := range t.cells {
		if t.paths[side], err = r.path(c); err != nil {
			return err
		}
	}
	return nil
}

// links are what both cells want on their links; the error names one on which they want different things.
func (t *trial) links() (map[string]link.Settings, error) {
	all := map[string]link.Settings{}
	for side, c := range t.cells {
		for name, s := range linkSettings(c, t.paths[side]) {
			if other, has := all[name]; has && other != s {
				return nil, fmt.Errorf("the cells of the pair want different latencies or bandwidths on link %s", name)
			}
			all[name] = s
		}
	}
	return all, nil
}

// preparation is what both cells want of the servers; the error names a setting that they want to be different.
func (t *trial) preparation() (server.Preparation, error) {
	p := server.Preparation{Settings: map[string]map[string]string{}}
	for side, c := range t.cells {
		p.Writes = p.Writes || c.Writes
		for component, wanted := range settings(c, t.paths[side]) {
			if p.Settings[component] == nil {
				p.Settings[component] = map[string]string{}
			}
			for name, value := range wanted {
				if other, has := p.Settings[component][name]; has && other != value {
					return p, fmt.Errorf("the cells of the pair want %s of %s to be %s and %s", name, component, other, value)
				}
			}
			maps.Copy(p.Settings[component], wanted)
		}
	}
	return p, nil
}

// beginPair does what begin does, for both cells.
func (r *runner) beginPair(ctx context.Context, t *trial, toxics link.Snapshot) (
	tallies [summary.Sides]server.Tally, err error) {
	var fill [summary.Sides]bool
	for side, c := range t.cells {
		t.paths[side].SetMS = setMS(t.paths[side], toxics)
		fill[side] = c.Fill
		if r.kind(c) == filling {
			r.progress.enter("filling pools")
		}
	}
	beginnings, err := r.servers.BeginPair(ctx, t.paths, fill)
	var wrong string
	for side, b := range beginnings {
		out := &t.repeats[side]
		out.Proof = append(out.Proof, b.Facts...)
		out.RoundTrip, tallies[side] = b.RoundTrip, b.Tally
		if said := server.Wrong(b.Facts); said != "" {
			wrong = t.paths[side].Name + ": " + said
		}
	}
	if wrong != "" {
		return tallies, errors.New(wrong)
	}
	return tallies, err
}

// reconcilePair does what reconcile does, for both cells.
func (r *runner) reconcilePair(ctx context.Context, t *trial, before [summary.Sides]server.Tally) {
	var k6 [summary.Sides]result.Counted
	for side := range t.repeats {
		k6[side] = t.repeats[side].Measured.Counted
	}
	counts, shares, err := r.servers.ReconcilePair(ctx, t.paths, before, k6)
	if history, any := t.history(); err == nil && any {
		var rows result.Count
		rows, err = r.servers.CountHistory(ctx, history)
		for side, c := range t.cells {
			if writesHistory(c, t.paths[side]) {
				counts[side] = append(counts[side], rows)
			}
		}
	}
	for side := range t.repeats {
		out := &t.repeats[side]
		if err != nil {
			out.Uncounted = err.Error()
			continue
		}
		out.Counts, out.Shares = append(out.Counts, counts[side]...), append(out.Shares, shares[side]...)
	}
}

// history is how many rows of pgbench_history the pair's clients inserted, where any does.
func (t *trial) history() (rows int64, any bool) {
	for side, c := range t.cells {
		if writesHistory(c, t.paths[side]) {
			rows, any = rows+t.repeats[side].Measured.Counted.Transactions, true
		}
	}
	return rows, any
}
