package htmlreport

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pooler-lab/internal/chart"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// A comparison is one that the lesson makes, and what came of it.
type comparison struct {
	Says, Metric string
	Of, To, Both string // what the cells don't share, and what they do
	Ratio        string // empty where there is none
	Range        string // its interval
	How          string // how it was measured, where there are several ways
	Drawing      chart.Drawing
	Badge        badge
}

// A reach is how far the axis of the intervals goes.
type reach struct{ From, To string }

// comparisons are the run's, each with its interval on an axis that all of them share.
func comparisons(found []outcome.Comparison) ([]comparison, reach) {
	var all []comparison
	var intervals []chart.Interval
	for _, f := range found {
		if f.Reason.LeftOut != "" {
			continue
		}
		c := comparison{Says: f.Plan.Text, Metric: f.Metric.Heading, How: f.Ratio.How,
			Badge: badgeOf(f.Outcome, f.Reason)}
		i := chart.Interval{Name: c.Says + ": no ratio", Class: c.Badge.Class}
		if f.Of != nil && f.To != nil {
			c.Of, c.To, c.Both = apart(parts(f.Of, f.To), parts(f.To, f.Of))
		}
		if f.Ratio.N > 0 {
			c.Ratio = metric.RatioText(f.Ratio.Center)
			i.Name, i.Ratio = fmt.Sprintf("%s: ratio %s", c.Says, c.Ratio), f.Ratio.Center
		}
		if f.Ratio.Known() {
			c.Range = f.Ratio.Text(metric.RatioText)
			i.Name, i.Lo, i.Hi = fmt.Sprintf("%s, from %s", i.Name, c.Range), f.Ratio.Lo, f.Ratio.Hi
		}
		all, intervals = append(all, c), append(intervals, i)
	}
	drawings, most := chart.Intervals("ratio-", intervals)
	for i := range all {
		all[i].Drawing = drawings[i]
	}
	return all, reach{shortest(1 / most), shortest(most)}
}

// parts are those of c's name beside another cell's: with its role where only that tells them apart.
func parts(c, other *result.Cell) []string {
	all := outcome.Parts(c)
	if c.HasUsualRole() && c.Role != other.Role {
		all = append(all, "app")
	}
	return all
}

// apart divides the names of two cells into what only one of them has and what both do.
func apart(of, to []string) (onlyOf, onlyTo, both string) {
	without := func(parts, others []string) string {
		left := slices.DeleteFunc(slices.Clone(parts), func(p string) bool { return slices.Contains(others, p) })
		return cmp.Or(strings.Join(left, ", "), "none")
	}
	common := slices.DeleteFunc(slices.Clone(of), func(p string) bool { return !slices.Contains(to, p) })
	return without(of, to), without(to, of), strings.Join(common, ", ")
}

// shortest writes v with two digits at most.
func shortest(v float64) string { return strconv.FormatFloat(v, 'g', 2, 64) }
