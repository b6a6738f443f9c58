package crosscheck

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"pooler-lab/internal/k6run"
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/pgbench"
	"pooler-lab/internal/server"
	"pooler-lab/internal/topology"
	"pooler-lab/k6/summary"
)

// orderGroups are the groups of slots after which k6's order of sides begins again.
const orderGroups = 64

// alternation is what k6/crosscheck.js is told of a pair (params), beside the cell of its side A.
type alternation struct {
	Other  other  `json:"other"`
	SlotMS int64  `json:"slot_ms"`
	LeadMS int64  `json:"lead_ms"`
	Order  string `json:"order"` // the side of each slot since 1970, over and over: ABBABAAB...
}

// other is the path of side B.
type other struct {
	Path string `json:"path"`
	DSN  string `json:"dsn"`
}

// pairCell makes a k6 cell of a pair.
func (p pair) pairCell(ends [2]topology.Endpoint, scale int) (k6run.Cell, error) {
	order := ""
	for _, side := range pgbench.Order(orderGroups, p.seed) {
		order += side.String()
	}
	params, err := json.Marshal(alternation{
		Other:  other{Path: p.paths[pgbench.B], DSN: ends[pgbench.B].DSN(p.role)},
		SlotMS: pgbench.SlotLength.Milliseconds(), LeadMS: pgbench.Lead.Milliseconds(), Order: order})
	if err != nil {
		return k6run.Cell{}, fmt.Errorf("write the pair for k6: %w", err)
	}
	// The window may open in the midst of a group and close in the midst of another.
	seconds := float64((p.groups+2)*pgbench.GroupSlots) * pgbench.SlotLength.Seconds()
	return k6run.Cell{Cell: lesson.Cell{Path: p.paths[pgbench.A], Workload: "alternate", Params: params,
		Protocol: p.protocol, Role: p.role, Clients: 2 * p.clients, Seconds: seconds},
		DSN: ends[pgbench.A].DSN(p.role), Scale: scale,
		Deadline: k6run.GettingReady(2*p.clients) + seconds + patience}, nil
}

// runK6 runs the pair in one k6, which holds the clients of both paths.
func (p pair) runK6(ctx context.Context, ends [2]topology.Endpoint, scale int) (*part, error) {
	folder, err := os.MkdirTemp("", "crosscheck")
	if err != nil {
		return nil, fmt.Errorf("make a folder for k6's summary: %w", err)
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "summary.json")
	cell, err := p.pairCell(ends, scale)
	if err != nil {
		return nil, err
	}
	env, err := k6run.Trial{Cells: []k6run.Cell{cell}}.Env()
	if err != nil {
		return nil, err
	}
	var printed bytes.Buffer
	process, err := k6run.Start(k6run.Order{
		Script: filepath.Join(topology.Root(), "k6/crosscheck.js"), Output: "lab=" + file,
		Env: env, Password: server.Password(p.role), Stdout: &printed, Stderr: &printed, Grace: grace})
	if err != nil {
		return nil, err
	}
	readings := watchCPU(ctx, process)
	if ctx.Err() != nil {
		process.Stop()
		return nil, ctx.Err()
	}
	if end := process.End(); end.Err != nil || end.Exit != 0 {
		said := strings.TrimSpace(pairLine.ReplaceAllString(printed.String(), ""))
		return nil, errors.Join(end.Err, fmt.Errorf("k6 ended with code %d: %s", end.Exit, said))
	}
	test, err := summary.Read(file)
	if err != nil {
		return nil, err
	}
	seen := test.Sides[0]
	if err := wentWell(seen, 2*p.clients); err != nil {
		return nil, err
	}
	return p.partOf(seen, printed.String(), readings)
}

// A reading is the CPU time that a process had taken at a moment.
type reading struct {
	at  time.Time
	cpu time.Duration
}

