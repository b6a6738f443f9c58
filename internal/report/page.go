// Package report shows runs, from their run.json and from nothing else: one as a page for a browser, as text for a
// terminal or as comma-separated values, several of a lesson as one page.
//
// A Page has all that is shown of a run, with each figure as a reader has it. HTML and Text lay it out, and decide on
// nothing but what stands where.
package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// A Page is what is shown of a run, from the top to the bottom.
type Page struct {
	Run     *result.Run
	Machine string
	Alerts  []string // what a reader has to know before any figure
	Few     string   // how little is shown by cells that ran a few times, or on a busy machine

	Grid   *Table  // the run's figures as one table; nil where it isn't a grid of paths and latencies
	Tables []Table // of each experiment
	Notes  []Term  // what a reader of the table alone has to know

	Scenarios   *Scenarios // nil where the lesson has none
	Comparisons []ComparisonLine
	Within      string // what their ratios are of
	Reach       reach
	Pairs       []pairChart // of the comparisons whose cells ran side by side
	Findings    []FindingLine
	Tally       string
	LeftOut     string
	Study       *lesson.Study // nil where the lesson has none, or the run left all of its experiments out
	Studied     Table         // its figures beside ours

	Paths     []TakenPath
	Charts    []Chart
	MarksMean string

	Legend   []Term
	Troubles []Table // what failed, ran otherwise than planned, or was rejected
	Flags    []Term
	Manifest []Term
	Sampling Table

	judged outcome.Outcomes
}

// NewPage makes the page of a run.
func NewPage(run *result.Run) *Page {
	all := outcome.All(run)
	p := &Page{Run: run, Machine: machine(run), Alerts: alerts(run), Few: few(run), Notes: notes(run),
		Within: within(run), LeftOut: all.LeftOutText(), Studied: studied(all.Figures),
		Paths: paths(run), Charts: charts(run), MarksMean: marksOf(run), Troubles: troubles(run),
		Manifest: manifestOf(run), Sampling: sampling(run), judged: all}
	if s := run.Lesson.Study; s != nil && (len(s.Figures) == 0 || len(p.Studied.Rows) > 0) {
		p.Study = s
	}
	experiments := experimentsOf(run)
	p.Scenarios = scenariosOf(run)
	p.Grid = gridOf(run, experiments)
	for _, e := range experiments {
		p.Tables = append(p.Tables, e.table())
	}
	p.Legend, p.Flags = legend(run, experiments), flagTerms(run, experiments)
	p.Comparisons, p.Reach = comparisons(all.Comparisons)
	if next := nextStep(all.Comparisons); next != "" {
		p.Few = strings.TrimSpace(p.Few + " " + next)
	}
	p.Pairs = pairCharts(all.Comparisons)
	p.Findings, p.Tally = findings(all.Findings)
	return p
}

// A Table is rows of cells under headings. The first cell of a row says what the row is.
type Table struct {
	Name, Caption string
	Brief         string // the caption where there is little room
	Prose         bool   // its fields are sentences, and break
	Keys          int    // columns from the left that say which row it is; the first one does in any case
	Head          []Head
	Rows          []Row
}

// A Head is a column's heading.
type Head struct {
	Text, Unit string
	Over       string // what stands above it and those beside it with the same
	Number     bool   // its figures stand at the right
	Detail     bool   // it isn't there where there is little room
}

// A Row is a line of a table.
type Row struct {
	Class  string
	Fields []Field
}

// A Field is one field of a table.
type Field struct {
	Text  string
	Note  string            // such as its interval; there is no room for it in a terminal
	Class string            // where it looks otherwise than its column
	Flags []result.FlagKind // why it is starred
}

// Star is what stands behind a figure that is flagged.
func (c Field) Star() string {
	if len(c.Flags) > 0 {
		return "*"
	}
	return ""
}

// A Term is a name and what it stands for.
type Term struct{ Name, Text string }

// add adds a row of words, whole numbers and cells.
func (t *Table) add(fields ...any) {
	var row Row
	for _, f := range fields {
		c, ok := f.(Field)
		if !ok {
			c.Text = fmt.Sprint(f)
		}
		row.Fields = append(row.Fields, c)
	}
	t.Rows = append(t.Rows, row)
}

func heads(texts ...string) []Head {
	var all []Head
	for _, t := range texts {
		all = append(all, Head{Text: t})
	}
	return all
}

