package htmlreport

import (
	"cmp"
	"fmt"

	"pooler-lab/internal/chart"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// A pairChart is a comparison whose cells ran side by side, group after group.
type pairChart struct {
	Says, How, Ending string
	Drawing           chart.Drawing
}

// pairCharts are those of the comparisons that were measured so.
func pairCharts(found []outcome.Comparison) (all []pairChart) {
	for _, f := range found {
		if f.Ratio.Pair == nil || len(f.Ratio.Groups) == 0 {
			continue
		}
		p := pairChart{Says: fmt.Sprintf("%s (%s)", f.Plan.Text, f.Metric.Heading), How: f.Ratio.How}
		p.Ending = ending(f.Ratio.Pair)
		g := chart.Groups{ID: fmt.Sprintf("groups-%d", len(all)+1), Class: badgeOf(f.Outcome, f.Reason).Class,
			Ratios: f.Ratio.Groups, Ratio: f.Ratio.Center}
		g.Title = fmt.Sprintf("%s: the ratio in each of %s", f.Plan.Text, metric.Count(len(g.Ratios), "group"))
		if f.Ratio.Known() {
			g.Lo, g.Hi = f.Ratio.Lo, f.Ratio.Hi
		}
		p.Drawing = g.Draw()
		all = append(all, p)
	}
	return all
}

// ending says why the pair ended.
func ending(p *result.Pair) string {
	text := "ended since " + p.Ending
	if p.Status == result.Interrupted || p.Ending == "" {
		text = cmp.Or(p.Ending, string(p.Status))
	}
	if p.Ending == result.TimeOver && p.AtMost > 0 {
		text += fmt.Sprintf(" (%g s)", p.AtMost)
	}
	return text
}

// ratiosAre says what a ratio of the run is of.
func ratiosAre(run *result.Run) string {
	if outcome.SideBySide(run) > 0 {
		return "Ratios within the same block, or within groups of slots where the two ran side by side"
	}
	return "Ratios within the same block"
}

// ratioMeans says what the ratio of two cells of a table is.
func ratioMeans(run *result.Run) string {
	text := "the median of each block's own ratio"
	if outcome.SideBySide(run) > 0 {
		return "where both ran side by side, the mean of the middle 70 % of their groups' ratios; else " + text
	}
	return text
}

// intervalMeans says what stands as "a to b".
func intervalMeans(run *result.Run) string {
	text := "holds the true median in 95 of 100 cases; figures of fewer than six repeats have no interval and support " +
		"no conclusion"
	if outcome.SideBySide(run) > 0 {
		return fmt.Sprintf("%s; ratios of cells that ran side by side have one from %d groups on", text, outcome.FewestGroups)
	}
	return text
}