// watchCPU reads k6's CPU time over and over until it has ended, or ctx has.
func watchCPU(ctx context.Context, process *k6run.Process) []reading {
	var readings []reading
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return readings
		case <-process.Ended():
			return readings
		case <-ticker.C:
			if cpu, err := process.CPU(); err == nil { // it ends at any time
				readings = append(readings, reading{time.Now(), cpu})
			}
		}
	}
}

// between returns the CPU time from one moment to another, read as near to them as it was.
func between(readings []reading, from, to time.Time) time.Duration {
	at := func(moment time.Time) time.Duration {
		for _, r := range readings {
			if !r.at.Before(moment) {
				return r.cpu
			}
		}
		if len(readings) == 0 {
			return 0
		}
		return readings[len(readings)-1].cpu
	}
	return at(to) - at(from)
}

// pairLine is what a client of k6/crosscheck.js prints: of each slot its number, its transactions and how many of them
// were counted.
var pairLine = regexp.MustCompile(`slots-([AB])=([0-9:.;]+)`)

// partOf reads what k6's clients printed.
func (p pair) partOf(seen *summary.Summary, printed string, readings []reading) (*part, error) {
	slots := p.slotsWithin(seen.Window.Start, seen.Window.End)
	if len(slots) == 0 {
		return nil, errors.New("k6's window was too short for a group of slots")
	}
	first := number(slots[0].Start)
	found := &part{slots: slots}
	for _, line := range pairLine.FindAllStringSubmatch(printed, -1) {
		side := pgbench.A
		if line[1] == "B" {
			side = pgbench.B
		}
		done, err := addSlots(slots, first, side, line[2])
		if err != nil {
			return nil, fmt.Errorf("read what k6 printed: %w", err)
		}
		found.clients[side] = append(found.clients[side], done)
	}
	for side, clients := range found.clients {
		found.clients[side] = append(clients, make([]float64, max(0, p.clients-len(clients)))...)
	}
	found.cpu = between(readings, slots[0].Start, slots[len(slots)-1].End)
	var err error
	found.ratios, err = pgbench.Ratios(slots)
	return found, err
}

// addSlots adds a client's transactions to the slots, and returns how many they are.
func addSlots(slots []pgbench.Slot, first int64, side pgbench.Side, text string) (float64, error) {
	sum := 0.0
	for entry := range strings.SplitSeq(text, ";") {
		var numbers []float64
		for word := range strings.SplitSeq(entry, ":") {
			value, err := strconv.ParseFloat(word, 64)
			if err != nil {
				return 0, err
			}
			numbers = append(numbers, value)
		}
		if len(numbers) != 3 {
			return 0, fmt.Errorf("%q isn't a slot", entry)
		}
		at := int64(numbers[0]) - first
		if at < 0 || at >= int64(len(slots)) {
			continue // begun before the window, or not whole
		}
		if slots[at].Side != side {
			return 0, fmt.Errorf("side %v was active in a slot of the other side", side)
		}
		slots[at].All += numbers[1]
		slots[at].Counted += numbers[2]
		sum += numbers[1]
	}
	return sum, nil
}

// number is the number of the slot, since 1970, that a moment lies in.
func number(moment time.Time) int64 { return moment.UnixMilli() / pgbench.SlotLength.Milliseconds() }

// slotsWithin returns the slots of the groups that lie wholly between two moments, as k6 has them.
func (p pair) slotsWithin(from, to time.Time) []pgbench.Slot {
	order := pgbench.Order(orderGroups, p.seed)
	var slots []pgbench.Slot
	start := func(n int64) time.Time { return time.UnixMilli(n * pgbench.SlotLength.Milliseconds()) }
	group := (number(from)/pgbench.GroupSlots + 1) * pgbench.GroupSlots
	for range p.groups {
		next := group + pgbench.GroupSlots
		if start(next).After(to) {
			break
		}
		for n := group; n < next; n++ {
			slots = append(slots, pgbench.Slot{Side: order[n%int64(len(order))], Start: start(n), End: start(n + 1)})
		}
		group = next
	}
	return slots
}
