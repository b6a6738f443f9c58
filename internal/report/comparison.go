package report

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"pooler-lab/internal/chart"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// A Badge is an outcome: in words, a sign that says the same to who tells no colours apart, a class for its looks, and
// why it is no other.
type Badge struct {
	Outcome string // with its qualifier, where it has one
	Sign    string
	Class   string
	Why     string
	of      outcome.Outcome
}

// looks are how outcomes do.
var looks = map[outcome.Outcome]Badge{
	outcome.Reproduced:        {Sign: "✓", Class: "good"},
	outcome.NotReproduced:     {Sign: "✗", Class: "bad"},
	outcome.Inconclusive:      {Sign: "?", Class: "open"},
	outcome.NotInThisRun:      {Sign: "–", Class: "open"},
	outcome.NoInterval:        {Sign: "○", Class: "once"},
	outcome.Lower:             {Sign: "↓", Class: "lower"},
	outcome.Higher:            {Sign: "↑", Class: "higher"},
	outcome.NoClearDifference: {Sign: "=", Class: "same"},
}

func badgeOf(j outcome.Judged) Badge {
	b := looks[j.Outcome]
	b.Outcome, b.Why, b.of = j.Outcome.String(), j.Reason.String(), j.Outcome
	return b
}

// A ComparisonLine is a comparison that the lesson makes, and what came of it.
type ComparisonLine struct {
	Says, Metric string
	Of, To, Both string // what the cells don't share, and what they do
	Ratio        string // starred where it is flagged, - where there is none
	Range        string // its interval
	How          string // how it was measured, where there are several ways
	Drawing      chart.Drawing
	Badge
}

// A reach is how far the axis of the intervals goes.
type reach struct{ From, To string }

// comparisons are the run's, each with its interval on an axis that all of them share; those whose experiment the run
// left out aren't among them.
func comparisons(found []outcome.Compared) ([]ComparisonLine, reach) {
	var all []ComparisonLine
	var intervals []chart.Interval
	for _, f := range found {
		if f.Reason.LeftOut != "" {
			continue
		}
		c := comparisonOf(f)
		name := c.Says + ": no ratio"
		if f.Ratio.N > 0 {
			name = joinFilled(", from ", fmt.Sprintf("%s: ratio %s", c.Says, c.Ratio), c.Range)
		}
		all, intervals = append(all, c), append(intervals, intervalOf(f, name))
	}
	drawings, most := chart.Intervals("ratio-", intervals)
	for i := range all {
		all[i].Drawing = drawings[i]
	}
	return all, reach{shortest(1 / most), shortest(most)}
}

// intervalOf is the comparison's ratio as charts draw it.
func intervalOf(f outcome.Compared, name string) chart.Interval {
	i := chart.Interval{Name: name, Ratio: f.Ratio.Center, Class: looks[f.Outcome].Class}
	if f.Ratio.Known() {
		i.Lo, i.Hi = f.Ratio.Lo, f.Ratio.Hi
	}
	return i
}

func comparisonOf(f outcome.Compared) ComparisonLine {
	c := ComparisonLine{Says: f.Says, Metric: cmp.Or(f.Metric.Heading, f.Plan.Metric), Ratio: "-", How: f.Ratio.How,
		Badge: badgeOf(f.Judged)}
	c.Outcome = f.Text()
	if f.Of != nil && f.To != nil {
		c.Of, c.To, c.Both = outcome.Apart(f.Of, f.To)
	}
	if f.Ratio.N > 0 {
		c.Ratio = metric.RatioText(f.Ratio.Center)
	}
	if f.Ratio.Flagged {
		c.Ratio += "*"
	}
	if f.Ratio.Known() {
		c.Range = f.Ratio.Text(metric.RatioText)
	}
	return c
}

// within says what the ratios of the run's comparisons are of.
func within(run *result.Run) string {
	if outcome.SideBySide(run) > 0 {
		return "within a block, or within a group of slots where they ran side by side"
	}
	return "within a block"
}

// shortest writes v with two digits at most.
func shortest(v float64) string {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 2, 64), 64) // it reads back what it wrote
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// A pairChart is a comparison whose cells ran side by side, group after group.
type pairChart struct {
	Says, How, Ending string
	Drawing           chart.Drawing
}

// pairCharts are those of the comparisons that were measured so.
func pairCharts(found []outcome.Compared) (all []pairChart) {
	for _, f := range found {
		if f.Ratio.Pair == nil || len(f.Ratio.Groups) == 0 {
			continue
		}
		name := fmt.Sprintf("%s: the ratio in each of %s", f.Says, metric.Count(len(f.Ratio.Groups), "group"))
		g := chart.Groups{ID: fmt.Sprintf("groups-%d", len(all)+1), Interval: intervalOf(f, name),
			Ratios: f.Ratio.Groups, Warming: f.Ratio.Warming}
		all = append(all, pairChart{Says: fmt.Sprintf("%s (%s)", f.Says, f.Metric.Heading), How: f.Ratio.How,
			Ending: ending(f.Ratio.Pair), Drawing: g.Draw()})
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

// A FindingLine is a finding of the study's or of the lab's own, and whether the run reproduces it.
type FindingLine struct {
	Says string
	Own  bool // the lab's, and not the study's
	Badge
}

// findings are those found, and in one line how many of them are reproduced; those whose experiment the run left out
// aren't among them.
func findings(found []outcome.Found) (all []FindingLine, tally string) {
	var outcomes []outcome.Outcome
	for _, f := range found {
		if f.Reason.LeftOut == "" {
			all = append(all, FindingLine{f.Plan.Text, f.Own, badgeOf(f.Judged)})
			outcomes = append(outcomes, f.Outcome)
		}
	}
	return all, metric.Count(len(all), "finding") + ": " + counted(outcomes)
}

// counted counts outcomes: "5 reproduced, 1 inconclusive".
func counted(found []outcome.Outcome) string {
	var texts []string
	for _, o := range []outcome.Outcome{outcome.Reproduced, outcome.NotReproduced, outcome.Lower,
		outcome.NoClearDifference, outcome.Higher, outcome.NoInterval, outcome.Inconclusive, outcome.NotInThisRun} {
		n := 0
		for _, f := range found {
			if f == o {
				n++
			}
		}
		switch {
		case n == len(found) && n > 1:
			return "all " + o.String()
		case n > 0:
			texts = append(texts, fmt.Sprintf("%d %s", n, o))
		}
	}
	return strings.Join(texts, ", ")
}

// studied sets what the study's author saw beside what was seen here, but for experiments that the run left out.
func studied(figures []outcome.StudyFigure) Table {
	t := Table{Prose: true, Caption: "What its author saw beside what was seen here",
		Head: heads("what", "the study", "here", "measured as")}
	t.Head[1].Number, t.Head[2].Number = true, true
	for _, f := range figures {
		if f.Reason.LeftOut != "" {
			continue
		}
		here, as := Field{Text: "-"}, f.Reason.String()
		if f.Seen.N > 0 {
			here.Text, as = f.String(), fmt.Sprintf("%s of %s", f.Metric.Heading, outcome.Name(f.Cell))
		}
		if f.Seen.Known() {
			here.Note = f.Seen.Text(f.Metric.Text)
		}
		t.add(f.Plan.What, f.Plan.Value, here, as)
	}
	return t
}