// alerts are what a reader has to know before any figure.
func alerts(run *result.Run) []string {
	var all []string
	if status, why, ok := run.Unended(); ok {
		all = append(all, sentence(string(status)+": "+why))
	}
	if changed := run.Lesson.Override.Describe(); changed != "" {
		all = append(all, "Not as the lesson has it: "+changed+".")
	}
	if run.NotRestored != "" {
		all = append(all, sentence("what was set before the run could not be put back: "+run.NotRestored))
	}
	return all
}

// few says how little cells show that ran too few times for an interval, and side by side with no other.
func few(run *result.Run) string {
	n, often := 0, "once"
	for i, c := range run.Cells {
		if c.Wanted < outcome.Fewest && c.Paired == 0 && timed(&run.Cells[i]) {
			n++
			if c.Wanted > 1 {
				often = "fewer than six times"
			}
		}
	}
	switch n {
	case 0:
		return ""
	case len(run.Cells):
		return "Each cell ran " + often + ": this shows the lab at work and supports no conclusion."
	}
	return fmt.Sprintf("%d of %d cells ran %s: they show where to look and support no conclusion.", n, len(run.Cells),
		often)
}

// busy are the flags of a machine that did something else, too.
var busy = []result.FlagKind{result.FlagHost, result.FlagStolen, result.FlagGenerator, result.FlagLate}

// nextStep says what to do where every comparison is inconclusive, and each for a busy machine.
func nextStep(found []outcome.Compared) string {
	made := slices.DeleteFunc(slices.Clone(found), func(c outcome.Compared) bool { return c.Reason.LeftOut != "" })
	decided := func(c outcome.Compared) bool {
		other := func(kind result.FlagKind) bool { return !slices.Contains(busy, kind) }
		return c.Outcome != outcome.Inconclusive || len(c.Reason.Vetoes) == 0 ||
			slices.ContainsFunc(c.Reason.Vetoes, other)
	}
	if len(made) == 0 || slices.ContainsFunc(made, decided) {
		return ""
	}
	return "Every comparison is inconclusive because this machine was busy. Close what else runs (a browser's tabs, a " +
		"virus scanner, a video call) and run the lesson again. docs/instructor.md, 'What goes wrong in a room', explains " +
		"each flag."
}

// notes say what a reader of a run's first table has to know who reads nothing else.
func notes(run *result.Run) (all []Term) {
	var off, reasons, rates []string
	failed := map[string][]string{} // cells, by their reason
	differ := 0
	for _, p := range run.Paths {
		if p.Unavailable != "" {
			off = append(off, p.Name)
		}
	}
	for _, c := range cellsOf(run) {
		if c.Status == result.Failed {
			if failed[c.Reason] == nil {
				reasons = append(reasons, c.Reason)
			}
			failed[c.Reason] = append(failed[c.Reason], nameOf(run, c))
		}
		rate := fmt.Sprintf("%s %g/s", c.Workload, c.Rate)
		if c.Rate > 0 && !c.Overload && !slices.Contains(rates, rate) {
			rates = append(rates, rate)
		}
		for _, r := range c.Repeats {
			if r.Status == result.OK && !r.Flagged(result.FlagErrors) && r.Flagged(result.FlagCounts) {
				differ++
			}
		}
	}
	add := func(name, text string, has bool) {
		if has {
			all = append(all, Term{name, text})
		}
	}
	add("Off", strings.Join(off, ", "), len(off) > 0)
	for i, reason := range reasons {
		cells := failed[reason]
		reasons[i] = cells[0] + ": " + reason
		if more := len(cells) - 1; more > 0 {
			reasons[i] += fmt.Sprintf(" (and %s more)", metric.Count(more, "cell"))
		}
	}
	add("Failed", strings.Join(reasons, "; "), len(reasons) > 0)
	add("Counts", "those of clients and servers differ in "+metric.Count(differ, "repeat")+".", differ > 0)
	add("Rates on each path", strings.Join(rates, ", ")+".", len(rates) > 0)
	return all
}

// cellsOf are all of the run's.
func cellsOf(run *result.Run) []*result.Cell { return outcome.Select(run, lesson.Selector{}) }

// nameOf says which cell of the run c is.
func nameOf(run *result.Run, c *result.Cell) string {
	return fmt.Sprintf("%s (experiment %s)", outcome.NameIn(run, c), c.Experiment)
}

// capital makes the first letter one.
func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// sentence makes one of text that ends with a stop or without.
func sentence(text string) string {
	if text == "" || strings.ContainsRune(".?!", rune(text[len(text)-1])) {
		return capital(text)
	}
	return capital(text) + "."
}
