package htmlreport

import (
	"fmt"
	"slices"

	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
)

// A badge is an outcome as a page shows it: the word, a sign that says the same to who tells no colours apart, a class
// for its looks, and why it is no other.
type badge struct {
	Outcome outcome.Outcome
	Sign    string
	Class   string
	Why     string
}

// looks are how outcomes do.
var looks = map[outcome.Outcome]badge{
	outcome.Reproduced:        {Sign: "✓", Class: "good"},
	outcome.NotReproduced:     {Sign: "✗", Class: "bad"},
	outcome.Inconclusive:      {Sign: "?", Class: "open"},
	outcome.NotInThisRun:      {Sign: "–", Class: "open"},
	outcome.NoInterval:        {Sign: "○", Class: "once"},
	outcome.Lower:             {Sign: "↓", Class: "lower"},
	outcome.Higher:            {Sign: "↑", Class: "higher"},
	outcome.NoClearDifference: {Sign: "=", Class: "same"},
}

func badgeOf(o outcome.Outcome, why outcome.Reason) badge {
	b := looks[o]
	b.Outcome, b.Why = o, why.String()
	return b
}

// outcomeTable has a row a comparison and a finding, and a column a run: ratios and findings may agree between
// machines. In detail it has each ratio's interval and why a run can't say more; else there is room for many runs.
func outcomeTable(runs []Named, detail bool) Table {
	t := Table{Prose: detail, Caption: "What came out in each run: the ratio, or whether the finding is reproduced",
		Head: heads("comparison or finding", "all together")}
	var all []outcome.Outcomes
	for _, r := range runs {
		t.Head = append(t.Head, Head{Text: r.Name, Unit: metric.Count(r.Run.Manifest.Host.CPUs, "CPU")})
		all = append(all, outcome.All(r.Run))
	}
	for _, plan := range runs[0].Run.Lesson.Comparisons {
		var cells []Cell
		var found []outcome.Outcome
		for _, run := range all {
			c := comparisonBy(run, plan.Name)
			cells, found = append(cells, comparisonCell(c, detail)), append(found, c.Outcome)
		}
		t.Rows = append(t.Rows, Row{Cells: append(words(plan.Text, tally(found)), cells...)})
	}
	for _, first := range all[0].Findings {
		plan := first.Plan
		var cells []Cell
		var found []outcome.Outcome
		for _, run := range all {
			f := findingBy(run, plan.Name)
			cells = append(cells, badgeCell("", badgeOf(f.Outcome, f.Reason), detail))
			found = append(found, f.Outcome)
		}
		t.Rows = append(t.Rows, Row{Cells: append(words(plan.Text, tally(found)), cells...)})
	}
	return t
}

// comparisonBy is the one of that name: another version of the lesson may not have it.
func comparisonBy(all outcome.Outcomes, name string) outcome.Comparison {
	for _, c := range all.Comparisons {
		if c.Plan.Name == name {
			return c
		}
	}
	return outcome.Comparison{Outcome: outcome.NotInThisRun}
}

func findingBy(all outcome.Outcomes, name string) outcome.Finding {
	for _, f := range all.Findings {
		if f.Plan.Name == name {
			return f
		}
	}
	return outcome.Finding{Outcome: outcome.NotInThisRun}
}

// comparisonCell is a comparison as a field of a table: beside an outcome its interval, how that was measured, and what
// is flagged.
func comparisonCell(c outcome.Comparison, detail bool) Cell {
	ratio, b := "", badgeOf(c.Outcome, c.Reason)
	if c.Ratio.N > 0 {
		ratio = metric.RatioText(c.Ratio.Center)
	}
	interval := c.Ratio.Text(metric.RatioText)
	if c.Ratio.How != "" {
		interval += "; " + c.Ratio.How
	}
	switch {
	case c.Ratio.Known() && b.Why == "":
		b.Why = interval
	case c.Ratio.Known() && c.Outcome.Concludes():
		b.Why = interval + "; " + b.Why
	}
	return badgeCell(ratio, b, detail)
}

// badgeCell is a ratio, if there is one, and an outcome's sign and word.
func badgeCell(ratio string, b badge, detail bool) Cell {
	cell := Cell{Text: b.Sign + " " + b.Outcome.String(), Class: "outcome " + b.Class}
	switch {
	case detail:
		cell.Note = b.Why
		if ratio != "" {
			cell.Text = ratio + " " + cell.Text
		}
	case ratio != "":
		cell.Text, cell.Note = ratio, cell.Text
	}
	return cell
}

// tally counts outcomes in the order in which they come: "5 reproduced, 1 inconclusive".
func tally(found []outcome.Outcome) string {
	counts := map[outcome.Outcome]int{}
	var order []outcome.Outcome
	for _, o := range found {
		if counts[o]++; !slices.Contains(order, o) {
			order = append(order, o)
		}
	}
	if len(order) == 1 {
		return "all " + order[0].String()
	}
	return counted(counts, order)
}

// counted says how many there are of each outcome.
func counted(counts map[outcome.Outcome]int, order []outcome.Outcome) string {
	text := ""
	for _, o := range order {
		if counts[o] > 0 {
			text += fmt.Sprintf(", %d %s", counts[o], o)
		}
	}
	return text[min(len(text), len(", ")):]
}
