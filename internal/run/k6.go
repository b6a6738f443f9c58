package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
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

// drive runs the program that the clients are in, once, with what it prints in log and what it measured in written.
func (r *runner) drive(ctx context.Context, t *trial, told k6run.Trial, log, written string) (k6run.End, error) {
	if s := t.sides[0]; s.cell.DrivenBy() == lesson.Pgbench {
		return runPgbench(ctx, s.Path, told.Cells[0], log, written)
	}
	env, err := told.Env()
	if err != nil {
		return k6run.End{}, err
	}
	output, err := os.Create(log)
	if err != nil {
		return k6run.End{}, fmt.Errorf("make k6's log: %w", err)
	}
	defer output.Close()
	return k6run.Run(ctx, k6run.Order{Script: r.script, Output: "lab=" + written, Env: env,
		Password: told.Cells[0].Password, Clients: told.Clients(), Stdout: output, Stderr: output,
		Grace: grace(told.Cells)})
}

// lastLines returns the last five lines that are not empty of a file in the run's folder, for a message.
func (r *runner) lastLines(file string) string {
	text, _ := os.ReadFile(filepath.Join(r.dir, file))
	var lines []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-5):], "\n")
}
