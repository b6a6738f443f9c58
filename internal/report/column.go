package report

import (
	"strconv"
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

// demand says what the cell's clients do, and how often.
func demand(c *result.Cell) string {
	what := map[string]string{"connect": "", "select": "SELECT by key, "}
	statement, known := what[c.Workload]
	if !known {
		statement = c.Workload + ", "
	}
	text := statement + metric.Count(c.Clients, "client") + ", closed loop"
	if c.Rate > 0 {
		text = statement + metric.Count(c.Clients, "client") + ", open loop, " + perSecond(c.Rate)
	}
	if c.Opens() {
		text += ", each iteration connects"
	}
	return text
}

// perSecond says at which rate an open loop begins its iterations.
func perSecond(rate float64) string {
	return strconv.FormatFloat(rate, 'f', -1, 64) + " iterations/s"
}

// shown is the cell's figure as a table has it: starred where it is flagged, how often its one session was on the
// standby, failed, or - where there is none.
func shown(f metric.Metric, c *result.Cell) string {
	if c == nil {
		return ""
	}
	v, ok := f.Middle(c)
	switch {
	case ok:
		return f.Text(v) + star(len(f.Flags(c)) > 0)
	case f.Drawn(c) != "":
		return f.Drawn(c) + star(len(f.Flags(c)) > 0)
	case c.Status == result.Failed:
		return "failed "
	}
	return "- "
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

// kindOf names the metrics, so that lists of them can be compared.
func kindOf(metrics []metric.Metric) string {
	var names []string
	for _, f := range metrics {
		names = append(names, f.Name)
	}
	return strings.Join(names, " ")
}
