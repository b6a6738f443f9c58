package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
	"pooler-lab/internal/wording"
)

// Text is the run as a terminal shows it: in short, or with all that its page has in words.
func Text(run *result.Run, details bool) string {
	t := writer{p: NewPage(run)}
	t.title()
	if details {
		t.details()
		return t.String() + "\n"
	}
	t.brief()
	return t.String() + "\nRatios, round trips, flags: the report, or scripts/report --details\n"
}

// Verdict is the run's comparisons and findings alone, with what the flags stand for that they name, and what it comes
// to overall.
func Verdict(run *result.Run) (text string, overall outcome.Outcome) {
	t := writer{p: NewPage(run)}
	all := t.p.judged
	t.paragraph("", run.ID+": "+run.Lesson.Question)
	if len(all.Comparisons)+len(all.Findings) == 0 {
		return t.String() + "The lesson makes no comparison: its figures are a table to look at (scripts/report).\n" +
			"A lesson that makes some: scripts/run 01-connect\n", all.Overall()
	}
	t.comparisons(true)
	t.findings()
	flags := all.Flags()
	t.list(slices.DeleteFunc(t.p.Flags, func(term Term) bool {
		return !slices.Contains(flags, result.FlagKind(term.Name))
	}))
	t.section("Counts", run.Reconciled())
	return t.String(), all.Overall()
}

// A writer writes a page for a terminal.
type writer struct {
	strings.Builder
	p *Page
}

func (t *writer) title() {
	t.line()
	t.paragraph("", t.p.Run.Lesson.Name+": "+t.p.Run.Lesson.Question)
	t.paragraph("", t.p.Machine)
	for _, a := range t.p.Alerts {
		t.paragraph("", a)
	}
}

// brief is one table of what was measured, why some of that is doubtful, and what the lesson's comparisons and findings
// came to.
func (t *writer) brief() {
	t.scenarios(false)
	why := doubts{}
	tables := t.p.Tables
	if t.p.Grid != nil && t.p.Grid.width() <= width {
		tables = []Table{*t.p.Grid}
	}
	for _, table := range tables {
		first := table.pick(func(i int) bool { return !table.Head[i].Detail }).chunks()[0]
		t.line()
		t.paragraph(table.Name+": ", table.Brief)
		t.table(first)
		why.add(first)
	}
	if len(tables) > 0 {
		t.line()
	}
	t.paragraph("* doubtful: ", why.String())
	t.terms(t.p.Notes)
	t.paragraph("", t.p.Few)
	t.outcomes(false)
}

// details are everything.
func (t *writer) details() {
	t.scenarios(true)
	for _, table := range t.p.Tables {
		t.section(table.Name, table.Caption)
		for i, part := range table.chunks() {
			if i > 0 {
				t.line()
			}
			t.table(part)
		}
	}
	if len(t.p.Tables) > 0 {
		t.line()
	}
	t.terms(t.p.Notes)
	t.paragraph("", t.p.Few)
	t.outcomes(true)
	t.section("", t.p.Run.Lesson.Explanation)
	for _, table := range t.p.Troubles {
		t.section("", table.Caption+":")
		t.prose(table)
	}
	t.list(t.p.Legend)
	t.list(t.p.Flags)
	t.list(t.p.Manifest)
	if len(t.p.Sampling.Rows) > 0 {
		t.section("", t.p.Sampling.Caption+":")
		t.table(t.p.Sampling)
	}
}

// scenarios are what became of each, with the steps that show it where details are wanted.
func (t *writer) scenarios(details bool) {
	s := t.p.Scenarios
	if s == nil {
		return
	}
	t.section("", s.Table.Caption)
	for _, part := range s.Table.chunks() {
		t.line()
		t.table(part)
	}
	t.list(s.Legend)
	t.list(s.Why)
	t.list(s.Claims)
	if details && len(s.Steps.Rows) > 0 {
		t.section("", s.Steps.Caption+":")
		t.prose(s.Steps)
	}
}

