package run

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/pairing"
	"pooler-lab/internal/topology"
)

// writeWays lists how the plan's comparisons are measured, and what of its findings is measured beside them.
func (p *plan) writeWays(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	lines := 0
	seen := map[lineOfWay]bool{}
	add := func(kind, name string, c lesson.Comparison) {
		way, ok := p.pairs.How(c.Metric, c.Of, c.To)
		line := lineOfWay{c.Metric, c.Of.String(), c.To.String()}
		if !ok || seen[line] {
			return
		}
		if seen[line] = true; lines == 0 {
			fmt.Fprintln(table, "\n\tname\tmetric\thow it is measured")
		}
		lines++
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", kind, name, c.Metric, how(way))
	}
	for _, c := range p.lesson.Comparisons {
		add("comparison", c.Name, c)
	}
	findings := p.lesson.Findings
	if p.lesson.Study != nil {
		findings = slices.Concat(findings, p.lesson.Study.Findings)
	}
	for _, f := range findings {
		for _, c := range f.All {
			add("finding", f.Name, lesson.Comparison{Metric: c.Metric, Of: c.Of, To: c.To})
		}
	}
	return table.Flush()
}

// A lineOfWay is what two lines about one ratio have in common.
type lineOfWay struct{ metric, of, to string }

// how says how a ratio is measured.
func how(w pairing.Way) string {
	if w.Pair != nil {
		return fmt.Sprintf("side by side, until %s, at most %g s", lesson.Percent(w.Pair.Until), w.Pair.AtMost)
	}
	text := metric.Count(w.Blocks, "block")
	if w.Reason != "" {
		text += ": " + w.Reason
	}
	return text
}

// takes says what the plan runs, and how long that takes.
func (p *plan) takes(set *topology.Set, o lesson.Override) string {
	all := p.progress(io.Discard, 0, set, o)
	if len(p.pairs.Pairs) == 0 {
		return fmt.Sprintf("%s, %s", all.howMany(), all.howLong())
	}
	about := all.remaining()
	short := *p
	short.pairs.Pairs = slices.Clone(p.pairs.Pairs)
	for i := range short.pairs.Pairs {
		pair := &short.pairs.Pairs[i]
		pair.AtMost = pairing.Least(*pair).Seconds()
	}
	least := short.progress(io.Discard, 0, set, o)
	all.paired.said, least.paired.said = 1, 1
	about = max(about, least.remaining())
	return fmt.Sprintf("%s, about %s: %s at least, %s at most", all.howMany(), clock(about), clock(least.remaining()),
		clock(all.remaining()))
}
