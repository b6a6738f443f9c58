package htmlreport

import (
	"fmt"

	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
)

// claimTable has a row a claim and a column a run: ratios and shapes, which may agree between machines. In detail it
// has each ratio's interval and why a run can't say more; else there is room for many runs.
func claimTable(runs []Named, detail bool) Table {
	t := Table{Prose: detail, Caption: "What the lesson claims, in each run: the ratio, or whether the shape held", Head: heads("claim", "all together")}
	var claims []outcome.Claims
	for _, r := range runs {
		t.Head = append(t.Head, Head{Text: r.Name, Unit: metric.Count(r.Run.Manifest.Host.CPUs, "CPU")})
		claims = append(claims, outcome.All(r.Run))
	}
	for _, h := range runs[0].Run.Lesson.Comparisons {
		var cells []Cell
		var found []string
		for _, c := range claims {
			v := headlineBy(c, h.Name)
			cells, found = append(cells, ratioOf(v, detail)), append(found, v.Word)
		}
		t.Rows = append(t.Rows, Row{Cells: append(words(h.Says, tally(found)), cells...)})
	}
	if runs[0].Run.Lesson.Study == nil {
		return t
	}
	for _, s := range runs[0].Run.Lesson.Study.Findings {
		var cells []Cell
		var found []string
		for _, c := range claims {
			j := shapeBy(c, s.Name)
			cells, found = append(cells, claimCell("", verdictOf(j.Word, j.Why), detail)), append(found, j.Word)
		}
		t.Rows = append(t.Rows, Row{Cells: append(words(s.Says, tally(found)), cells...)})
	}
	return t
}

// headlineBy is the one of that name: another version of the lesson's file may not have it.
func headlineBy(c outcome.Claims, name string) outcome.Verdict {
	for _, v := range c.Headlines {
		if v.Name == name {
			return v
		}
	}
	return outcome.Verdict{Word: outcome.NotAsked}
}

func shapeBy(c outcome.Claims, name string) outcome.Judgement {
	for _, j := range c.Shapes {
		if j.Name == name {
			return j
		}
	}
	return outcome.Judgement{Word: outcome.NotAsked}
}

// ratioOf is a comparison as a field of a table.
func ratioOf(v outcome.Verdict, detail bool) Cell {
	text, why := "", v.Why
	if v.Ratio.N > 0 {
		text = metric.RatioText(v.Ratio.Center)
	}
	if v.Ratio.Known() && why == "" {
		why = v.Ratio.Text(metric.RatioText)
	}
	return claimCell(text, verdictOf(v.Word, why), detail)
}

// claimCell is a ratio, if there is one, and a verdict's sign and word.
func claimCell(ratio string, v verdict, detail bool) Cell {
	cell := Cell{Text: v.Sign + " " + v.Word, Class: "verdict " + v.Class}
	switch {
	case detail:
		cell.Note = v.Why
		if ratio != "" {
			cell.Text = ratio + " " + cell.Text
		}
	case ratio != "":
		cell.Text, cell.Note = ratio, cell.Text
	}
	return cell
}

// tally counts words: "5 held, 1 can't say".
func tally(found []string) string {
	counts := map[string]int{}
	var order []string
	for _, w := range found {
		if counts[w] == 0 {
			order = append(order, w)
		}
		counts[w]++
	}
	if len(order) == 1 {
		return fmt.Sprintf("all %s", order[0])
	}
	text := ""
	for _, w := range order {
		text += fmt.Sprintf(", %d %s", counts[w], w)
	}
	return text[2:]
}
