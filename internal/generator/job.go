package generator

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/shared"
)

// A Task is what k6/lib/lab.js is told of a cell: the plan's own, and what a plan doesn't know.
type Task struct {
	lesson.Cell
	DSN      string  `json:"dsn"` // without a password
	Deadline float64 `json:"deadline_seconds"`
	// TCPHandshake is how long its link holds back what a client's new connection sends first, in ms: see cmd/toxiproxy.
	TCPHandshake float64 `json:"tcp_handshake_ms,omitempty"`
	// Settle is the most seconds that its clients iterate before their window opens, until their rate is steady; 0 where
	// it opens as soon as they are ready.
	Settle   float64 `json:"settle_seconds,omitempty"`
	Scale    int     `json:"scale"` // of the data
	Seed     uint32  `json:"seed"`  // of random numbers
	Password string  `json:"-"`     // of its role
}

// A Job is what one k6, or pgbench, is told: one cell, two whose clients alternate, slot by slot, or any number whose
// clients have one window. Of one by itself, Cells is all of it. pgbench has one.
type Job struct {
	Cells    []Task `json:"cells"`
	Together bool   `json:"together,omitempty"` // they have one window
	// Opened is the file to which the moment goes at which that opens. The ledger of all attempts is beside the summary.
	Opened string  `json:"opened_file,omitempty"`
	SlotMS float64 `json:"slot_ms"`         // counted part of each slot; 0 has k6 choose it
	AtMost float64 `json:"at_most_seconds"` // from the first group to the last, or of the one window
	// Settle is how many seconds more two cells have until both are steady.
	Settle float64 `json:"settle_seconds,omitempty"`
	Fewest int     `json:"fewest_groups"`    // that have to fit into it, or the pair is too slow; 0: any
	End    float64 `json:"deadline_seconds"` // of the whole script
	Seed   uint32  `json:"seed"`             // of the order of the slots in each group
	// Groups is the file to which each group is added as it is complete: a line of JSON, see summary.Group.
	Groups string `json:"groups_file"`
	// Stop is a file that doesn't exist: once it does, k6 ends after the group under way, or the one window closes.
	Stop string `json:"stop_file"`
}

// settleMost is the most seconds that a closed loop has until its rate is steady. On a slow machine, twenty connections
// that read all of a table take about as long.
const settleMost = 15

// settle is how long the cell's clients iterate before their window opens, at most.
func settle(c lesson.Cell) float64 {
	if c.Rate > 0 || c.Transactions > 0 || c.Warmup == 0 {
		return 0
	}
	return max(c.Warmup, settleMost)
}

// LeastWarmup is the least time in seconds that the cell's clients warm up before their window opens.
func LeastWarmup(c lesson.Cell) float64 {
	if settle(c) == 0 {
		return c.Warmup
	}
	return max(c.Warmup, (shared.LeastTicks * shared.Tick).Seconds())
}

// BesideWindow is what k6 may take for a cell beside its window, in seconds, before its deadline ends it. Clients may
// take their time to connect and to do their first iterations, unless connecting is part of the work: a window waits
// for them, so this only ends what hangs. It is several times what a slow machine needs, which takes some 50 ms to
// close each connection.
func BesideWindow(c lesson.Cell) float64 {
	connections := float64(c.Connections())
	seconds := max(c.Warmup, settle(c)) + 20 + 0.05*connections // to start and to end
	if c.Transactions == 0 {
		seconds += 120 + 0.5*connections
	}
	return seconds
}

// Run runs the program that the trial's clients are in: pgbench, or k6 with that script. What it prints goes to the
// file log, and what it measured to the file written, as summary.Read reads it. When it returns, the program has ended:
// where ctx ended first, it was stopped.
func (t Job) Run(ctx context.Context, script, log, written string) (End, error) {
	output, err := os.Create(log)
	if err != nil {
		return End{}, fmt.Errorf("make a log for what the clients' program prints: %w", err)
	}
	defer output.Close()
	if c := t.Cells[0]; c.DrivenBy() == lesson.Pgbench {
		return c.runPgbench(ctx, output, written)
	}
	env, err := t.Env()
	if err != nil {
		return End{}, err
	}
	k6 := Order{Script: script, Output: "lab=" + written, Env: env, Password: t.Cells[0].Password, Stdout: output,
		Stderr: output, Grace: 8 * time.Second} // to end its statements and to write its summary
	for _, c := range t.Cells {
		k6.Clients += c.Clients
		k6.Grace += time.Duration(c.Connections()) * 20 * time.Millisecond // to close them
	}
	return k6.run(ctx)
}

// Env is the environment that tells k6 of the trial: LAB_CELL, or, of several cells, LAB_TRIAL, and LAB_TRIAL_PASSWORDS
// as a list.
func (t Job) Env() ([]string, error) {
	var passwords []string
	for i := range t.Cells {
		if len(t.Cells[i].Params) == 0 {
			t.Cells[i].Params = map[string]any{}
		}
		passwords = append(passwords, t.Cells[i].Password)
	}
	if len(t.Cells) == 1 && !t.Together {
		t.Cells[0].Settle = settle(t.Cells[0].Cell)
		cell, err := variable("LAB_CELL", t.Cells[0])
		return []string{cell}, err
	}
	trial, err := variable("LAB_TRIAL", t)
	if err != nil {
		return nil, err
	}
	secret, err := variable("LAB_TRIAL_PASSWORDS", passwords)
	return []string{trial, secret}, err
}

// variable is one of the environment, whose value is JSON.
func variable(name string, value any) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("write %s for k6: %w", name, err)
	}
	return name + "=" + string(text), nil
}
