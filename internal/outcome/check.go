package outcome

import (
	"fmt"
	"slices"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/suggest"
)

// Check returns an error where the lesson names a metric or a comparison that there is none of. What else a plan must
// have, its schema says.
func Check(l *lesson.Lesson) error {
	for _, e := range l.Experiments {
		if err := known("experiment "+e.Name, e.Metrics...); err != nil {
			return err
		}
	}
	for _, c := range l.Comparisons {
		if err := known("comparison "+c.Name, c.Metric); err != nil {
			return err
		}
	}
	for _, f := range findings(l) {
		for _, c := range f.All {
			if err := checkCondition(l, c); err != nil {
				return fmt.Errorf("finding %s: %w", f.Name, err)
			}
		}
	}
	for _, f := range figures(l) {
		if f.Metric != "" || f.Of != nil {
			if err := known("the study's figure "+f.What, f.Metric); err != nil {
				return err
			}
		}
	}
	for _, c := range l.Charts {
		names := slices.DeleteFunc(slices.Clone(c.Parts), func(part string) bool { return part == waits })
		if c.Kind != "stack" {
			names = append(names, c.Metric)
		}
		if err := known("chart "+c.Title, names...); err != nil {
			return err
		}
	}
	return nil
}

// waits stands in a stack for all wait events.
const waits = "waits"

// findings are the lesson's own and its study's.
func findings(l *lesson.Lesson) []lesson.Finding {
	if l.Study == nil {
		return l.Findings
	}
	return slices.Concat(l.Findings, l.Study.Findings)
}

func figures(l *lesson.Lesson) []lesson.StudyFigure {
	if l.Study == nil {
		return nil
	}
	return l.Study.Figures
}

// known returns an error for the first metric that there is none of.
func known(where string, names ...string) error {
	for _, name := range names {
		if _, err := metric.Find(name); err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
	}
	return nil
}

func checkCondition(l *lesson.Lesson, c lesson.Condition) error {
	if c.Is != lesson.Same {
		_, err := metric.Find(c.Metric)
		return err
	}
	var names []string
	for _, comparison := range l.Comparisons {
		names = append(names, comparison.Name)
	}
	for _, name := range c.Comparisons {
		if !slices.Contains(names, name) {
			return suggest.Unknown("comparison", name, names)
		}
	}
	return nil
}

// CheckCells returns an error where a selector of the lesson's comparisons and findings doesn't pick exactly one of its
// cells. The cells are those of the lesson as it stands, of paths that are not available too: what the command line
// changes may well leave cells out or add some. What is said of an experiment that the run left out is left to
// others.
func CheckCells(l *lesson.Lesson, cells []lesson.Cell) error {
	check := func(where string, selectors ...lesson.Selector) error {
		for _, s := range selectors {
			n := 0
			for i := range cells {
				if s.Picks(&cells[i]) {
					n++
				}
			}
			if s != nil && n != 1 && !ofExperiment(s, l.LeftOut) {
				return fmt.Errorf("%s: %s picks %d cells of the lesson, it must pick one%s", where, s, n, narrower(n))
			}
		}
		return nil
	}
	for _, c := range l.Comparisons {
		if err := check("comparison "+c.Name, c.Of, c.To); err != nil {
			return err
		}
	}
	for _, f := range figures(l) {
		if err := check("the study's figure "+f.What, f.Of); err != nil {
			return err
		}
	}
	for _, f := range findings(l) {
		for _, c := range f.All {
			if err := check("finding "+f.Name, c.Of, c.To, c.Minus); err != nil {
				return err
			}
		}
	}
	return nil
}

// narrower says what to do about a selector that picks n cells, where those are too many.
func narrower(n int) string {
	if n == 0 {
		return ""
	}
	return ": add a key, such as experiment"
}

// ofExperiment says whether s picks by experiment, and that is one of those named.
func ofExperiment(s lesson.Selector, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return s["experiment"] == lesson.Word(name) })
}
