package report

import (
	"strconv"
	"strings"

	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// heads are the two lines of a figure's heading: the second has its last word, where there are several, and its unit.
func heads(f metric.Metric) (first, second string) {
	words := strings.Fields(f.Heading)
	unit := f.Unit
	if f.Name == "tps" {
		unit = ""
	}
	if len(words) == 1 {
		return f.Heading, unit
	}
	last := len(words) - 1
	return strings.Join(words[:last], " "), strings.TrimSpace(words[last] + " " + unit)
}

// demand says what the cell's clients ask, and how often.
func demand(c *result.Cell) string {
	what := map[string]string{"connect": "", "select": "SELECT by key, "}
	statement, known := what[c.Workload]
	if !known {
		statement = c.Workload + ", "
	}
	text := statement + metric.Count(c.Clients, "client") + ", "
	if c.Rate > 0 {
		return text + "paced at " + strconv.FormatFloat(c.Rate, 'f', -1, 64) + "/s"
	}
	return text + "closed loop"
}

// shown is the cell's figure as a table has it: starred where it is flagged, failed, or - where there is none.
func shown(f metric.Metric, c *result.Cell) string {
	if c == nil {
		return ""
	}
	v, ok := f.Middle(c)
	switch {
	case ok && len(f.Flags(c)) > 0:
		return f.Text(v) + "*"
	case ok:
		return f.Text(v) + " "
	case c.Status == result.Failed:
		return "failed "
	}
	return "- "
}

// shownRatio is the cell's ratio to base as a table has it: starred where either of the two is flagged.
func shownRatio(f metric.Metric, c, base *result.Cell) string {
	if c == nil {
		return ""
	}
	v, ok := f.Ratio(c, base)
	switch {
	case !ok:
		return "- "
	case len(f.Flags(c))+len(f.Flags(base)) > 0:
		return metric.RatioText(v) + "*"
	}
	return metric.RatioText(v) + " "
}

// kindOf names the figures, so that lists of them can be compared.
func kindOf(figures []metric.Metric) string {
	var names []string
	for _, f := range figures {
		names = append(names, f.Name)
	}
	return strings.Join(names, " ")
}
