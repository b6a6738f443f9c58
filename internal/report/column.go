package report

import (
	"strings"
	"unicode/utf8"

	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// headingWidth is the most columns that a line of a heading takes, where its words allow it.
const headingWidth = 8

// heads are the lines of a metric's heading: the unit stands in the last one, with the last word where there are
// several.
func heads(f metric.Metric, unit string) []string {
	words := strings.Fields(f.Heading)
	if len(words) == 1 {
		return []string{f.Heading, unit}
	}
	last := len(words) - 1
	lines := wrap(strings.Join(words[:last], " "), headingWidth)
	if end := strings.TrimSpace(words[last] + " " + unit); utf8.RuneCountInString(end) <= headingWidth {
		return append(lines, end)
	}
	return append(lines, words[last], unit)
}

// unitOf is the unit in a metric's heading; TPS says its own.
func unitOf(f metric.Metric) string {
	if f.Name == "tps" {
		return ""
	}
	return f.Unit
}

// headings are the lines above a table, the lines of each column one above the other: they end in the same line.
func headings(columns [][]string) [][]string {
	height := 0
	for _, lines := range columns {
		height = max(height, len(lines))
	}
	all := make([][]string, height)
	for _, lines := range columns {
		for i := range all {
			text := ""
			if at := i - (height - len(lines)); at >= 0 {
				text = lines[at]
			}
			all[i] = append(all[i], text)
		}
	}
	return all
}

// padded puts a space after each line, where figures have their star.
func padded(lines []string) []string {
	var all []string
	for _, l := range lines {
		all = append(all, l+" ")
	}
	return all
}

// shown is the cell's figure as a table has it: starred where it is flagged, how often its one session was on the
// standby, or - where there is none. What it is starred for is added to why.
func shown(f metric.Metric, c *result.Cell, why doubts) string {
	if c == nil {
		return "- "
	}
	text := f.Drawn(c)
	if v, ok := f.Middle(c); ok {
		text = f.Text(v)
	}
	if text == "" {
		return "- "
	}
	why.add(f.Flags(c))
	return text + star(len(f.Flags(c)) > 0)
}

// shownRatio is the cell's ratio to the direct path's as a table has it: starred where either of the two is flagged.
func shownRatio(run *result.Run, f metric.Metric, c *result.Cell) string {
	if c == nil {
		return ""
	}
	r := outcome.RatioOf(run, f, c, run.Direct(c))
	if r.N == 0 {
		return "- "
	}
	return metric.RatioText(r.Center) + star(r.Flagged)
}
