// Package summary is what the lab's k6 writes of a test, and of each second of the live load, for who writes it and who
// reads it.
package summary

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"go.k6.io/k6/v2/metrics"

	"pooler-lab/internal/shared"
)

// The sides of two cells whose clients alternate: a comparison is the ratio of the first to the second.
const (
	Of = iota
	To
	Sides // how many there are
)

// SideNames are the sides as plans, tags and scripts call them.
var SideNames = [Sides]string{"of", "to"}

// A Test is what k6 saw of one cell, or of two whose clients alternated: in each slot the clients of one side are at
// work, and part of the slot is counted. Four slots make a group: of, to, to, of or the other way round.
type Test struct {
	// Sides has a summary of each cell. Where two alternated, the window is the counted parts of a side's slots, and its
	// length is their sum. Start and End are those of the first and the last slot.
	Sides []*Summary `json:"sides"`

	// What follows is of two cells.

	SlotMS float64 `json:"slot_ms,omitempty"` // counted part of each slot; 0 where it came to none
	// MedianMS is the median time of an iteration of each side, as the calibration before the first group saw it.
	MedianMS [Sides]float64 `json:"median_ms,omitzero"`
	// HostCPU is the share of the host's CPUs in use, whoever used them, in the counted parts of each side's slots; nil
	// where the kernel doesn't tell.
	HostCPU [Sides]*float64 `json:"host_cpu,omitzero"`
	// TooSlow says why no slot is long enough: an iteration takes too long. There is no group then.
	TooSlow string `json:"too_slow,omitempty"`
	// Failure says why it ended, where neither its time was over nor the stop file there, nor k6 told to end.
	Failure string `json:"failure,omitempty"`
	Groups  int    `json:"groups,omitempty"` // that are complete
}

// A Summary is what k6 saw of one cell. Times are milliseconds unless a name says otherwise.
type Summary struct {
	Ending

	// Trends and Counters hold each metric's values by phase; Whole is all of the test. A metric is missing where
	// nothing was measured, but a script's own counters and those of k6/x/pg are 0 then.
	Trends   map[string]map[Phase]Trend   `json:"trends"`
	Counters map[string]map[Phase]float64 `json:"counters"`

	// First is of the test's first connect alone, Later of those after it, whatever the phase; both by metric.
	First map[string]Trend `json:"first_connects"`
	Later map[string]Trend `json:"later_connects"`
	// Statements is pg_statement within the window by the statement's name, of those that have one.
	Statements map[string]Trend `json:"statements"`
}

// A Phase is a part of a test, as in the tag phase.
type Phase string

// Whole is all of a test, whatever its phases. Measured is the window.
const (
	Whole    Phase = "whole"
	Measured Phase = "measure"
)

// An Ending is what k6/x/pg knows of a test that has ended.
type Ending struct {
	Window *Window `json:"window"` // null where it never opened
	// Unopened says how many clients were ready where the window never opened.
	Unopened string  `json:"unopened,omitempty"`
	Finish   *Finish `json:"finish"` // null where the window had a fixed length
	Errors   []Error `json:"errors"`
}

// A Window is the measured part of a test.
type Window struct {
	Start   time.Time `json:"start"`
	End     time.Time `json:"end"`
	Seconds float64   `json:"seconds"`
	Ready   int       `json:"ready"`  // clients, when it opened; of fixed work those that could connect
	Failed  int       `json:"failed"` // clients, when it opened; of fixed work those that couldn't

	// WarmedSeconds is how long all clients had iterated when it opened; 0 where it opened as soon as all were ready.
	WarmedSeconds float64 `json:"warmed_seconds,omitempty"`
	// Tenths are the iterations that ended in each tenth of it; nil where it is no window of one cell.
	Tenths []int64 `json:"tenths,omitempty"`
}

// A Finish says how clients got done that had a fixed number of iterations each. Times are seconds from the first
// client's start.
type Finish struct {
	ConnectedSeconds   float64 `json:"connected_seconds"`    // until the last client that could connect was connected
	MeanConnectSeconds float64 `json:"mean_connect_seconds"` // of those that could, each from its own start
	Connected          int     `json:"connected"`            // clients that could
	Finished           int     `json:"finished"`             // clients that did all of theirs
	Starved            int     `json:"starved"`              // clients that did none, though nothing refused them
	Seconds            float64 `json:"seconds"`              // until the last one ended, or the most it may last
	TPSWithConnect     float64 `json:"tps_with_connect"`
	// TPS is without the mean time to connect, as in pgbench up to 13 ('excluding connections establishing'). Later
	// ones have all clients connect before the clock starts; here nobody waits.
	TPS float64 `json:"tps"`
}

// AddRates adds transactions per second, with the time to connect and without.
func (f *Finish) AddRates(transactions float64) {
	if f.Seconds > 0 {
		f.TPSWithConnect = transactions / f.Seconds
	}
	if working := f.Seconds - f.MeanConnectSeconds; working > 0 {
		f.TPS = transactions / working
	}
}

// An Error is how often one thing went wrong.
type Error struct {
	Code    string `json:"code"` // SQLSTATE, or refused, dial, timeout, dropped, cancelled, ...
	Phase   string `json:"phase"`
	Count   int64  `json:"count"`
	Message string `json:"message"` // of the first
}

// A Trend sums up one metric, in milliseconds.
type Trend struct {
	Count int64   `json:"count"`
	Min   float64 `json:"min"`
	Avg   float64 `json:"avg"`
	Med   float64 `json:"med"`
	P90   float64 `json:"p90"`
	P95   float64 `json:"p95"`
	P99   float64 `json:"p99"`
	Max   float64 `json:"max"`
}

// TrendOf sums the values of a sink up, with k6's own percentiles.
func TrendOf(sink *metrics.TrendSink) Trend {
	return Trend{Count: int64(sink.Count()), Min: sink.Min(), Avg: sink.Avg(), Med: sink.P(0.5), P90: sink.P(0.9),
		P95: sink.P(0.95), P99: sink.P(0.99), Max: sink.Max()}
}

// Read reads what k6 wrote to a file.
func Read(file string) (*Test, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read k6's summary: %w", err)
	}
	t := new(Test)
	if err := json.Unmarshal(text, t); err != nil {
		return nil, fmt.Errorf("read k6's summary %s: %w", file, err)
	}
	return t, nil
}

// Write writes the test to a file, whole or not at all.
func (t *Test) Write(file string) error {
	text, err := json.MarshalIndent(t, "", " ")
	if err != nil {
		return fmt.Errorf("write k6's summary: %w", err)
	}
	if err := shared.Replace(file, append(text, '\n')); err != nil {
		return fmt.Errorf("write k6's summary: %w", err)
	}
	return nil
}

// Count is a counter's sum in a phase.
func (s *Summary) Count(metric string, phase Phase) int64 {
	return int64(s.Counters[metric][phase])
}