// outcomes are the comparisons, what stands beside the study's figures, and the findings; nothing where the lesson has
// none of them.
func (t *writer) outcomes(details bool) {
	t.comparisons(details)
	if s := t.p.Study; s != nil {
		t.section("The study", fmt.Sprintf("%s (%s). %s", s.Title, s.Source, s.Setup))
		table := Table{Head: heads("the study", "here", "what")}
		for _, r := range t.p.Studied.Rows {
			what, here := r.Fields[0].Text, r.Fields[2].Text
			if here == "-" {
				what += ": " + r.Fields[3].Text
			}
			table.add(r.Fields[1].Text, here, what)
		}
		if len(table.Rows) > 0 {
			t.table(table)
		}
	}
	t.findings()
}

// comparisons are a row each, with how each was measured where details are wanted.
func (t *writer) comparisons(details bool) {
	table := Table{Head: []Head{{Text: "outcome"}, {Text: "ratio", Number: true}, {Text: "95 % interval", Number: true},
		{Text: "of"}}}
	for _, c := range t.p.Comparisons {
		of := c.Says
		if details {
			of += " (" + joinFilled("; ", c.Metric, c.How) + ")"
		}
		table.add(c.Outcome, c.Ratio, cmp.Or(c.Range, "-"), outcome.Because(of, c.Why))
	}
	if len(table.Rows) > 0 {
		t.section("", "Comparisons, each the ratio of two cells' figures "+t.p.Within)
		t.table(table)
	}
}

// findings are a row each, and what of the lesson the run left out.
func (t *writer) findings() {
	table := Table{Head: heads("outcome", "of", "finding")}
	for _, f := range t.p.Findings {
		whose := "the study"
		if f.Own {
			whose = "the lab"
		}
		table.add(f.Outcome, whose, outcome.Because(f.Says, f.Why))
	}
	if len(table.Rows) > 0 {
		t.line()
		t.table(table)
	}
	t.section("", t.p.LeftOut)
}

func (t *writer) line() { t.WriteString("\n") }

// section begins one that has a name, or only text; nothing where it has neither.
func (t *writer) section(name, text string) {
	if name != "" {
		name += ": "
	}
	if name+text != "" {
		t.line()
		t.paragraph(name, text)
	}
}

// list is a section of terms.
func (t *writer) list(all []Term) {
	if len(all) > 0 {
		t.line()
		t.terms(all)
	}
}

func (t *writer) terms(all []Term) {
	for _, term := range all {
		t.paragraph(term.Name+": ", term.Text)
	}
}

// paragraph writes text after first, wrapped, its later lines indented by first's width; nothing where there is none.
func (t *writer) paragraph(first, text string) {
	if text == "" {
		return
	}
	indent := utf8.RuneCountInString(first)
	for i, l := range wording.Wrap(text, width-indent) {
		if i > 0 {
			first = strings.Repeat(" ", indent)
		}
		t.WriteString(first + l + "\n")
	}
}

// prose writes a table whose fields are sentences with a paragraph a row.
func (t *writer) prose(table Table) {
	for _, row := range table.Rows {
		var parts []string
		for i, c := range row.Fields {
			if table.Head[i].Number {
				c.Text = table.Head[i].Text + " " + c.Text
			}
			parts = append(parts, c.Text)
		}
		last := len(parts) - 1
		t.paragraph("- ", outcome.Because(strings.Join(parts[:last], ", "), parts[last]))
	}
}

func (t *writer) table(table Table) { t.WriteString(lay(table)) }

// doubts count the starred figures that are shown, by why they have a star.
type doubts map[result.FlagKind]int

func (d doubts) add(t Table) {
	for _, row := range t.Rows {
		for _, c := range row.Fields {
			for _, kind := range c.Flags {
				d[kind]++
			}
		}
	}
}

// String says why figures have a star: first what most of them have it for, and of two alike the graver. It is empty
// where nothing is starred.
func (d doubts) String() string {
	kinds := slices.DeleteFunc(result.FlagKinds(), func(kind result.FlagKind) bool { return d[kind] == 0 })
	slices.SortStableFunc(kinds, func(a, b result.FlagKind) int { return d[b] - d[a] })
	var reasons []string
	for _, kind := range kinds {
		reasons = append(reasons, kind.Short())
	}
	return strings.Join(reasons, "; ")
}

// Print writes the run's table, in short or in detail, and where its results are.
func Print(out io.Writer, doc *result.Run, details bool) {
	fmt.Fprintf(out, "%sResults: results/%s (%s opens in any browser)\n",
		Text(doc, details), doc.ID, HTMLFile)
}
