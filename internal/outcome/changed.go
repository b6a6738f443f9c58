package outcome

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// changed are the dimensions in which the command line made a cell that s picks another one than the lesson has, in the
// order of tables. What s says of a cell is as the lesson has it.
func changed(run *result.Run, s lesson.Selector, c *result.Cell) (all []lesson.Dimension) {
	if c == nil {
		return nil
	}
	for _, d := range lesson.Dimensions() {
		if _, said := s[d.Name]; !said && d.MadeOther(&c.Cell, lessonHas(run, c)) {
			all = append(all, d)
		}
	}
	return all
}

// lessonHas are the values that the lesson has in place of those of the cell's experiment.
func lessonHas(run *result.Run, c *result.Cell) map[string][]string {
	for _, e := range run.Lesson.Experiments {
		if e.Name == c.Experiment {
			return e.Changed
		}
	}
	return nil
}

// madeOne says whether two cells are alike only since the command line made them so.
func madeOne(run *result.Run, of, to *result.Cell) bool {
	return of != nil && to != nil && lesson.MadeOne(&of.Cell, &to.Cell, lessonHas(run, of), lessonHas(run, to))
}

// ChangedText says what the command line made of cells that s picks, beside the dimensions left out: "10 clients".
func ChangedText(run *result.Run, s lesson.Selector, cells []*result.Cell, leftOut ...string) string {
	var all []string
	for _, c := range cells {
		for _, d := range changed(run, s, c) {
			text := d.Said(d.Of(&c.Cell))
			if !slices.Contains(leftOut, d.Name) && !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
	}
	return strings.Join(all, ", ")
}

// spoken says what a comparison is of, as its lesson does; where the command line made its cells others, by what they
// are.
func spoken(run *result.Run, plan lesson.Comparison, f metric.Metric, of, to *result.Cell) string {
	if len(changed(run, plan.Of, of))+len(changed(run, plan.To, to)) == 0 {
		return plan.Text
	}
	if of == nil || to == nil {
		return f.Heading + ": " + plan.Of.String() + ", to " + plan.To.String()
	}
	onlyOf, onlyTo, both := Apart(of, to)
	if onlyOf == "" {
		return fmt.Sprintf("%s: %s, to the same", f.Heading, both)
	}
	return fmt.Sprintf("%s: %s, to %s (%s)", f.Heading, onlyOf, onlyTo, both)
}

// otherCells says that what a lesson or a study claims is of other cells than this run's; empty where it isn't.
func otherCells(run *result.Run, selectors ...lesson.Selector) string {
	var all []string
	for _, s := range selectors {
		for _, c := range Select(run, s) {
			for _, d := range changed(run, s, c) {
				if name := cmp.Or(d.Heading, d.Name); !slices.Contains(all, name) {
					all = append(all, name)
				}
			}
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "it is of the lesson's own cells, and options have changed these: " + strings.Join(all, ", ")
}
