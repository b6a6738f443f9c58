package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// A column of the CSV, and what stands in it for a repeat; empty is not measured.
type column struct {
	name string
	of   func(*result.Run, *result.Cell, *result.Repeat) string
}

var columns = []column{
	{"run", func(run *result.Run, _ *result.Cell, _ *result.Repeat) string { return run.ID }},
	{"cell", ofCell(func(c *result.Cell) string { return c.ID })},
	{"experiment", ofCell(func(c *result.Cell) string { return c.Experiment })},
	{"path", ofCell(func(c *result.Cell) string { return c.Path })},
	{"latency", ofCell(func(c *result.Cell) string { return c.Latency.String() })},
	{"link", ofCell(func(c *result.Cell) string { return c.Link })},
	{"workload", ofCell(func(c *result.Cell) string { return c.Workload })},
	{"clients", ofCell(func(c *result.Cell) string { return strconv.Itoa(c.Clients) })},
	{"protocol", ofCell(func(c *result.Cell) string { return c.Protocol })},
	{"rate", ofCell(func(c *result.Cell) string { return exact(c.Rate) })},
	{"role", ofCell(func(c *result.Cell) string { return c.Role })},
	{"pool_size", ofNumber(func(c *result.Cell) int { return c.PoolSize })},
	{"instances", ofNumber(func(c *result.Cell) int { return c.Instances })},
	{"instance_pool", ofNumber(func(c *result.Cell) int { return c.InstancePool })},
	{"transactions_each", ofNumber(func(c *result.Cell) int { return c.Transactions })},
	{"bandwidth_kb_s", ofNumber(func(c *result.Cell) int { return c.BandwidthKBs })},
	{"replication_ms", ofNumber(func(c *result.Cell) int { return c.ReplicationMS })},
	{"fresh_database", ofCell(func(c *result.Cell) string { return strconv.FormatBool(c.FreshDatabase) })},
	{"settings", ofCell(settings)},
	{"params", ofCell(func(c *result.Cell) string { return string(c.Params) })},
	{"block", ofRepeat(func(r *result.Repeat) string { return strconv.Itoa(r.Block) })},
	{"position", ofRepeat(func(r *result.Repeat) string { return strconv.Itoa(r.Position) })},
	{"attempt", ofRepeat(func(r *result.Repeat) string { return strconv.Itoa(r.Attempt) })},
	{"status", ofRepeat(func(r *result.Repeat) string { return string(r.Status) })},
	{"reason", ofRepeat(func(r *result.Repeat) string { return r.Reason })},
	{"round_trip_set_ms", ofRoundTrip(func(t *result.RoundTrip) float64 { return t.SetMS })},
	{"round_trip_measured_ms", ofRoundTrip(func(t *result.RoundTrip) float64 { return t.MeasuredMS })},
	{"window_seconds", ofMeasured(func(m *result.Measured) float64 { return m.WindowSeconds })},
	{"transactions", ofMeasured(func(m *result.Measured) float64 { return float64(m.Transactions) })},
	{"late", ofMeasured(func(m *result.Measured) float64 { return float64(m.Late) })},
	{"dropped", ofMeasured(func(m *result.Measured) float64 { return float64(m.Dropped) })},
	{"host_cpu", ofResources(func(u *result.Resources) *float64 { return u.HostCPU })},
	{"stolen_cpu", ofResources(func(u *result.Resources) *float64 { return u.Stolen })},
	{"generator_cpu", ofResources(func(u *result.Resources) *float64 { return u.GeneratorCPU })},
	{"flags", ofRepeat(flagKinds)},
}

// CSV writes the run with a line a repeat: what its cell is, how it went, and a column for each metric by its name.
// Metrics with a colon in their names (errors:53300, wait:Client:ClientRead) have one where a repeat of the run
// has them.
func CSV(out io.Writer, run *result.Run) error {
	all := slices.Clone(columns)
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

// ofNumber leaves empty what a cell doesn't have.
func ofNumber(f func(*result.Cell) int) func(*result.Run, *result.Cell, *result.Repeat) string {
	return ofCell(func(c *result.Cell) string {
		if f(c) == 0 {
			return ""
		}
		return strconv.Itoa(f(c))
	})
}

// settings are the cell's own: primary.work_mem=64MB, in the order of their names.
func settings(c *result.Cell) string { return listSettings(c, ".", " ") }

// listSettings lists what was applied for the cell in the order of its names: component, dot, name=value, and between
// two of them.
func listSettings(c *result.Cell, dot, between string) string {
	var all []string
	for component, names := range c.Settings {
		for name, value := range names {
			all = append(all, component+dot+name+"="+value)
		}
	}
	slices.Sort(all)
	return strings.Join(all, between)
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
