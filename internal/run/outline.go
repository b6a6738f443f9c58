package run

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/plan"
	"pooler-lab/internal/report"
	"pooler-lab/internal/result"
	"pooler-lab/internal/server"
)

// outline says what a run would be, and runs nothing: its experiments, how long it takes, what it needs. The error is
// that of a full size that doesn't fit.
func outline(ctx context.Context, l *lesson.Lesson, o lesson.Override, out io.Writer) error {
	p, err := plan.New(l, o)
	if err != nil {
		return err
	}
	servers, err := server.New(p.Set)
	if err != nil {
		return err
	}
	defer servers.Close()
	scale, err := server.Scale(ctx)
	if err != nil {
		return err
	}
	if err := p.CheckData(scale); err != nil {
		return err
	}
	p.Room.Free = freeConnections(ctx, servers)
	fmt.Fprintf(out, "%s: %s\n\n", p.Lesson.Name, p.Lesson.Question)
	if err := writeExperiments(out, p); err != nil {
		return err
	}
	for _, path := range p.Paths {
		if path.Unavailable != "" {
			fmt.Fprintf(out, "%s is off: %s\n", path.Name, path.Unavailable)
		}
	}
	doc := p.Document(0)
	if err := writeWays(out, p, doc); err != nil {
		return err
	}
	writeLosses(out, doc)
	writeNeeds(out, p)
	if err := p.CheckRoom(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%s\n", takes(p, doc))
	if !o.Full {
		return nil
	}
	if needs := plan.SpokenNeeds(p.Lesson.Full); needs != "" {
		fmt.Fprintf(out, "It needs %s.\n", needs)
	}
	return thisCapacity(ctx, servers, scale).Refuse(p.Lesson.Full)
}

// writeExperiments lists the plan's experiments, a line each, and names those that it leaves out.
func writeExperiments(out io.Writer, p *plan.Plan) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "experiment\tcells\tin blocks\tpaths\tworkloads\tclients\tlatencies"+strings.Join(sizes(p), ""))
	for _, e := range p.Lesson.Experiments {
		var cells []*lesson.Cell
		for i := range p.Cells {
			if p.Cells[i].Experiment == e.Name {
				cells = append(cells, &p.Cells[i])
			}
		}
		if len(cells) == 0 {
			continue
		}
		line := fmt.Sprintf("%s\t%d\t%s", e.Name, len(cells), repeats(cells))
		for _, dimension := range []string{"path", "workload", "clients", "latency_ms"} {
			line += "\t" + each(dimension, cells)
		}
		for _, dimension := range sizeDimensions {
			if has(p, dimension) {
				line += "\t" + each(dimension, cells)
			}
		}
		fmt.Fprintln(table, line)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if left := p.Lesson.LeftOut; len(left) > 0 {
		fmt.Fprintf(out, "\nLeft out (--experiments NAME,... or --experiments all measures them): %s\n",
			strings.Join(left, ", "))
	}
	return nil
}

// sizeDimensions are those of pools. They are columns where a cell has one.
var sizeDimensions = []string{"instances", "instance_pool", "pool_size"}

// has says whether one of the plan's cells has a value in the dimension.
func has(p *plan.Plan, dimension string) bool {
	d, _ := lesson.DimensionNamed(dimension) // it is one of the lesson's
	return slices.ContainsFunc(p.Cells, func(c lesson.Cell) bool { return d.Of(&c) != lesson.None })
}

// sizes are the headings of the columns of pools.
func sizes(p *plan.Plan) (headings []string) {
	for _, dimension := range sizeDimensions {
		if d, _ := lesson.DimensionNamed(dimension); has(p, dimension) {
			headings = append(headings, "\t"+d.Heading)
		}
	}
	return headings
}

// writeNeeds says how many connections a cell opens to each service at most, and how many that takes.
func writeNeeds(out io.Writer, p *plan.Plan) {
	var cells []*lesson.Cell
	for i := range p.Cells {
		cells = append(cells, &p.Cells[i])
	}
	var all []string
	for _, n := range p.Room.NeedsOf(cells) {
		text := fmt.Sprintf("%s %d", n.Service, n.Connections)
		if n.Most > 0 {
			text += fmt.Sprintf(" of %d", n.Most)
		}
		all = append(all, text)
	}
	fmt.Fprintf(out, "\nConnections that a cell opens at most, of those there are: %s.\n", strings.Join(all, ", "))
}

// repeats is how often each of the cells runs in blocks: 6, or 1 to 6.
func repeats(cells []*lesson.Cell) string {
	least, most := cells[0].Wanted-cells[0].Paired, 0
	for _, c := range cells {
		least, most = min(least, c.Wanted-c.Paired), max(most, c.Wanted-c.Paired)
	}
	if least == most {
		return strconv.Itoa(most)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

// each lists every value that the cells have in a dimension once.
func each(dimension string, cells []*lesson.Cell) string {
	d, _ := lesson.DimensionNamed(dimension) // it is one of the lesson's
	var all []string
	for _, v := range d.Values(cells) {
		all = append(all, d.Column(v))
	}
	return strings.Join(all, ", ")
}

// writeWays lists how the plan's comparisons are measured, and what of its findings is measured beside them: each ratio
// once.
func writeWays(out io.Writer, p *plan.Plan, doc *result.Run) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	seen := map[string]bool{}
	add := func(kind, name string, c lesson.Comparison) {
		how, ok := p.How(c)
		ratio := fmt.Sprint(c.Metric, c.Of, c.To)
		if !ok || seen[ratio] {
			return
		}
		if len(seen) == 0 {
			fmt.Fprintln(table, "\n\tname\tmetric\thow it is measured")
		}
		seen[ratio] = true
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", kind, name, c.Metric, how)
	}
	for _, c := range outcome.All(doc).Comparisons {
		name := c.Plan.Name
		if c.Says != c.Plan.Text { // options have made its cells others
			name = c.Says
		}
		add("comparison", name, c.Plan)
	}
	for _, f := range p.Lesson.AllFindings() {
		for _, c := range f.All {
			add("finding", f.Name, lesson.Comparison{Metric: c.Metric, Of: c.Of, To: c.To})
		}
	}
	return table.Flush()
}

// writeLosses lists what the run won't show of what the lesson asks, though it has the experiments for it: comparisons
// and findings of other cells, and cells that no chart has a place for.
func writeLosses(out io.Writer, doc *result.Run) {
	all := outcome.All(doc)
	lost := func(kind, name string, j outcome.Judged) {
		if j.Outcome == outcome.NotInThisRun && j.Reason.LeftOut == "" {
			fmt.Fprintf(out, "Not judged: %s %s: %s.\n", kind, name, j.Reason)
		}
	}
	for _, c := range all.Comparisons {
		lost("comparison", c.Plan.Name, c.Judged)
	}
	for _, f := range all.Findings {
		lost("finding", f.Plan.Name, f.Judged)
	}
	for _, t := range report.NotDrawn(doc) {
		fmt.Fprintf(out, "Chart %s: %s\n", t.Name, t.Text)
	}
}

// takes says what the plan runs, and how long that takes.
func takes(p *plan.Plan, doc *result.Run) string {
	e := plan.NewEstimate(doc, p.Expected())
	text := plan.HowMany(doc) + ", " + e.String()
	if most, ok := e.Most(); ok {
		text += ", " + metric.Clock(most) + " at most"
	}
	return text
}
