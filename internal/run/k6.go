package run

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"pooler-lab/internal/k6run"
)

// grace is how long k6 may take to end its statements, close its connections and write its summary after it was asked
// to stop.
func grace(cells ...k6run.Cell) time.Duration {
	all := 8 * time.Second
	for _, c := range cells {
		all += time.Duration(max(c.Clients, c.Instances*c.InstancePool)) * 20 * time.Millisecond
	}
	return all
}

// A generator is k6 after it has ended.
type generator struct {
	k6run.End
	printed string // the end of its log
}

// runK6 runs script once for a cell, with its output in log and what it measured in summary.
func runK6(ctx context.Context, script, log, summary, password string, c k6run.Cell) (generator, error) {
	env, err := c.Env()
	if err != nil {
		return generator{}, err
	}
	return runOrder(ctx, log, k6run.Order{Script: script, Output: "lab=" + summary, Env: env, Password: password,
		Clients: c.Clients, Grace: grace(c)})
}

// runOrder runs k6 once with its output in log.
func runOrder(ctx context.Context, log string, o k6run.Order) (generator, error) {
	output, err := os.Create(log)
	if err != nil {
		return generator{}, fmt.Errorf("make k6's log: %w", err)
	}
	defer output.Close()
	o.Stdout, o.Stderr = output, output
	end, err := k6run.Run(ctx, o)
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
