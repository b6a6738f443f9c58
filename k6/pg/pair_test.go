package pg

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pooler-lab/k6/summary"
	"pooler-lab/test/testkit"
)

// A trial is a k6 that runs a pair.
type trial struct {
	t       *testing.T
	command *exec.Cmd
	out     strings.Builder
	summary string // files
	groups  string
	stop    string
}

// newTrial returns a k6 that is to run a script for a pair of cells, which differ from two clients as said. It goes on
// until it is told to stop unless changed says otherwise.
func newTrial(t *testing.T, script, dsn string, changed map[string]any, cells ...map[string]any) *trial {
	t.Helper()
	folder := t.TempDir()
	tr := &trial{t: t, summary: filepath.Join(folder, "pair.json"), groups: filepath.Join(folder, "pair.groups"),
		stop: filepath.Join(folder, "stop")}
	pair := map[string]any{"cells": []any{}, "slot_ms": 30, "at_most_seconds": 600,
		"deadline_seconds": 610, "seed": 7, "groups_file": tr.groups, "stop_file": tr.stop}
	for at := range summary.Sides {
		cell := cellOf(summary.SideNames[at], dsn, nil)
		if at < len(cells) {
			maps.Copy(cell, cells[at])
		}
		pair["cells"] = append(pair["cells"].([]any), cell)
	}
	maps.Copy(pair, changed)
	tr.command = labCommand(t, "LAB_TRIAL", pair, tr.summary, script)
	tr.command.Env = append(tr.command.Env, `LAB_TRIAL_PASSWORDS=["", ""]`)
	tr.command.Stdout, tr.command.Stderr = &tr.out, &tr.out
	return tr
}

// start starts k6 and waits until there are so many groups in which each side has done something.
func (tr *trial) start(groups int) *trial {
	tr.t.Helper()
	if err := tr.command.Start(); err != nil {
		tr.t.Fatal(err)
	}
	busy := func(g summary.Group) bool {
		return g.Sides[summary.Of].Counters["pg_iterations"] > 0 && g.Sides[summary.To].Counters["pg_iterations"] > 0
	}
	return tr.until(func() bool { return count(tr.lines(), busy) >= groups })
}

// until waits until something is so.
func (tr *trial) until(so func() bool) *trial {
	tr.t.Helper()
	testkit.Eventually(tr.t, func() string {
		if so() {
			return ""
		}
		return fmt.Sprintf("there are %d groups:\n%s", len(tr.lines()), tr.out.String())
	})
	return tr
}

// count is how many of the groups are so.
func count(groups []summary.Group, so func(summary.Group) bool) (n int) {
	for _, g := range groups {
		if so(g) {
			n++
		}
	}
	return n
}

// lines are the groups in the file: each line is a whole one.
func (tr *trial) lines() (groups []summary.Group) {
	tr.t.Helper()
	text, _ := os.ReadFile(tr.groups) // which isn't there at first
	for line := range strings.Lines(string(text)) {
		var g summary.Group
		if err := json.Unmarshal([]byte(line), &g); err != nil {
			tr.t.Fatalf("%v: %s", err, line)
		}
		groups = append(groups, g)
	}
	return groups
}

// stopped has the stop file made, waits for the end and returns the summary.
func (tr *trial) stopped() *summary.Test {
	tr.t.Helper()
	if err := os.WriteFile(tr.stop, nil, 0o600); err != nil {
		tr.t.Fatal(err)
	}
	return tr.ended(0)
}

// ended waits for k6 to end and returns the summary.
func (tr *trial) ended(exit int) *summary.Test {
	tr.t.Helper()
	_ = tr.command.Wait()
	if got := tr.command.ProcessState.ExitCode(); got != exit {
		tr.t.Errorf("k6 ended with %d:\n%s", got, tr.out.String())
	}
	p, err := summary.Read(tr.summary)
	if err != nil {
		tr.t.Fatalf("%v\n%s", err, tr.out.String())
	}
	return p
}

// checkSums compares the groups with the summaries of the sides: they are of the same samples.
func (tr *trial) checkSums(p *summary.Test) {
	tr.t.Helper()
	groups := tr.lines()
	if len(groups) != p.Groups || p.Groups == 0 {
		tr.t.Errorf("%d lines of %d groups", len(groups), p.Groups)
	}
	for side, s := range p.Sides {
		counters, values, seconds := map[string]float64{}, map[string]int64{}, 0.0
		for _, g := range groups {
			seconds += g.Sides[side].Seconds
			for name, sum := range g.Sides[side].Counters {
				counters[name] += sum
			}
			for name, trend := range g.Sides[side].Trends {
				values[name] += trend.Count
			}
		}
		for name, phases := range s.Counters {
			if sum, listed := counters[name]; strings.HasPrefix(name, "pg_") && (!listed || sum != phases[summary.Measured]) {
				tr.t.Errorf("side %d: of %s the groups have %v, the side %v", side, name, sum, phases[summary.Measured])
			}
		}
		for name, phases := range s.Trends {
			if values[name] != phases[summary.Measured].Count {
				tr.t.Errorf("side %d: of %s the groups have %d values, the side %d", side, name, values[name],
					phases[summary.Measured].Count)
			}
		}
		if s.Window == nil || math.Abs(seconds-s.Window.Seconds) > 1e-6 {
			tr.t.Errorf("side %d: the groups have %v s, the window is %+v", side, seconds, s.Window)
		}
	}
}

