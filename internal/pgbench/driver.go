// Package pgbench runs pgbench and sums up its log of transactions as k6's output lab sums up k6.
package pgbench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"pooler-lab/internal/k6run"
	"pooler-lab/k6/summary"
)

// A Test is one run of pgbench whose figures are those of a window: what k6 does with a cell.
//
//   - With a warm-up, the window opens so long after all clients are connected, and lasts Seconds.
//   - Without one, it opens with pgbench itself and lasts Seconds: connecting is part of it.
//   - With Transactions, each client does as many and leaves. The window is then as long as that takes, connecting
//     included, and Seconds the most that it may last.
//
// pgbench has all clients connect before the first of them begins.
type Test struct {
	Program      string // pgbench where empty
	Script       string // what clients do over and over
	Explicit     bool   // the script is a transaction of several statements
	Protocol     string // simple, extended or prepared
	Clients      int
	Threads      int
	Scale        int     // of the data
	Seconds      float64 // length of the window
	Warmup       float64 // seconds
	Transactions int     // of each client; 0 is as many as the window has room for
	Seed         uint32
	Params       map[string]string // variables of the script
	DSN          string            // without a password
	Env          []string          // the whole environment
	Log          string            // file for what pgbench prints
}

// Run runs the test, and returns what k6 would have written of it. When it returns, pgbench has ended, whatever
// happened. A client that pgbench gave up is an error: the others are fewer than the test's.
func (t Test) Run(ctx context.Context) (*summary.Summary, k6run.End, error) {
	folder, err := os.MkdirTemp("", "pgbench")
	if err != nil {
		return nil, k6run.End{}, fmt.Errorf("make a folder for pgbench's log: %w", err)
	}
	defer os.RemoveAll(folder)
	script, log := filepath.Join(folder, "script.sql"), filepath.Join(folder, "log")
	if err := os.WriteFile(script, []byte(t.Script), 0o600); err != nil {
		return nil, k6run.End{}, fmt.Errorf("write pgbench's script: %w", err)
	}
	p, err := t.start(script, log)
	if err != nil {
		return nil, k6run.End{}, err
	}
	from, to, err := t.measure(ctx, p)
	p.Kill()
	end := p.End()
	err = errors.Join(err, p.keep(t.Log))
	if err == nil {
		err = p.failure()
	}
	if err != nil {
		return nil, end, err
	}
	tally := newTally(from, to)
	if err := tally.read(log); err != nil {
		return nil, end, err
	}
	return t.summary(p, tally), end, nil
}

// untilAlarm has a pgbench go on until somebody ends it, for an hour at most.
const untilAlarm = "--time=3600"

// args are pgbench's: it runs script, and the names of its log's files begin with prefix.
func (t Test) args(script, prefix string) []string {
	until := untilAlarm
	if t.Transactions > 0 {
		until = fmt.Sprintf("--transactions=%d", t.Transactions)
	}
	args := []string{"--log", "--log-prefix=" + prefix, "--progress=1", until, "--no-vacuum", "--file=" + script,
		"--protocol=" + t.Protocol, fmt.Sprintf("--scale=%d", t.Scale), fmt.Sprintf("--client=%d", t.Clients),
		fmt.Sprintf("--jobs=%d", min(t.Threads, t.Clients)), fmt.Sprintf("--random-seed=%d", t.Seed), "--failures-detailed"}
	for _, name := range slices.Sorted(maps.Keys(t.Params)) {
		args = append(args, "--define="+name+"="+t.Params[name])
	}
	return append(args, t.DSN)
}

// keep writes what pgbench printed to a file, unless none is wanted.
func (p *process) keep(file string) error {
	if file == "" {
		return nil
	}
	text := p.said() + "\n" + p.report.String()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return fmt.Errorf("write what pgbench printed: %w", err)
	}
	return nil
}
