package htmlreport

import (
	"fmt"

	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
)

// A roomPage is what the page of a whole room's runs shows.
type roomPage struct {
	Lesson   string
	Question string
	Runs     int
	Alerts   []string
	Outcomes Table
	Reasons  Table
	Machines Table
}

// Room makes a page with a column a machine: the lesson's comparisons and findings. Absolute
// figures don't agree between machines, so that it has none.
func Room(runs []Named) ([]byte, error) {
	for _, r := range runs[1:] {
		if err := OneLesson(runs[0].Run, r.Run); err != nil {
			return nil, err
		}
	}
	l := runs[0].Run.Lesson
	if len(l.Comparisons) == 0 && l.Study == nil {
		return nil, fmt.Errorf("lesson %s makes no comparison and has no findings: "+
			"there is nothing to compare between machines", l.Name)
	}
	p := roomPage{
		Lesson: l.Name, Question: l.Question, Runs: len(runs), Alerts: besideAlerts(runs...),
		Outcomes: outcomeTable(runs, false), Reasons: reasons(runs), Machines: machines(runs),
	}
	return render("room", fmt.Sprintf("%s: %s", l.Name, metric.Count(len(runs), "machine")), p)
}

// machines says what each run was made on.
func machines(runs []Named) Table {
	t := Table{Prose: true, Caption: "The machines", Head: heads("machine", "run", "host", "a node", "a pooler", "order")}
	for _, r := range runs {
		order := metric.Count(r.Run.Blocks, "block")
		if pairs := len(blocksOfPairs(r.Run)); pairs > 0 {
			order = metric.Count(pairs, "pair") + ", " + metric.Count(r.Run.Blocks-pairs, "block")
		}
		order = fmt.Sprintf("%s, seed %d", order, r.Run.Seed)
		t.Rows = append(t.Rows, Row{Cells: words(r.Name, r.Run.ID, host(r.Run.Manifest.Host),
			r.Run.Manifest.CPUs("nodes"), r.Run.Manifest.CPUs("poolers"), order)})
	}
	return t
}

// reasons say why a machine's run can't say more of a comparison or a finding.
func reasons(runs []Named) Table {
	t := Table{Prose: true, Caption: "Where a run can't say more, and why",
		Head: heads("machine", "comparison or finding", "outcome", "why")}
	for _, r := range runs {
		all := outcome.All(r.Run)
		add := func(text string, o outcome.Outcome, why outcome.Reason) {
			if why.String() != "" {
				t.Rows = append(t.Rows, Row{Cells: words(r.Name, text, o.String(), why.String())})
			}
		}
		for _, c := range all.Comparisons {
			add(c.Plan.Text, c.Outcome, c.Reason)
		}
		for _, f := range all.Findings {
			add(f.Plan.Text, f.Outcome, f.Reason)
		}
	}
	return t
}
