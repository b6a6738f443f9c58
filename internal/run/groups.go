package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"pooler-lab/internal/k6run"
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
	"pooler-lab/k6/summary"
)

// followEvery is how often the groups that k6 has written are read.
const followEvery = 300 * time.Millisecond

// A follower reads the groups of a pair while k6 writes them, and has k6 stop once their interval is narrow enough.
type follower struct {
	cells    [summary.Sides]lesson.Cell
	pair     result.Pair
	progress *progress
	file     string // of the groups
	stop     string // file that ends k6

	offset  int64 // of the first byte not read yet
	groups  []summary.Group
	figures map[string][][2]float64
	precise bool // k6 was told to stop
	err     error

	quit chan struct{}
	done sync.WaitGroup
}

// follow begins to read; end ends it.
func (r *runner) follow(t *trial, told k6run.Pair) *follower {
	f := &follower{cells: t.cells, pair: t.pair, progress: r.progress, file: told.Groups, stop: told.Stop,
		figures: map[string][][2]float64{}, quit: make(chan struct{})}
	f.done.Go(func() {
		ticker := time.NewTicker(followEvery)
		defer ticker.Stop()
		for {
			select {
			case <-f.quit:
				return
			case <-ticker.C:
				f.update()
			}
		}
	})
	return f
}

// end reads what is left and returns what was wrong with the file.
func (f *follower) end() error {
	close(f.quit)
	f.done.Wait()
	if _, err := f.read(); err != nil && f.err == nil {
		f.err = err
	}
	return f.err
}

// update reads new groups, shows what they come to and ends k6 where that is enough.
func (f *follower) update() {
	more, err := f.read()
	if err != nil {
		f.err = err
	}
	if !more || f.precise || err != nil {
		return
	}
	widest := f.widest()
	n := len(f.groups)
	each := f.groups[n-1].End.Sub(f.groups[0].Start) / time.Duration(n)
	f.progress.groups(n, each, outcome.Groups(f.figures[f.pair.Metrics[0]]), widest)
	if n < outcome.FewestGroups || widest > f.pair.Until {
		return
	}
	if err := os.WriteFile(f.stop, nil, 0o644); err != nil {
		f.err = fmt.Errorf("tell k6 to stop: %w", err)
		return
	}
	f.precise = true
}

// widest is half the width of the widest interval of all the pair's metrics, as a share of its ratio: a comparison of
// each has to be precise.
func (f *follower) widest() float64 {
	most := 0.0
	for _, name := range f.pair.Metrics {
		most = max(most, outcome.HalfWidth(outcome.Groups(f.figures[name])))
	}
	return most
}

// read reads the groups that were written since, in whole lines: k6 may be writing the last one.
func (f *follower) read() (more bool, err error) {
	file, err := os.Open(f.file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read k6's groups: %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.NewSectionReader(file, f.offset, 1<<62))
	if err != nil {
		return false, fmt.Errorf("read k6's groups: %w", err)
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	f.offset += int64(len(text))
	for line := range bytes.Lines(text) {
		var g summary.Group
		if err := json.Unmarshal(line, &g); err != nil {
			return more, fmt.Errorf("read k6's group %d: %w", len(f.groups)+1, err)
		}
		if err := f.add(g); err != nil {
			return more, err
		}
		more = true
	}
	return more, nil
}

// add takes in a group: a figure of each metric that it measured on both sides.
func (f *follower) add(g summary.Group) error {
	f.groups = append(f.groups, g)
	for _, name := range f.pair.Metrics {
		m, err := metric.Find(name)
		if err != nil {
			return err
		}
		var figures [summary.Sides]float64
		both := true
		for side, c := range f.cells {
			repeat := result.Repeat{Status: result.OK, Measured: ofGroup(g.Sides[side])}
			figure, ok := m.Of(&result.Cell{Cell: c, Repeats: []result.Repeat{repeat}}, &repeat)
			figures[side], both = figure, both && ok
		}
		if both {
			f.figures[name] = append(f.figures[name], figures)
		}
	}
	return nil
}

// ofGroup is one side of a group in run.json's terms.
func ofGroup(g summary.GroupFigure) *result.Measured {
	m := &result.Measured{WindowSeconds: g.Seconds, Transactions: int64(g.Counters["pg_transactions"]), Trends: g.Trends,
		Counters: g.Counters}
	if g.Seconds > 0 {
		m.TPS = float64(m.Transactions) / g.Seconds
	}
	return m
}
