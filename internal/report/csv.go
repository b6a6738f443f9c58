package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// CSV writes the run with a line a repeat: what its cell is, how it went, and a column for each metric by its name.
// Metrics with a colon in their names (errors:53300, wait:Client:ClientRead) have one where a repeat of the run
// has them. A lesson of scenarios has a column each: what became of it, and why it isn't shown. An empty field was not
// measured; inf is a time that had no end when the window closed.
func CSV(out io.Writer, run *result.Run) error {
	metrics := append(metric.All(), metric.Found(cellsOf(run))...)
	scenarios := scenarioNames(withScenarios(run))
	line := func(c *result.Cell, r *result.Repeat) (names, values []string) {
		names, values = fields(run, c, r, metrics)
		for _, name := range scenarios {
			text := ""
			if s := scenarioNamed(r, name); s != nil {
				text = outcome.Because(strings.TrimSuffix(outcomeField(*s).Text, disagrees), s.Why)
			}
			names, values = append(names, "scenario:"+name), append(values, text)
		}
		return names, values
	}
	names, _ := line(&result.Cell{}, &result.Repeat{})
	lines := [][]string{names}
	for _, c := range cellsOf(run) {
		for j := range c.Repeats {
			_, values := line(c, &c.Repeats[j])
			lines = append(lines, values)
		}
	}
	return writeLines(out, lines)
}

// fields are a repeat's by name.
func fields(run *result.Run, c *result.Cell, r *result.Repeat, metrics []metric.Metric) (names, values []string) {
	add := func(name, value string) { names, values = append(names, name), append(values, value) }
	number := func(name string, v float64, measured bool) {
		text := ""
		if measured {
			text = exact(v)
		}
		add(name, text)
	}
	add("run", run.ID)
	add("cell", c.ID)
	for _, d := range lesson.Dimensions() {
		name := d.Name
		if name == "transactions" { // as a column they are those measured
			name = "transactions_each"
		}
		add(name, valueOf(d, c))
	}
	add("block", strconv.Itoa(r.Block))
	add("position", strconv.Itoa(r.Position))
	add("attempt", strconv.Itoa(r.Attempt))
	add("status", string(r.Status))
	add("reason", r.Reason)
	trip, m, used := orZero(r.RoundTrip), orZero(r.Measured), orZero(r.Resources)
	number("round_trip_set_ms", trip.SetMS, r.RoundTrip != nil)
	number("round_trip_measured_ms", trip.MeasuredMS, r.RoundTrip != nil)
	number("window_seconds", m.WindowSeconds, r.Measured != nil)
	number("transactions", float64(m.Transactions), r.Measured != nil)
	number("late_iterations", float64(m.Late), r.Measured != nil)
	number("dropped_iterations", float64(m.Dropped), r.Measured != nil)
	number("host_cpu", orZero(used.HostCPU), used.HostCPU != nil)
	number("stolen_cpu", orZero(used.Stolen), used.Stolen != nil)
	number("generator_cpu", orZero(used.GeneratorCPU), used.GeneratorCPU != nil)
	var kinds []result.FlagKind
	for _, f := range r.Flags {
		kinds = append(kinds, f.Kind)
	}
	add("flags", joined(kinds))
	for _, f := range metrics {
		v, ok := f.Of(c, r)
		number(f.Name, v, ok)
	}
	return names, values
}

func orZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// valueOf leaves empty what a cell doesn't have, but for the latency: it has to be told from one of 0.
func valueOf(d lesson.Dimension, c *result.Cell) string {
	v := d.Of(&c.Cell)
	if v == lesson.None && d.Name != "latency_ms" {
		return ""
	}
	return v.String()
}

// PairsCSV writes what cells that ran side by side showed: a line a group and metric. It isn't part of CSV, whose lines
// are repeats: a group is of two of them.
func PairsCSV(out io.Writer, run *result.Run) error {
	lines := [][]string{{"run", "block", "of", "to", "status", "slot_ms", "metric", "group", "of_figure", "to_figure",
		"ratio"}}
	for _, p := range run.Pairs {
		for _, name := range slices.Sorted(maps.Keys(p.Figures)) {
			for i, f := range p.Figures[name] {
				ratio := ""
				if f[1] > 0 {
					ratio = exact(f[0] / f[1])
				}
				lines = append(lines, []string{run.ID, strconv.Itoa(p.Block), p.Of, p.To, string(p.Status), exact(p.SlotMS), name,
					strconv.Itoa(i + 1), exact(f[0]), exact(f[1]), ratio})
			}
		}
	}
	return writeLines(out, lines)
}

func writeLines(out io.Writer, lines [][]string) error {
	if err := csv.NewWriter(out).WriteAll(lines); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}

// exact writes a number without loss. No sign stands before inf: table programs take that for a formula.
func exact(v float64) string {
	return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(v, 'g', -1, 64)), "+")
}
