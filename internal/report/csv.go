package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// A column of the CSV, and what stands in it for a repeat; empty is not measured.
type column struct {
	name string
	of   func(*result.Run, *result.Cell, *result.Repeat) string
}

// columnsOfCell say which cell it is: a column for each dimension, by its name.
func columnsOfCell() []column {
	all := []column{
		{"run", func(run *result.Run, _ *result.Cell, _ *result.Repeat) string { return run.ID }},
		{"cell", ofCell(func(c *result.Cell) string { return c.ID })},
	}
	for _, d := range lesson.Dimensions() {
		name := d.Name
		if name == "transactions" { // as a column they are those measured
			name = "transactions_each"
		}
		all = append(all, column{name, ofCell(func(c *result.Cell) string { return valueOf(d, c) })})
	}
	return all
}

// valueOf leaves empty what a cell doesn't have, but for the latency: it has to be told from one of 0.
func valueOf(d lesson.Dimension, c *result.Cell) string {
	v := d.Of(&c.Cell)
	if v == lesson.None && d.Name != "latency_ms" {
		return ""
	}
	return v.String()
}

// columnsOfRepeat say how a repeat went.
var columnsOfRepeat = []column{
	{"block", ofRepeat(func(r *result.Repeat) string { return strconv.Itoa(r.Block) })},
	{"position", ofRepeat(func(r *result.Repeat) string { return strconv.Itoa(r.Position) })},
	{"attempt", ofRepeat(func(r *result.Repeat) string { return strconv.Itoa(r.Attempt) })},
	{"status", ofRepeat(func(r *result.Repeat) string { return string(r.Status) })},
	{"reason", ofRepeat(func(r *result.Repeat) string { return r.Reason })},
	{"round_trip_set_ms", ofRoundTrip(func(t *result.RoundTrip) float64 { return t.SetMS })},
	{"round_trip_measured_ms", ofRoundTrip(func(t *result.RoundTrip) float64 { return t.MeasuredMS })},
	{"window_seconds", ofMeasured(func(m *result.Measured) float64 { return m.WindowSeconds })},
	{"transactions", ofMeasured(func(m *result.Measured) float64 { return float64(m.Transactions) })},
	{"late_iterations", ofMeasured(func(m *result.Measured) float64 { return float64(m.Late) })},
	{"dropped_iterations", ofMeasured(func(m *result.Measured) float64 { return float64(m.Dropped) })},
	{"host_cpu", ofResources(func(u *result.Resources) *float64 { return u.HostCPU })},
	{"stolen_cpu", ofResources(func(u *result.Resources) *float64 { return u.Stolen })},
	{"generator_cpu", ofResources(func(u *result.Resources) *float64 { return u.GeneratorCPU })},
	{"flags", ofRepeat(flagKinds)},
}

// CSV writes the run with a line a repeat: what its cell is, how it went, and a column for each metric by its name.
// Metrics with a colon in their names (errors:53300, wait:Client:ClientRead) have one where a repeat of the run
// has them.
func CSV(out io.Writer, run *result.Run) error {
	all := slices.Concat(columnsOfCell(), columnsOfRepeat)
	for _, f := range append(metric.All(), metric.Found(run)...) {
		all = append(all, column{f.Name, ofMetric(f)})
	}
	var names []string
	for _, c := range all {
		names = append(names, c.name)
	}
	lines := [][]string{names}
	for i := range run.Cells {
		for j := range run.Cells[i].Repeats {
			var fields []string
			for _, c := range all {
				fields = append(fields, c.of(run, &run.Cells[i], &run.Cells[i].Repeats[j]))
			}
			lines = append(lines, fields)
		}
	}
	if err := csv.NewWriter(out).WriteAll(lines); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}

func ofMetric(f metric.Metric) func(*result.Run, *result.Cell, *result.Repeat) string {
	return func(_ *result.Run, c *result.Cell, r *result.Repeat) string {
		if v, ok := f.Of(c, r); ok {
			return exact(v)
		}
		return ""
	}
}

func ofCell(f func(*result.Cell) string) func(*result.Run, *result.Cell, *result.Repeat) string {
	return func(_ *result.Run, c *result.Cell, _ *result.Repeat) string { return f(c) }
}

func ofRepeat(f func(*result.Repeat) string) func(*result.Run, *result.Cell, *result.Repeat) string {
	return func(_ *result.Run, _ *result.Cell, r *result.Repeat) string { return f(r) }
}

func ofRoundTrip(f func(*result.RoundTrip) float64) func(*result.Run, *result.Cell, *result.Repeat) string {
	return ofRepeat(func(r *result.Repeat) string {
		if r.RoundTrip == nil {
			return ""
		}
		return exact(f(r.RoundTrip))
	})
}

func ofMeasured(f func(*result.Measured) float64) func(*result.Run, *result.Cell, *result.Repeat) string {
	return ofRepeat(func(r *result.Repeat) string {
		if r.Measured == nil {
			return ""
		}
		return exact(f(r.Measured))
	})
}

func ofResources(f func(*result.Resources) *float64) func(*result.Run, *result.Cell, *result.Repeat) string {
	return ofRepeat(func(r *result.Repeat) string {
		if r.Resources == nil || f(r.Resources) == nil {
			return ""
		}
		return exact(*f(r.Resources))
	})
}

func flagKinds(r *result.Repeat) string {
	var kinds []result.FlagKind
	for _, f := range r.Flags {
		kinds = append(kinds, f.Kind)
	}
	return joined(kinds)
}

func exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
