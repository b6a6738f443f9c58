package report

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
	"pooler-lab/internal/topology"
)

// Scenarios are what became of each of a lesson's in each cell.
type Scenarios struct {
	Table  Table
	Steps  Table // those that show what doesn't work
	Legend []Term
	Claims []Term // documentation that says another thing
	Why    []Term // something isn't shown, a reason each
}

// outcomeTerms say what the fields of the table mean.
var outcomeTerms = []Term{
	{string(result.Works), "each client saw what it has to see"},
	{string(result.Fails), "with an error, by its SQLSTATE, that PostgreSQL alone doesn't give; or without an answer"},
	{string(result.Lost), "without an error, but a client saw another thing than it has to see"},
	{string(result.Leaks), "another client saw it, on the same backend process"},
	{string(result.NotShown), "it can't be proved what another client saw, or that it was on that backend process"},
}

// disagrees marks an outcome of which documentation says another thing.
const disagrees = "†"

// scenariosOf is nil where the run has none.
func scenariosOf(run *result.Run) *Scenarios {
	cells := withScenarios(run)
	if cells == nil {
		return nil
	}
	s := &Scenarios{Table: Table{Name: "Sessions", Caption: versions(run), Brief: versions(run), Keys: 1,
		Head: heads("what a client does")}}
	s.Steps = Table{Caption: "The steps that show it", Prose: true,
		Head: heads("path", "what a client does", "step", "saw")}
	for _, c := range cells {
		s.Table.Head = append(s.Table.Head, scenarioHead(run, c))
	}
	found := map[result.ScenarioOutcome]bool{}
	for _, name := range scenarioNames(cells) {
		row := []any{name}
		for i, c := range cells {
			of := scenarioNamed(c.Last(), name)
			if of == nil {
				row = append(row, Field{Text: "-"})
				continue
			}
			found[of.Outcome] = true
			row = append(row, outcomeField(*of))
			s.explain(s.Table.Head[i+1], *of)
		}
		s.Table.add(row...)
	}
	for i := range s.Claims {
		s.Claims[i].Text = strings.TrimSuffix(s.Claims[i].Text, ";") + "."
	}
	s.Legend = slices.DeleteFunc(slices.Clone(outcomeTerms), func(t Term) bool {
		return !found[result.ScenarioOutcome(t.Name)]
	})
	return s
}

// withScenarios are the cells that carried them out.
func withScenarios(run *result.Run) (cells []*result.Cell) {
	for _, c := range cellsOf(run) {
		if last := c.Last(); last != nil && last.Scenarios != nil {
			cells = append(cells, c)
		}
	}
	return cells
}

// scenarioHead is a cell's heading: the pooler above the mode, and the experiment where the path has several.
func scenarioHead(run *result.Run, c *result.Cell) Head {
	over, text, _ := strings.Cut(c.Path, "-")
	if text == "" {
		over, text = "", over
	}
	if first := run.ByExperiment()[0]; c.Experiment != first.Name {
		text += ",\n" + c.Experiment
	}
	return Head{Text: text, Over: over}
}

// scenarioNames are those of all cells, each once.
func scenarioNames(cells []*result.Cell) (names []string) {
	for _, c := range cells {
		for _, s := range c.Last().Scenarios {
			if !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
		}
	}
	return names
}

func scenarioNamed(r *result.Repeat, name string) *result.Scenario {
	i := slices.IndexFunc(r.Scenarios, func(s result.Scenario) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &r.Scenarios[i]
}

// outcomeField is an outcome as a field: fails with its SQLSTATE.
func outcomeField(s result.Scenario) Field {
	c := Field{Text: string(s.Outcome), Class: strings.ReplaceAll(string(s.Outcome), " ", "-")}
	if step := s.ShownBy(); s.Outcome == result.Fails && step != nil {
		c.Text += strings.TrimPrefix(step.Saw, "error")
	}
	if s.Disagrees() {
		c.Text += disagrees
	}
	return c
}

// explain adds why something isn't shown, the step that shows what doesn't work, and what documentation says of it.
func (s *Scenarios) explain(head Head, of result.Scenario) {
	path := strings.Join(strings.Fields(head.Over+" "+head.Text), " ")
	if of.Outcome == result.NotShown && of.Why != "" {
		i := slices.IndexFunc(s.Why, func(t Term) bool { return strings.HasPrefix(t.Text, of.Why+": ") })
		if i < 0 {
			s.Why = append(s.Why, Term{string(result.NotShown), of.Why + ": " + path + ", " + of.Name})
		} else {
			s.Why[i].Text += "; " + path + ", " + of.Name
		}
	}
	if step := of.ShownBy(); step != nil {
		saw := "saw " + strings.TrimSuffix(step.Saw+": "+step.Message, ": ")
		if step.Sees != nil {
			saw += fmt.Sprintf(", wanted %s", *step.Sees)
		}
		if step.Backend != "" {
			saw += ", backend " + step.Backend
		}
		s.Steps.add(path, of.Name, step.Client+": "+step.Does, saw)
	}
	if !of.Disagrees() {
		return
	}
	says := map[bool]string{true: "it works, says ", false: "it doesn't work, says "}[of.Documented.Works] +
		of.Documented.Source
	i := slices.IndexFunc(s.Claims, func(t Term) bool { return strings.HasPrefix(t.Text, says) })
	if i < 0 {
		i, s.Claims = len(s.Claims), append(s.Claims, Term{disagrees + " documentation", says + ":"})
	}
	s.Claims[i].Text += " " + path + ", " + of.Name + ";"
}

// versionNumber is what a component's own version says of it, without its name and who compiled it.
var versionNumber = regexp.MustCompile(`\d+(\.\d+)+`)

// versions are those of the services that the run's paths go through.
func versions(run *result.Run) string {
	all := map[string]bool{}
	for _, p := range run.Paths {
		for _, service := range p.Services {
			number := versionNumber.FindString(run.Manifest.Versions[service])
			if topology.IsDatabase(service) && p.Database == "postgresql" {
				service = "PostgreSQL"
			}
			all[service+" "+number] = p.Unavailable == "" && number != "" || all[service+" "+number]
		}
	}
	maps.DeleteFunc(all, func(_ string, known bool) bool { return !known })
	return strings.Join(slices.Sorted(maps.Keys(all)), ", ")
}

// timed says whether the clients of the cell do work whose time is measured.
func timed(c *result.Cell) bool { return c.DrivenBy() != lesson.Itself }
