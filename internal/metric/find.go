package metric

import (
	"fmt"
	"slices"
	"strings"

	"pooler-lab/internal/result"
	"pooler-lab/internal/wording"
)

// All returns the metrics that have a name of their own.
func All() []Metric { return slices.Clone(all) }

// names lists all metrics; those that end in a colon want something after it: errors:57014, wait:Client:ClientRead.
func names() []string {
	var names []string
	for _, f := range all {
		names = append(names, f.Name)
	}
	for _, f := range families {
		names = append(names, f.prefix)
	}
	return names
}

// Find returns the metric of that name. The error for an unknown one says which is nearest.
func Find(name string) (Metric, error) {
	for _, f := range all {
		if f.Name == name {
			return f, nil
		}
	}
	for _, f := range families {
		rest, ok := strings.CutPrefix(name, f.prefix)
		if ok && rest != "" {
			made := f.of(rest)
			made.Name = name
			return made, nil
		}
		if ok {
			return Metric{}, fmt.Errorf("the metric %q wants %s after its colon, such as %s%s", name, f.what, f.prefix, f.such)
		}
	}
	return Metric{}, wording.Unknown("metric", name, names())
}

// For returns the metrics that c is shown by, the one that it is compared by first: those that its lesson asks for, or
// what clients saw of events, or by workload what a connect takes, alone and with its first query, where it connects
// over and over, how its clients got done where they had a fixed number of transactions, the median response time in an
// open loop, and transactions a second at capacity. A name that this program doesn't know has a metric that no repeat
// measured.
func For(c *result.Cell) []Metric {
	names := c.Metrics
	switch {
	case len(names) > 0:
	case c.Events != nil:
		names = []string{"outage", "outage_max", "lost_writes", "unreported_writes"}
	case c.Transactions > 0:
		names = []string{"tps", "tps_with_connect", "connected_seconds", "finish_seconds", "starved"}
	case c.Workload == "connect":
		names = []string{"connect", "connect_first_query"}
	case c.Rate > 0:
		names = []string{"p50"}
	default:
		names = []string{"tps"}
	}
	var metrics []Metric
	for _, name := range names {
		f, err := Find(name)
		if err != nil {
			f = Metric{Name: name, Heading: name, Meaning: "this program doesn't know it"}
		}
		metrics = append(metrics, f)
	}
	return metrics
}
