package outcome

import (
	"fmt"
	"slices"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/wording"
)

// An ask is a place of a lesson that names metrics and comparisons, and picks cells.
type ask struct {
	where       string
	metrics     []string
	picks       []lesson.Selector
	comparisons []string // of the lesson, by name
}

// waits stands in a stack for all wait events.
const waits = "waits"

// asks are all of the lesson.
func asks(l *lesson.Lesson) []ask {
	var all []ask
	for _, e := range l.Experiments {
		all = append(all, ask{where: "experiment " + e.Name, metrics: e.Metrics})
	}
	for _, c := range l.Comparisons {
		all = append(all, ask{where: "comparison " + c.Name, metrics: []string{c.Metric},
			picks: []lesson.Selector{c.Of, c.To}})
	}
	if l.Study != nil {
		for _, f := range l.Study.Figures {
			if f.Metric != "" || f.Of != nil {
				all = append(all, ask{where: "the study's figure " + f.What, metrics: []string{f.Metric},
					picks: []lesson.Selector{f.Of}})
			}
		}
	}
	for _, f := range l.AllFindings() {
		for _, c := range f.All {
			a := ask{where: "finding " + f.Name, picks: []lesson.Selector{c.Of, c.To, c.Minus}, comparisons: c.Comparisons}
			if c.Is != lesson.Same { // which is of comparisons alone
				a.metrics = []string{c.Metric}
			}
			all = append(all, a)
		}
	}
	for _, c := range l.Charts {
		names := c.Parts
		switch {
		case c.Kind == "stack":
			names = slices.DeleteFunc(slices.Clone(names), func(part string) bool { return part == waits })
		case len(names) == 0:
			names = []string{c.Metric}
		}
		all = append(all, ask{where: "chart " + c.Title, metrics: names})
	}
	return all
}

// Check returns an error where the lesson names a metric or a comparison that there is none of. What else a plan must
// have, its schema says.
func Check(l *lesson.Lesson) error {
	var known []string
	for _, c := range l.Comparisons {
		known = append(known, c.Name)
	}
	for _, a := range asks(l) {
		for _, name := range a.metrics {
			if _, err := metric.Find(name); err != nil {
				return fmt.Errorf("%s: %w", a.where, err)
			}
		}
		for _, name := range a.comparisons {
			if !slices.Contains(known, name) {
				return fmt.Errorf("%s: %w", a.where, wording.Unknown("comparison", name, known))
			}
		}
	}
	return nil
}

// CheckCells returns an error where a selector of the lesson's comparisons and findings doesn't pick exactly one of its
// cells. The cells are those of the lesson as it stands, of paths that are not available too: what the command line
// changes may well leave cells out or add some. What is said of an experiment that the run left out is left to
// others.
func CheckCells(l *lesson.Lesson, cells []lesson.Cell) error {
	for _, a := range asks(l) {
		for _, s := range a.picks {
			leftOut := func(name string) bool { return s["experiment"] == lesson.Word(name) }
			n, hint := len(s.Among(cells)), ""
			if s == nil || n == 1 || slices.ContainsFunc(l.LeftOut, leftOut) {
				continue
			}
			if n > 1 {
				hint = ": add a key, such as experiment"
			}
			return fmt.Errorf("%s: %s picks %d cells of the lesson, it must pick one%s", a.where, s, n, hint)
		}
	}
	return nil
}
