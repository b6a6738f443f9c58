package metric

import (
	"maps"
	"slices"
	"strings"

	"pooler-lab/internal/result"
)

// A family is metrics that share what is before the colon of their names.
type family struct {
	prefix string // with its colon
	what   string // comes after it
	such   string // an example of that
	of     func(rest string) Metric
}

var families = []family{
	{"errors:", "a SQLSTATE or one of the lab's own codes", "53300", func(code string) Metric {
		return Metric{Heading: "errors " + code, Better: Less, from: count.of(errors(code)),
			Meaning: "errors with the code " + code + " within the window"}
	}},
	{"counter:", "a k6 counter", "pg_rows", func(metric string) Metric {
		return Metric{Heading: inWords(metric), from: count.of(counter(metric)).inSlots(),
			Meaning: "sum of k6's counter " + metric + " within the window"}
	}},
	{"share:", "two k6 counters", "lab_missed/lab_reads", func(counters string) Metric {
		part, whole, _ := strings.Cut(counters, "/")
		return Metric{Heading: inWords(part), Unit: "share", from: count.of(per(counter(part), counter(whole))),
			Meaning: "k6's counter " + part + " as a share of its counter " + whole + ", both within the window"}
	}},
	{"trend:", "a k6 trend", "pg_prepare", func(metric string) Metric {
		return duration("", inWords(metric), med.of(metric), "median of k6's trend "+metric)
	}},
	{"statement:", "the name that the script gives a statement", "read", func(name string) Metric {
		statements := func(m *result.Measured) map[string]result.Trend { return m.Statements }
		return duration("", name, median.of(med.in(statements, name)),
			"median of the statement that the script calls "+name)
	}},
	{"wait:", "a wait event, CPU or Net/Delay", "Client:ClientRead", func(event string) Metric {
		return Metric{Heading: strings.Replace(event, ":", ": ", 1), Unit: "share",
			from: usage.of(wait(event)),
			Meaning: "share of the sessions' samples with " + event +
				", on the primary, or on the standby where the path leads there"}
	}},
}

// inWords is a heading made of k6's name of a metric, which may be too long for a line: "lab faults to 10".
func inWords(name string) string { return strings.ReplaceAll(name, "_", " ") }

// Found returns the metrics of families that a repeat of the cells has, sorted by name: its errors' codes, what its
// nodes' sessions waited for, its counters, its trends that no other metric reads, and its named statements.
func Found(cells []*result.Cell) []Metric {
	names := map[string]bool{}
	for _, c := range cells {
		for i := range c.Repeats {
			note(names, &c.Repeats[i])
		}
	}
	var found []Metric
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if f, err := Find(name); err == nil {
			found = append(found, f)
		}
	}
	return found
}

func note(names map[string]bool, r *result.Repeat) {
	for _, n := range r.Nodes {
		for _, w := range n.Waits {
			names["wait:"+w.Event] = true
		}
	}
	if r.Measured == nil {
		return
	}
	for _, e := range r.Measured.Errors {
		names["errors:"+e.Code] = true
	}
	for metric := range r.Measured.Counters {
		names["counter:"+metric] = true
	}
	for metric := range r.Measured.Trends {
		another := func(f Metric) bool { return slices.Contains(f.from.trends, metric) }
		if !slices.ContainsFunc(all, another) {
			names["trend:"+metric] = true
		}
	}
	for name := range r.Measured.Statements {
		names["statement:"+name] = true
	}
}

// wait is the share of one event; an event that was never seen has a share of 0.
func wait(event string) reading {
	return func(c *result.Cell, r *result.Repeat) (float64, bool) {
		n := Node(c, r)
		if n == nil {
			return 0, false
		}
		for _, w := range n.Waits {
			if w.Event == event {
				return w.Share, true
			}
		}
		return 0, n.Sessions > 0
	}
}

// Node returns the database whose waits stand for the repeat: the standby where the path leads there alone, and else
// the primary; nil where it wasn't sampled.
func Node(c *result.Cell, r *result.Repeat) *result.Node {
	for i := range r.Nodes {
		if n := &r.Nodes[i]; (n.Service == "standby") == (c.Path == "standby") {
			return n
		}
	}
	return nil
}