// Ctrl-C leaves whole groups, and a summary that has more than they: of the group under way.
func TestInterruptedPair(t *testing.T) {
	t.Parallel()
	own := newLabScript(t, `export const own = workload((client) => client.exec('SELECT 1'));`)
	tr := newTrial(t, own, testDSN(t), nil).start(2)
	if err := tr.command.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	p := tr.ended(105)
	groups := tr.lines()
	if len(groups) != p.Groups || p.Groups < 2 || p.Failure != "" {
		t.Errorf("%d lines of the pair %+v", len(groups), p)
	}
	for side, s := range p.Sides {
		counted := 0.0
		for _, g := range groups {
			counted += g.Sides[side].Counters["pg_iterations"]
		}
		if counted == 0 || counted > s.Counters["pg_iterations"][summary.Measured] {
			t.Errorf("side %d: the groups have %v iterations, the side %v", side, counted, s.Counters["pg_iterations"])
		}
	}
}

func TestPair(t *testing.T) {
	t.Parallel()
	own := newLabScript(t, `
		const numbers = counter('lab_numbers');
		export const own = workload({ warm: 1 }, (client, { params }) => {
			client.exec({ name: 'own', sql: 'SELECT pg_sleep($1::float8 / 1000)' }, params.sleep_ms);
			numbers.add(clientNumber());
		});`)
	of := map[string]any{"params": map[string]any{"sleep_ms": 1}}
	to := map[string]any{"params": map[string]any{"sleep_ms": 3}, "clients": 3}
	tr := newTrial(t, own, testDSN(t), map[string]any{"slot_ms": 130}, of, to).start(2)
	p := tr.stopped()
	tr.checkSums(p)
	for side, s := range p.Sides {
		clients := int64(side + 2)
		if s.Count("pg_connections", summary.Whole) != clients || s.Window.Ready != int(clients) || len(s.Errors) > 0 {
			t.Errorf("side %d: %d connections, %+v", side, s.Count("pg_connections", summary.Whole), s.Ending)
		}
		iterations, numbers := s.Count("pg_iterations", "warmup"), s.Count("lab_numbers", "warmup")
		if most := iterations * clients; numbers <= iterations || numbers >= most {
			t.Errorf("side %d: in %d iterations the clients' numbers add up to %d", side, iterations, numbers)
		}
		least := []float64{1, 3}[side]
		if got := s.Statements["own"]; got.Min < least || got.Count != s.Count("pg_transactions", summary.Measured) {
			t.Errorf("side %d: its statements are %+v", side, got)
		}
		if p.MedianMS[side] < least || s.First["pg_connect"].Count != 1 || s.Later["pg_connect"].Count != clients-1 {
			t.Errorf("side %d: an iteration takes %v ms; connects are %v, %v", side, p.MedianMS[side], s.First, s.Later)
		}
	}
}

// Sides that have the same options don't share the pools of their instances.
func TestPairOfInstances(t *testing.T) {
	t.Parallel()
	own := newLabScript(t, `export const own = workload((client) => client.exec('SELECT pg_sleep(0.002)'));`)
	cell := map[string]any{"path": "same", "clients": 4, "instances": 2, "instance_pool": 1}
	tr := newTrial(t, own, testDSN(t), nil, cell, cell).start(1)
	p := tr.stopped()
	tr.checkSums(p)
	for side, s := range p.Sides {
		if opened := s.Count("pg_connections", summary.Whole); opened != 2 || len(s.Errors) > 0 {
			t.Errorf("side %d: two instances of one connection each opened %d, with %+v", side, opened, s.Errors)
		}
	}
}

// A client whose connection drops connects again in its next iteration. Errors are those of its side.
func TestDroppedConnectionsInAPair(t *testing.T) {
	t.Parallel()
	own := newLabScript(t, `let iterations = 0; export const own = workload((client, { params }) => {
		client.exec('SELECT pg_sleep(0.001)');
		if (params.drops && iterations++ % 3 === 2) client.exec('SELECT pg_terminate_backend(pg_backend_pid())');
	});`)
	drops := map[string]any{"params": map[string]any{"drops": true}}
	tr := newTrial(t, own, testDSN(t), map[string]any{"slot_ms": 300}, map[string]any{}, drops).start(2)
	again := func(g summary.Group) bool { return g.Sides[summary.To].Counters["pg_reconnects"] > 0 }
	p := tr.until(func() bool { return count(tr.lines(), again) > 0 }).stopped()
	tr.checkSums(p)
	of, to := p.Sides[summary.Of], p.Sides[summary.To]
	if len(of.Errors) > 0 || of.Count("pg_reconnects", summary.Whole) != 0 {
		t.Errorf("the side that drops nothing has %+v", of.Ending)
	}
	if len(to.Errors) == 0 || to.Errors[0].Code != "57P01" || to.Count("pg_reconnects", summary.Whole) == 0 {
		t.Errorf("the side that drops connections has %+v", to.Ending)
	}
}
