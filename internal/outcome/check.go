package outcome

import (
	"fmt"
	"slices"
	"strings"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
)

// mostComparisons is how many a lesson may make: few, and well founded.
const mostComparisons = 6

// Check returns an error where the lesson asks for a metric that there is none of, picks cells by a field that they
// don't have, or asks what can't be judged.
func Check(l *lesson.Lesson) error {
	for _, e := range l.Experiments {
		if err := known(e.Metrics...); err != nil {
			return fmt.Errorf("experiment %q: %w", e.Name, err)
		}
	}
	if len(l.Comparisons) > mostComparisons {
		return fmt.Errorf("the lesson has %d comparisons, allowed are %d: few, and well founded",
			len(l.Comparisons), mostComparisons)
	}
	for _, c := range l.Comparisons {
		if err := checkComparison(c); err != nil {
			return fmt.Errorf("comparison %q: %w", c.Name, err)
		}
	}
	if err := checkFindings(l.Findings); err != nil {
		return err
	}
	if l.Study != nil {
		if err := checkStudy(l.Study); err != nil {
			return fmt.Errorf("study %q: %w", l.Study.Title, err)
		}
	}
	for _, c := range l.Charts {
		if err := checkChart(c); err != nil {
			return fmt.Errorf("chart %q: %w", c.Title, err)
		}
	}
	return nil
}

// CheckCells returns an error where a selector of the lesson's comparisons and findings doesn't pick exactly one of its
// cells. The cells are those of the lesson as it stands, of paths that are not available too: what the command line
// changes may well leave cells out or add some. What is said of an experiment that the run left out is left to
// others.
func CheckCells(l *lesson.Lesson, cells []lesson.Cell) error {
	type use struct {
		where    string
		selector lesson.Selector
	}
	var uses []use
	for _, c := range l.Comparisons {
		where := "comparison " + c.Name
		uses = append(uses, use{where, c.Of}, use{where, c.To})
	}
	findings := l.Findings
	if l.Study != nil {
		for _, f := range l.Study.Figures {
			uses = append(uses, use{"the study's figure " + f.What, f.Of})
		}
		findings = slices.Concat(findings, l.Study.Findings)
	}
	for _, f := range findings {
		for _, c := range f.All {
			for _, s := range []lesson.Selector{c.Of, c.To, c.Minus} {
				uses = append(uses, use{"finding " + f.Name, s})
			}
		}
	}
	for _, u := range uses {
		n := 0
		for i := range cells {
			if u.selector.Picks(&cells[i]) {
				n++
			}
		}
		if u.selector != nil && n != 1 && !ofExperiment(u.selector, l.LeftOut) {
			return fmt.Errorf("%s: %s picks %d cells of the lesson, it must pick one%s", u.where, u.selector, n, narrower(n))
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

// known returns an error for the first metric that there is none of.
func known(names ...string) error {
	for _, name := range names {
		if _, err := metric.Find(name); err != nil {
			return err
		}
	}
	return nil
}

func checkComparison(c lesson.Comparison) error {
	if c.Text == "" || c.Of == nil || c.To == nil {
		return fmt.Errorf("it needs text, metric, of and to")
	}
	if err := known(c.Metric); err != nil {
		return err
	}
	return checkSelectors(c.Of, c.To)
}

// checkSelectors returns an error for the first field that cells don't have.
func checkSelectors(selectors ...lesson.Selector) error {
	for _, s := range selectors {
		for name := range s {
			if err := checkField(name); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkField(name string) error {
	_, err := lesson.DimensionNamed(name)
	return err
}

func checkStudy(s *lesson.Study) error {
	for _, f := range s.Figures {
		if f.Metric == "" && f.Of == nil {
			continue
		}
		if err := known(f.Metric); err != nil {
			return fmt.Errorf("figure %q: %w", f.What, err)
		}
		if err := checkSelectors(f.Of); err != nil {
			return fmt.Errorf("figure %q: %w", f.What, err)
		}
	}
	return checkFindings(s.Findings)
}

func checkFindings(findings []lesson.Finding) error {
	for _, finding := range findings {
		if len(finding.All) == 0 {
			return fmt.Errorf("finding %q has no conditions, so it can't be judged", finding.Name)
		}
		for i, c := range finding.All {
			if err := checkCondition(c); err != nil {
				return fmt.Errorf("finding %q: condition %d: %w", finding.Name, i+1, err)
			}
		}
	}
	return nil
}

func checkCondition(c lesson.Condition) error {
	switch {
	case c.Is != "less" && c.Is != "more":
		return fmt.Errorf("is is %q, allowed are less and more", c.Is)
	case c.Of == nil:
		return fmt.Errorf("it needs of")
	case c.To == nil && c.Than == nil:
		return fmt.Errorf("it needs to (another cell) or than (a number)")
	case c.To != nil && c.Minus != nil:
		return fmt.Errorf("to makes it a ratio and minus a difference: it can't have both")
	}
	if err := known(c.Metric); err != nil {
		return err
	}
	return checkSelectors(c.Of, c.To, c.Minus)
}

// waits stands in a stack for all wait events.
const waits = "waits"

func checkChart(c lesson.Chart) error {
	metrics := []string{c.Metric}
	switch {
	case !slices.Contains([]string{"lines", "bars", "stack"}, c.Kind):
		return fmt.Errorf("kind is %q, allowed are lines, bars and stack", c.Kind)
	case strings.Trim(c.Log, "xy") != "" || len(c.Log) > 2:
		return fmt.Errorf("log is %q, allowed are x, y and xy", c.Log)
	case c.Kind == "stack" && len(c.Parts) == 0:
		return fmt.Errorf("a stack needs parts: metrics, or %q", waits)
	case c.Kind == "stack":
		metrics = slices.DeleteFunc(slices.Clone(c.Parts), func(p string) bool { return p == waits })
	}
	if err := known(metrics...); err != nil {
		return err
	}
	for _, field := range []string{c.X, c.Series} {
		if field == "" {
			continue
		}
		if err := checkField(field); err != nil {
			return err
		}
	}
	return checkSelectors(c.Of)
}
