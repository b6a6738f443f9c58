package run

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"pooler-lab/internal/k6run"
	"pooler-lab/internal/lesson"
)

// grace is how long k6 may take to end its statements, close its connections and write its summary after it was asked
// to stop.
func grace(cells []k6run.Cell) time.Duration {
	all := 8 * time.Second
	for _, c := range cells {
		all += time.Duration(c.Connections()) * 20 * time.Millisecond
	}
	return all
}

// A generator is k6 after it has ended.
type generator struct {
	k6run.End
	printed string // the end of its log
}

// drive runs the program that the clients are in, once, with what it prints in log and what it measured in written.
func (r *runner) drive(ctx context.Context, t *trial, told k6run.Trial, log, written string) (generator, error) {
	if s := t.sides[0]; s.cell.DrivenBy() == lesson.Pgbench {
		return runPgbench(ctx, s.Path, told.Cells[0], log, written)
	}
	return runK6(ctx, r.script, log, written, told)
}

// runK6 runs script once for a trial, with its output in log and what it measured in written.
func runK6(ctx context.Context, script, log, written string, told k6run.Trial) (generator, error) {
	env, err := told.Env()
	if err != nil {
		return generator{}, err
	}
	output, err := os.Create(log)
	if err != nil {
		return generator{}, fmt.Errorf("make k6's log: %w", err)
	}
	defer output.Close()
	end, err := k6run.Run(ctx, k6run.Order{Script: script, Output: "lab=" + written, Env: env,
		Password: told.Cells[0].Password, Clients: told.Clients(), Stdout: output, Stderr: output,
		Grace: grace(told.Cells)})
	return generator{end, lastLines(log, 5)}, err
}

// complain returns why what k6 measured can't be used, or nil where it can: it didn't end before limited did, or ended
// with an error, or its summary could not be read. why is what went wrong with its clients.
func (g generator) complain(limited context.Context, deadline time.Duration, readErr error, why string) error {
	switch {
	case limited.Err() != nil:
		return fmt.Errorf("it did not end within its deadline of %v", deadline)
	case g.Exit != 0:
		return fmt.Errorf("k6 ended with code %d: %s%s", g.Exit, g.printed, why)
	case readErr != nil:
		return fmt.Errorf("k6 left no summary: %w: %s", readErr, g.printed)
	}
	return nil
}

// lastLines returns the last n lines that are not empty of a file, for a message.
func lastLines(file string, n int) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
