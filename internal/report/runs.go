package report

import (
	"fmt"
	"slices"
	"strings"

	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// A Named is a run and what a page calls it.
type Named struct {
	Name string
	Run  *result.Run
}

// A runsPage is what the page of several runs shows.
type runsPage struct {
	Lesson      result.Lesson
	Runs        []Named
	Alerts      []string
	Outcomes    Table
	Reasons     Table
	Differences Table
	Figures     []Table
}

// Runs makes a page of several runs of a lesson, with a column a run.
func Runs(runs ...Named) ([]byte, error) {
	if err := OneLesson(runs...); err != nil {
		return nil, err
	}
	first := runs[0].Run
	p := runsPage{Lesson: first.Lesson, Runs: runs, Alerts: runsAlerts(runs), Differences: differences(runs),
		Figures: besideTables(runs)}
	p.Outcomes, p.Reasons = outcomeTables(runs)
	return render("runs", fmt.Sprintf("%s: %s", first.Lesson.Name, metric.Count(len(runs), "run")), p)
}

// OneLesson returns an error unless all runs answer the same question.
func OneLesson(runs ...Named) error {
	first := runs[0].Run
	for _, r := range runs[1:] {
		if r.Run.Lesson.Name != first.Lesson.Name {
			return fmt.Errorf("%s is a run of %s and %s one of %s: give runs of one lesson",
				first.ID, first.Lesson.Name, r.Run.ID, r.Run.Lesson.Name)
		}
	}
	return nil
}

// runsAlerts say what a reader of the runs has to know first.
func runsAlerts(runs []Named) (all []string) {
	for _, r := range runs {
		for _, text := range alerts(r.Run) {
			all = append(all, r.Name+": "+text)
		}
		if r.Run.Lesson.SHA256 != runs[0].Run.Lesson.SHA256 {
			all = append(all, r.Name+" ran another version of the lesson's file than "+runs[0].Name+".")
		}
		more := slices.DeleteFunc(cellsOf(r.Run), func(c *result.Cell) bool { return cellBy(runs[0].Run, c.ID) != nil })
		if len(more) > 0 {
			all = append(all, fmt.Sprintf("This page leaves out %s of %s that %s lacks.",
				metric.Count(len(more), "cell"), r.Name, runs[0].Name))
		}
	}
	return all
}

// outcomeRows are the run's comparisons, and its findings as comparisons without a ratio, each by the name that its
// plan has.
func outcomeRows(run *result.Run) (names []string, rows map[string]ComparisonLine) {
	rows = map[string]ComparisonLine{}
	all := outcome.All(run)
	for _, f := range all.Comparisons {
		name := "comparison " + f.Plan.Name
		names, rows[name] = append(names, name), comparisonOf(f)
	}
	for _, f := range all.Findings {
		name := "finding " + f.Plan.Name
		names, rows[name] = append(names, name), ComparisonLine{Says: f.Plan.Text, Badge: badgeOf(f.Judged)}
	}
	return names, rows
}

// outcomeTables have a row a comparison and a finding of the first run, and a column a run: ratios and findings may
// agree between machines. The second table says why a run can't say more.
func outcomeTables(runs []Named) (outcomes, reasons Table) {
	outcomes = Table{Caption: "The ratio in each run, or whether the finding is reproduced",
		Head: heads("comparison or finding", "all together")}
	reasons = Table{Prose: true, Caption: "Where a run can't say more, and why",
		Head: heads("run", "comparison or finding", "outcome", "why")}
	names, first := outcomeRows(runs[0].Run)
	cells, found := map[string][]any{}, map[string][]outcome.Outcome{}
	for i, r := range runs {
		outcomes.Head = append(outcomes.Head, Head{Text: r.Name, Unit: metric.Count(r.Run.Manifest.Host.CPUs, "CPU")})
		rows := first
		if i > 0 {
			_, rows = outcomeRows(r.Run)
		}
		for _, name := range names {
			row, ok := rows[name]
			if !ok { // another version of the lesson doesn't have it
				row.Badge = badgeOf(outcome.Judged{Outcome: outcome.NotInThisRun})
			}
			text := strings.TrimSpace(strings.TrimPrefix(row.Ratio, "-") + " " + row.Sign + " " + row.Outcome)
			cells[name] = append(cells[name], Field{Text: text, Note: row.Range, Class: "outcome " + row.Class})
			found[name] = append(found[name], row.of)
			if row.Why != "" {
				reasons.add(r.Name, first[name].Says, row.Outcome, row.Why)
			}
		}
	}
	for _, name := range names {
		outcomes.add(append([]any{first[name].Says, counted(found[name])}, cells[name]...)...)
	}
	return outcomes, reasons
}

// differences lists what the runs' manifests don't share.
func differences(runs []Named) Table {
	t := Table{Prose: true, Caption: "What differs between the runs, of machine, versions and settings", Head: heads("")}
	var all []map[string]string
	var names []string
	for _, r := range runs {
		t.Head = append(t.Head, Head{Text: r.Name})
		terms := map[string]string{}
		for _, term := range manifestOf(r.Run) {
			terms[term.Name] = term.Text
			if !slices.Contains(names, term.Name) {
				names = append(names, term.Name)
			}
		}
		all = append(all, terms)
	}
	for _, name := range names {
		row, same := []any{name}, true
		for _, terms := range all {
			row, same = append(row, terms[name]), same && terms[name] == all[0][name]
		}
		if !same {
			t.add(row...)
		}
	}
	return t
}

// besideTables has a table an experiment of the first run, with a row a cell and metric and a column a run.
func besideTables(runs []Named) []Table {
	var all []Table
	for _, e := range experimentsOf(runs[0].Run) {
		t := Table{Name: "Experiment " + e.Name, Caption: e.caption()}
		keys := e.keys()
		for _, key := range keys {
			t.Head = append(t.Head, key.Head)
		}
		t.Head = append(t.Head, Head{Text: "metric"})
		for _, r := range runs {
			t.Head = append(t.Head, Head{Text: r.Name, Number: true})
		}
		for _, c := range e.Cells {
			for i, f := range metricsOf([]*result.Cell{c}) {
				var row Row
				for _, key := range keys {
					row.Fields = append(row.Fields, key.of(c))
				}
				row.Fields = append(row.Fields, Field{Text: strings.TrimSuffix(f.Heading+", "+unit(f), ", ")})
				for _, r := range runs {
					row.Fields = append(row.Fields, besideField(f, c, cellBy(r.Run, c.ID)))
				}
				if i == 0 {
					row.Class = "start"
				}
				t.Rows = append(t.Rows, row)
			}
		}
		all = append(all, t)
	}
	return all
}

// besideField is the figure of a run's cell and, beside that of another run, its ratio to the first one's. Blocks of
// two runs have nothing in common, so that their ratio has no interval: what is said is whether the two figures' own
// ones overlap.
func besideField(f metric.Metric, first, c *result.Cell) Field {
	cell := figureField(f, c)
	a, b := outcome.Summary(f.Values(first)), outcome.Summary(f.Values(c))
	if first == c || a.N == 0 || b.N == 0 || a.Center <= 0 {
		return cell
	}
	ratio := metric.RatioText(b.Center/a.Center) + " x the first"
	switch {
	case !a.Known() || !b.Known():
	case a.Hi < b.Lo || b.Hi < a.Lo:
		ratio += ", intervals apart"
	default:
		ratio += ", intervals overlap"
	}
	cell.Note = strings.TrimPrefix(cell.Note+"; "+ratio, "; ")
	return cell
}

// cellBy is the run's cell with that id, nil where it has none.
func cellBy(run *result.Run, id string) *result.Cell {
	for _, c := range cellsOf(run) {
		if c.ID == id {
			return c
		}
	}
	return nil
}
