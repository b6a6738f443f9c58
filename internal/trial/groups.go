package trial

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"pooler-lab/internal/generator"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
	"pooler-lab/internal/shared"
	"pooler-lab/k6/summary"
)

// followEvery is how often the groups that k6 has written are read.
const followEvery = 300 * time.Millisecond

// A follower reads the groups of a pair while k6 writes them. It has k6 stop once their interval is narrow enough, and
// where they can't be read.
type follower struct {
	sides []*Side
	pair  *result.Pair // whose groups and figures they are
	tell  func(*result.Pair, outcome.Interval)
	file  generator.Follower // of the groups
	stop  string             // file that ends k6

	start   time.Time // of the first group
	stopped bool      // k6 was told to stop
	err     error     // of reading, the first
}

// follow begins to read the groups of a pair; end reads what is left, and returns what was wrong with them.
func (lab *Lab) follow(t *Trial, told generator.Job) (end func() error) {
	f := &follower{sides: t.Sides, pair: t.Pair, tell: lab.Groups, file: generator.Follower{File: told.Groups},
		stop: told.Stop}
	t.Pair.File, t.Pair.Figures, t.Pair.Ending = t.file()+".groups", map[string][][2]float64{}, result.TimeOver
	stop := shared.Repeat(followEvery, f.update)
	return func() error {
		stop()
		f.read()
		os.Remove(f.stop)
		return f.err
	}
}

// update reads new groups, shows what they come to and ends k6 where that is enough, or they can't be read.
func (f *follower) update() {
	more := f.read()
	if f.stopped || f.err == nil && !more {
		return
	}
	if f.err == nil {
		f.tell(f.pair, outcome.Groups(f.pair.Figures[f.pair.Metrics[0]]))
		if f.pair.Ending = f.ending(); f.pair.Ending == "" {
			f.pair.Ending = result.TimeOver // k6's own
			return
		}
	}
	f.stopped = true
	if err := os.WriteFile(f.stop, nil, 0o644); err != nil && f.err == nil {
		f.err = fmt.Errorf("tell k6 to stop: %w", err)
	}
}

// ending is why the groups are enough, "" where they aren't. Until the pair is steady in all its metrics, they never
// are: k6 ends a pair that doesn't get there. A comparison of each metric has to be precise.
func (f *follower) ending() string {
	enough := true
	f.pair.Warming = 0
	for _, name := range f.pair.Metrics {
		i := outcome.Groups(f.pair.Figures[name])
		if i.NeverSteady || !i.Known() {
			return ""
		}
		enough = enough && i.Enough(f.pair.Until)
		f.pair.Warming = max(f.pair.Warming, i.Warming)
	}
	groups := float64(f.pair.Groups)
	f.pair.WarmingSeconds = f.pair.Seconds * float64(f.pair.Warming) / groups
	switch {
	case enough:
		return result.Precise
	case f.pair.Seconds*(1+1/groups)-f.pair.WarmingSeconds > f.pair.AtMost: // with one group more
		return result.TimeOver
	}
	return ""
}

// read reads the groups that were written since, in whole lines: k6 may be writing the last one. It says whether there
// are any. After an error nothing is read any more.
func (f *follower) read() (more bool) {
	if f.err != nil {
		return false
	}
	before := f.pair.Groups
	text, err := f.file.Lines()
	for line := range bytes.Lines(text) {
		var g summary.Group
		if err = json.Unmarshal(line, &g); err == nil {
			err = f.add(g)
		}
		if err != nil {
			err = fmt.Errorf("group %d: %w", f.pair.Groups+1, err)
			break
		}
	}
	if err != nil {
		f.err = fmt.Errorf("read k6's groups: %w", err)
	}
	return f.pair.Groups > before
}

// add takes in a group: a figure of each metric that it measured on both sides.
func (f *follower) add(g summary.Group) error {
	for _, name := range f.pair.Metrics {
		m, err := metric.Find(name)
		if err != nil {
			return err
		}
		var figures [summary.Sides]float64
		both := true
		for side, s := range f.sides {
			figure, ok := m.Of(&result.Cell{Cell: s.Cell}, &result.Repeat{Measured: ofGroup(g.Sides[side])})
			figures[side], both = figure, both && ok
		}
		if both {
			f.pair.Figures[name] = append(f.pair.Figures[name], figures)
		}
	}
	if f.pair.Groups == 0 {
		f.start = g.Start
	}
	f.pair.Groups++
	f.pair.Seconds = g.End.Sub(f.start).Seconds()
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
