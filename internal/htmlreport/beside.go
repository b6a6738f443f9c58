package htmlreport

import (
	"fmt"
	"maps"
	"slices"

	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// A Named is a run and what a page calls it.
type Named struct {
	Name string
	Run  *result.Run
}

// A besidePage is what the page of two runs shows.
type besidePage struct {
	A, B     Named
	MachineA string
	MachineB string
	Alerts   []string
	Outcomes Table
	Tables   []Table
	Only     []string
	Manifest Table
}

// Beside makes a page that puts two runs of a lesson side by side.
func Beside(a, b Named) ([]byte, error) {
	if err := OneLesson(a.Run, b.Run); err != nil {
		return nil, err
	}
	p := besidePage{A: a, B: b, MachineA: machine(a.Run), MachineB: machine(b.Run), Alerts: besideAlerts(a, b),
		Outcomes: outcomeTable([]Named{a, b}, true), Tables: besideTables(a, b), Only: only(a, b),
		Manifest: differences(a, b)}
	return render("beside", a.Run.Lesson.Name+": "+a.Name+" beside "+b.Name, p)
}

// OneLesson returns an error unless two runs answer the same question.
func OneLesson(a, b *result.Run) error {
	if a.Lesson.Name == b.Lesson.Name {
		return nil
	}
	return fmt.Errorf("%s is a run of %s and %s one of %s: give runs of one lesson",
		a.ID, a.Lesson.Name, b.ID, b.Lesson.Name)
}

// besideAlerts say what a reader of the runs has to know first.
func besideAlerts(runs ...Named) (all []string) {
	for _, r := range runs {
		for _, text := range alerts(r.Run) {
			all = append(all, r.Name+": "+text)
		}
		if r.Run.Lesson.SHA256 != runs[0].Run.Lesson.SHA256 {
			all = append(all, r.Name+" ran another version of the lesson's file than "+runs[0].Name+".")
		}
	}
	return all
}

// besideTables has a table an experiment of a, in it the cells that both runs have.
func besideTables(a, b Named) []Table {
	var all []Table
	for _, e := range experimentsOf(a.Run) {
		t := Table{Name: "Experiment " + e.Name, Caption: e.caption(), Head: heads("path")}
		for _, d := range e.differ {
			t.Head = append(t.Head, Head{Text: d.Heading})
		}
		t.Head = append(t.Head, Head{Text: "metric"}, Head{Text: a.Name, Number: true}, Head{Text: b.Name, Number: true},
			Head{Text: "second to first", Unit: "ratio", Number: true}, Head{Text: "their intervals"})
		for _, c := range e.Cells {
			if d := cellBy(b.Run, c.ID); d != nil {
				t.Rows = append(t.Rows, e.besideRows(c, d)...)
			}
		}
		if len(t.Rows) > 0 {
			all = append(all, t)
		}
	}
	return all
}

func cellBy(run *result.Run, id string) *result.Cell {
	for i := range run.Cells {
		if run.Cells[i].ID == id {
			return &run.Cells[i]
		}
	}
	return nil
}

// besideRows has a row a metric of a cell in two runs. Their blocks have nothing in common, so that their ratio has no
// interval: what is said is whether the two figures' own ones overlap.
func (e *experiment) besideRows(c, d *result.Cell) []Row {
	var rows []Row
	for i, f := range metric.For(c) {
		cells := append(words(c.Path), e.differing(c)...)
		cells = append(cells, words(headed(f))...)
		cells = append(cells, figureCell(f, c), figureCell(f, d), Cell{Text: quotient(f, c, d), Class: "number"},
			Cell{Text: overlap(f, c, d)})
		row := Row{Cells: cells}
		if i == 0 {
			row.Class = "start"
		}
		rows = append(rows, row)
	}
	return rows
}

// headed is the metric's heading with its unit.
func headed(f metric.Metric) string {
	if u := unit(f); u != "" {
		return f.Heading + ", " + u
	}
	return f.Heading
}

// quotient is the ratio of d's median to c's, starred where either is flagged.
func quotient(f metric.Metric, c, d *result.Cell) string {
	v, ok := f.Middle(c)
	w, has := f.Middle(d)
	if !ok || !has || v <= 0 {
		return "-"
	}
	if len(f.Flags(c))+len(f.Flags(d)) > 0 {
		return metric.RatioText(w/v) + "*"
	}
	return metric.RatioText(w / v)
}

func overlap(f metric.Metric, c, d *result.Cell) string {
	a, b := outcome.Summary(f.Values(c)), outcome.Summary(f.Values(d))
	switch {
	case !a.Known() || !b.Known():
		return "no interval"
	case a.Hi < b.Lo || b.Hi < a.Lo:
		return "apart"
	}
	return "overlap"
}

// only says how many cells one of the runs has alone.
func only(a, b Named) (all []string) {
	for _, pair := range [][2]Named{{a, b}, {b, a}} {
		n := 0
		for _, c := range pair[0].Run.Cells {
			if cellBy(pair[1].Run, c.ID) == nil {
				n++
			}
		}
		if n > 0 {
			all = append(all, fmt.Sprintf("%s only %s has.", sentence(metric.Count(n, "cell")), pair[0].Name))
		}
	}
	return all
}

// differences lists what the two runs' manifests don't share.
func differences(a, b Named) Table {
	t := Table{Prose: true, Caption: "What differs between the two runs, of machine, versions and settings",
		Head: heads("", a.Name, b.Name)}
	first, second := terms(a.Run), terms(b.Run)
	names := slices.Sorted(maps.Keys(first))
	for name := range second {
		if _, ok := first[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if first[name] != second[name] {
			t.Rows = append(t.Rows, Row{Cells: words(name, first[name], second[name])})
		}
	}
	return t
}

// terms is the manifest by name, without what differs between any two runs.
func terms(run *result.Run) map[string]string {
	all := map[string]string{}
	for _, t := range manifestOf(run) {
		if !slices.Contains([]string{"run", "began", "took", "seed"}, t.Name) {
			all[t.Name] = t.Text
		}
	}
	return all
}
