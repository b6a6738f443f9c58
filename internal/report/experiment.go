package report

import (
	"fmt"
	"slices"
	"strings"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// An experiment is the cells of one of a lesson's while its tables are made.
type experiment struct {
	result.ExperimentCells
	run     *result.Run
	differ  []lesson.Dimension // in which they do: a column each
	shared  []string           // what the others say of all of them
	metrics []metric.Metric    // the one that it is compared by first
}

// experimentsOf are the run's, in the lesson's order.
func experimentsOf(run *result.Run) []*experiment {
	var all []*experiment
	for _, of := range run.ByExperiment() {
		if !timed(of.Cells[0]) {
			continue
		}
		e := &experiment{ExperimentCells: of, run: run, metrics: metricsOf(of.Cells)}
		e.differ, e.shared = result.Differ(e.Cells)
		all = append(all, e)
	}
	return all
}

// metricsOf are all metrics of the cells, each once. Where the lesson names none, cells that don't connect over and
// over or work off a fixed amount show throughput and response time, both, whatever they are compared by, where one of
// them has enough of it.
func metricsOf(cells []*result.Cell) []metric.Metric {
	var metrics []metric.Metric
	add := func(f metric.Metric) {
		known := slices.ContainsFunc(metrics, func(g metric.Metric) bool { return g.Name == f.Name })
		if !known && f.Name != "errors" { // which each table has at its end
			metrics = append(metrics, f)
		}
	}
	for _, c := range cells {
		for _, f := range metric.For(c) {
			add(f)
		}
		if len(c.Metrics) > 0 || c.Transactions > 0 || c.Workload == "connect" {
			continue
		}
		for _, name := range []string{"tps", "p50", "p95"} {
			f, err := metric.Find(name)
			enough := func(c *result.Cell) bool {
				_, ok := f.Middle(c)
				return ok && !slices.Contains(f.Flags(c), result.FlagFew)
			}
			if err == nil && slices.ContainsFunc(cells, enough) {
				add(f)
			}
		}
	}
	return metrics
}

// A column is one of an experiment's tables.
type column struct {
	Head
	of func(*result.Cell) Field
}

// keys are the columns that say which cell it is.
func (e *experiment) keys() []column {
	keys := []column{{Head{Text: "path"}, func(c *result.Cell) Field { return Field{Text: c.Path} }}}
	for _, d := range e.differ {
		of := func(c *result.Cell) Field { return Field{Text: d.Column(d.Of(&c.Cell))} }
		keys = append(keys, column{Head{Text: d.Heading}, of})
	}
	return keys
}

// columns are all of the experiment's table.
func (e *experiment) columns() []column {
	all := append(e.keys(), column{Head{Text: "round trip", Unit: "ms", Number: true, Detail: true}, roundTripField})
	for i, f := range e.metrics {
		figure := func(c *result.Cell) Field { return figureField(f, c) }
		all = append(all, column{Head{Text: f.Heading, Unit: unit(f), Number: true}, figure})
		if i == 0 && e.compared() {
			ratio := func(c *result.Cell) Field { return ratioField(e.run, f, c) }
			all = append(all, column{Head{Text: "to direct", Unit: "ratio", Number: true, Detail: true}, ratio})
		}
	}
	add := func(wanted bool, text string, number bool, of func(*result.Cell) any) {
		if wanted {
			cell := func(c *result.Cell) Field { return Field{Text: fmt.Sprint(of(c))} }
			all = append(all, column{Head{Text: text, Number: number, Detail: true}, cell})
		}
	}
	uneven := e.some(func(c *result.Cell) bool { return c.Wanted != e.Cells[0].Wanted })
	add(uneven, "repeats", true, func(c *result.Cell) any { return counting(c) })
	add(e.some(failed), "errors", true, func(c *result.Cell) any { return c.ErrorsMeasured() })
	add(e.some(e.flagged), "flags", false, func(c *result.Cell) any { return joined(e.flags(c)) })
	return all
}

// table has a row a cell: what it differs in from the others, its figures, and where there is room its round trip, its
// ratio to the direct path's, and its repeats, errors and flags where there is something to say of them.
func (e *experiment) table() Table {
	t := Table{Name: "Experiment " + e.Name, Caption: e.caption(), Brief: strings.TrimSuffix(e.Text, "."),
		Keys: len(e.keys())}
	if e.Text == "" {
		t.Brief = strings.Join(e.shared, ", ")
	}
	columns := e.columns()
	for _, col := range columns {
		t.Head = append(t.Head, col.Head)
	}
	for i, c := range e.Cells {
		var row Row
		for _, col := range columns {
			row.Fields = append(row.Fields, col.of(c))
		}
		if e.flagged(c) {
			row.Class = "flagged"
		}
		if i > 0 && e.Cells[i-1].Path != c.Path {
			row.Class = strings.TrimSpace(row.Class + " start")
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// caption says what the experiment asks, and what all of its cells share.
func (e *experiment) caption() string {
	repeats := metric.Count(e.Cells[0].Wanted, "repeat")
	if e.some(func(c *result.Cell) bool { return c.Paired > 0 }) {
		repeats = "repeats side by side with other cells are counted, too, and their windows are their slots"
	}
	shared := fmt.Sprintf("%s; windows of %.3g s; %s", strings.Join(e.shared, ", "), e.Cells[0].Seconds, repeats)
	if e.Text == "" {
		return shared
	}
	return sentence(e.Text) + " " + sentence(shared)
}

// some says whether one of the cells is so.
func (e *experiment) some(so func(*result.Cell) bool) bool { return slices.ContainsFunc(e.Cells, so) }

func failed(c *result.Cell) bool { return c.ErrorsMeasured() > 0 }

// flags are the kinds of a cell's flags, those included that one of its figures alone has. Sorted.
func (e *experiment) flags(c *result.Cell) []result.FlagKind {
	kinds := c.Flags()
	for _, f := range e.metrics {
		kinds = append(kinds, f.Flags(c)...)
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

func (e *experiment) flagged(c *result.Cell) bool { return len(e.flags(c)) > 0 }

// compared says whether one of the cells has a ratio to another one, the direct path's.
func (e *experiment) compared() bool {
	return e.some(func(c *result.Cell) bool {
		direct := e.run.Direct(c)
		return direct != nil && direct != c
	})
}

// joined lists kinds of flags.
func joined(kinds []result.FlagKind) string { return strings.Trim(fmt.Sprint(kinds), "[]") }

// meanings explains each metric of the experiments once. A response time of open loops is another thing than that of
// closed ones: where a metric has several meanings, it has all of them.
func meanings(experiments []*experiment) (terms []Term) {
	const or = "; or "
	for _, e := range experiments {
		for _, f := range e.metrics {
			i := slices.IndexFunc(terms, func(t Term) bool { return t.Name == f.Heading })
			if i < 0 {
				i, terms = len(terms), append(terms, Term{Name: f.Heading})
			}
			for _, c := range e.Cells {
				if known := strings.Split(terms[i].Text, or); !slices.Contains(known, f.MeaningIn(c)) {
					terms[i].Text = strings.TrimPrefix(terms[i].Text+or+f.MeaningIn(c), or)
				}
			}
		}
	}
	return terms
}

// legend says what the columns of the experiments' tables are.
func legend(run *result.Run, experiments []*experiment) []Term {
	if len(experiments) == 0 {
		return nil
	}
	trip := "a SELECT 1 on a warm connection of that path, before load, median"
	if slices.ContainsFunc(run.Cells, func(c result.Cell) bool { return c.Latency.MS() > 0 }) {
		trip += "; what is set, and the time that the servers take"
	}
	terms := append([]Term{{"round trip", trip}}, meanings(experiments)...)
	beside := outcome.SideBySide(run) > 0
	if slices.ContainsFunc(experiments, (*experiment).compared) {
		text := "the median of each block's own ratio, not the quotient of the figures shown"
		if beside {
			text = "where both ran side by side, the mean of the middle 70 % of their groups' ratios; else " + text
		}
		terms = append(terms, Term{"to direct", "the figure before it as a ratio to the direct path's under the same " +
			"conditions: " + text})
	}
	text := "holds the true median in 95 of 100 cases; figures of fewer than six repeats have no interval and support " +
		"no conclusion"
	if beside {
		text += fmt.Sprintf("; ratios of cells that ran side by side have one from %d groups on", outcome.FewestGroups)
	}
	text += ". Each misses the true value in 5 of 100 cases: of six intervals, one does in about one run of four"
	terms = append(terms, Term{"a to b", text})
	text = "none in the measured windows"
	if slices.ContainsFunc(experiments, func(e *experiment) bool { return e.some(failed) }) {
		text = "statements and connects that failed in the measured windows, rejected repeats left out"
	}
	terms = append(terms, Term{"errors", text})
	if slices.ContainsFunc(experiments, func(e *experiment) bool { return e.some(e.flagged) }) {
		terms = append(terms, Term{"*", "a flagged figure, or a ratio to or of one"})
	}
	return terms
}
