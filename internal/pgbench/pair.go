package pgbench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"pooler-lab/internal/sample"
)

// A Pair is two pgbenches that alternate: while one is active, the other stands still (SIGSTOP), with its clients
// connected.
type Pair struct {
	Sides  [2]Load
	Groups int // of four slots
	Seed   uint64
}

// A Result is what a pair did.
type Result struct {
	Slots  []Slot
	Ratios []float64 // of B's throughput to A's, one a group
	Logs   [2]*Log
	CPU    time.Duration // that both took in the slots
}

// toConnect is how long the clients of a side may take to connect, and toEnd how long its last transactions may take.
const (
	toConnect = 30 * time.Second
	toEnd     = 30 * time.Second
)

// Run runs the pair. When it returns, neither of the two programs is left, whatever happened.
func (p Pair) Run(ctx context.Context) (*Result, error) {
	folder, err := os.MkdirTemp("", "pgbench")
	if err != nil {
		return nil, fmt.Errorf("make a folder for pgbench's logs: %w", err)
	}
	defer os.RemoveAll(folder)
	var programs [2]*process
	prefix := func(side Side) string { return filepath.Join(folder, side.String()) }
	for side, load := range p.Sides {
		if programs[side], err = load.start(prefix(Side(side)), untilAlarm); err != nil {
			return nil, err
		}
		defer programs[side].kill()
		if err := programs[side].settle(ctx); err != nil {
			return nil, err
		}
	}
	result, err := p.alternate(ctx, programs)
	if err != nil {
		return nil, err
	}
	for side, program := range programs {
		if err := program.finish(toEnd); err != nil {
			return nil, err
		}
		if result.Logs[side], err = ReadLogs(prefix(Side(side))); err != nil {
			return nil, err
		}
		Count(result.Slots, Side(side), result.Logs[side].Transactions)
	}
	result.Ratios, err = Ratios(result.Slots)
	return result, err
}

// settle waits until all clients are busy, and stops the program.
func (p *process) settle(ctx context.Context) error {
	select {
	case <-p.ready:
		return p.signal(syscall.SIGSTOP)
	case <-p.ended:
		return errors.Join(errors.New("pgbench ended before its clients were connected"), p.failure())
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(toConnect):
		return fmt.Errorf("pgbench's clients weren't connected within %v", toConnect)
	}
}

// alternate lets one of the two go on at a time, slot after slot.
func (p Pair) alternate(ctx context.Context, programs [2]*process) (*Result, error) {
	result := &Result{}
	before, err := consumed(programs)
	if err != nil {
		return nil, err
	}
	for _, side := range Order(p.Groups, p.Seed) {
		slot, err := programs[side].slot(ctx)
		if err != nil {
			return nil, err
		}
		slot.Side = side
		result.Slots = append(result.Slots, slot)
	}
	after, err := consumed(programs)
	result.CPU = after - before
	return result, err
}

// slot lets a program go on for one slot.
func (p *process) slot(ctx context.Context) (Slot, error) {
	slot := Slot{Start: time.Now()}
	if err := p.signal(syscall.SIGCONT); err != nil {
		return slot, err
	}
	select {
	case <-time.After(SlotLength):
	case <-p.ended:
		return slot, errors.Join(errors.New("pgbench ended by itself"), p.failure())
	case <-ctx.Done():
		return slot, ctx.Err()
	}
	slot.End = time.Now()
	return slot, p.signal(syscall.SIGSTOP)
}

// consumed is the CPU time that both have taken until now.
func consumed(programs [2]*process) (time.Duration, error) {
	var sum time.Duration
	for _, p := range programs {
		one, err := sample.ProcessCPU(p.command.Process.Pid)
		if err != nil {
			return 0, err
		}
		sum += one
	}
	return sum, nil
}
