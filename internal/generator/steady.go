package generator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"pooler-lab/internal/shared"
)

// steady waits until the clients of a pgbench work at a steady rate, or have had the most time for that, and returns
// that moment. The names of the log's files begin with prefix.
func (p *pgbench) steady(ctx context.Context, prefix string) (from time.Time, err error) {
	log := rateLog{prefix: prefix, from: p.busy, files: map[string]*logFile{}}
	ticks := time.NewTicker(shared.Tick)
	defer ticks.Stop()
	for {
		select {
		case <-p.Ended():
			return from, errors.Join(errors.New("pgbench ended by itself"), p.failure())
		case <-ctx.Done():
			return from, p.late(ctx.Err())
		case from = <-ticks.C:
		}
		counts, err := log.counts()
		if err != nil {
			return from, fmt.Errorf("follow pgbench's log: %w", err)
		}
		p.warmed = from.Sub(p.busy)
		steady := p.warmed >= shared.Seconds(p.cell.Warmup) && shared.SteadyRate(counts)
		if steady || p.warmed >= shared.Seconds(settle(p.cell.Cell)) {
			return from, nil
		}
	}
}

// A rateLog is the log of a pgbench at work: a file a thread, to which pgbench writes some hundred lines at a time.
type rateLog struct {
	prefix string // of the files' names
	from   time.Time
	files  map[string]*logFile
}

// A logFile is what was read of a thread's log.
type logFile struct {
	Follower
	ends []int64 // transactions that ended in each tick
}

// counts are the transactions that ended in each tick since the log's beginning, as far as all threads have written
// theirs.
func (l *rateLog) counts() (counts []int64, err error) {
	names, err := filepath.Glob(l.prefix + ".*")
	if err != nil {
		return nil, err
	}
	for n, name := range names {
		f := l.files[name]
		if f == nil {
			f = &logFile{Follower: Follower{File: name}}
			l.files[name] = f
		}
		if err := f.follow(l.from); err != nil {
			return nil, err
		}
		whole := f.ends[:max(0, len(f.ends)-1)] // of the last tick there may be more
		if n == 0 {
			counts = append(counts, whole...)
		}
		counts = counts[:min(len(counts), len(whole))]
		for i := range counts {
			if n > 0 {
				counts[i] += whole[i]
			}
		}
	}
	return counts, nil
}

// follow counts the transactions that were logged since.
func (f *logFile) follow(from time.Time) error {
	text, err := f.Lines()
	if err != nil {
		return err
	}
	for line := range bytes.Lines(text) {
		t, err := parseTransaction(string(bytes.TrimSpace(line)))
		if err != nil {
			return err
		}
		tick := int(t.ended.Sub(from) / shared.Tick)
		for len(f.ends) <= tick {
			f.ends = append(f.ends, 0)
		}
		f.ends[max(0, tick)]++
	}
	return nil
}
