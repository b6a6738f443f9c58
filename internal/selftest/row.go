package selftest

import (
	"slices"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/wording"
)

// A row is one comparison that is measured for many minutes as a pair, and judged once a minute.
type row struct {
	name, text string
	metric     string
	of, to     string  // experiments of k6/selftest.yaml
	ratio      float64 // what is to be found
	usual      bool    // measured unless rows are named
	counts     bool    // for the last line
}

// rows are all that there are. What is slower has 1.02, 1.05 or 1.1 times the reads in a statement. Its true ratio is
// slightly nearer to 1, since the rest of a statement isn't slower: see k6/selftest.js.
var rows = []row{
	{name: "equal", text: "throughput, one path under two names", metric: "tps", of: "b", to: "a", ratio: 1,
		usual: true, counts: true},
	{name: "slower-5", text: "throughput, 5 % slower", metric: "tps", of: "slower-5", to: "a", ratio: 1 / 1.05,
		usual: true, counts: true},
	{name: "slower-2", text: "throughput, 2 % slower", metric: "tps", of: "slower-2", to: "a", ratio: 1 / 1.02},
	{name: "slower-10", text: "throughput, 10 % slower", metric: "tps", of: "slower-10", to: "a", ratio: 1 / 1.1},
	{name: "response-equal", text: "response time, one path under two names", metric: "p50", of: "b", to: "a", ratio: 1},
	{name: "response-slower-5", text: "response time, 5 % slower", metric: "p50", of: "slower-5", to: "a", ratio: 1.05},
	{name: "connect-equal", text: "connect, one path under two names", metric: "connect", of: "connect-b",
		to: "connect-a", ratio: 1},
	{name: "rtt-equal", text: "throughput at 5 ms, one path under two names", metric: "tps", of: "rtt-b", to: "rtt-a",
		ratio: 1, counts: true},
	{name: "rtt-slower-5", text: "throughput at 5 ms, 5 % slower", metric: "tps", of: "rtt-slower-5", to: "rtt-a",
		ratio: 1 / 1.05, counts: true},
}

// chosen are the rows that are named, or all, or the usual ones.
func chosen(names []string, all bool) ([]row, error) {
	var known []string
	for _, r := range rows {
		known = append(known, r.name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, wording.Unknown("row", name, known)
		}
	}
	return slices.DeleteFunc(slices.Clone(rows), func(r row) bool {
		if len(names) > 0 {
			return !slices.Contains(names, r.name)
		}
		return !all && !r.usual
	}), nil
}

// never is a precision that no pair reaches within an hour, so that none ends before its time.
const never lesson.Percent = 0.00001

// comparisons are what is measured: the rows on one path.
func comparisons(chosen []row, path string, seconds float64) []lesson.Comparison {
	cell := func(experiment string) lesson.Selector {
		return lesson.Selector{"experiment": lesson.Word(experiment), "path": lesson.Word(path)}
	}
	var all []lesson.Comparison
	for _, r := range chosen {
		all = append(all, lesson.Comparison{Name: r.name, Text: r.text, Metric: r.metric, Of: cell(r.of), To: cell(r.to),
			Until: never, AtMost: seconds})
	}
	return all
}

// experiments are those of the comparisons, each once.
func experiments(all []lesson.Comparison) []string {
	var names []string
	for _, c := range all {
		names = append(names, c.Of["experiment"].String(), c.To["experiment"].String())
	}
	slices.Sort(names)
	return slices.Compact(names)
}
