package report

import (
	"slices"
	"strconv"
	"strings"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// mostColumns is how many figures a grid has at most; each has its ratio beside it.
const mostColumns = 4

// gridFits says whether the run can be shown with a row a path and latency and a column a group: each group has
// one cell there, of the same kind in all rows, no two of them have the same figures, and nothing is to be said of a
// cell that a grid has no place for.
func gridFits(run *result.Run, groups []string) bool {
	type place struct {
		group, path string
		latency     lesson.Latency
	}
	seen, kind := map[place]bool{}, map[string]string{}
	if len(run.Paths) == 1 && len(latenciesOf(run)) > 2 {
		return false // one path over many latencies is one table
	}
	for i := range run.Cells {
		c := &run.Cells[i]
		at := place{c.Experiment, c.Path, c.Latency}
		k := c.Workload + kindOf(metric.For(c)) + c.Protocol + strconv.Itoa(c.Clients)
		said := c.HasUsualRole() // by the grid, which names no other
		if !said || c.PoolSize+c.Instances+c.Transactions > 0 || seen[at] || kind[c.Experiment] != "" && kind[c.Experiment] != k {
			return false
		}
		seen[at], kind[c.Experiment] = true, k
	}
	var columns []string
	for _, g := range groups {
		for _, f := range metric.For(firstOf(run, g)) {
			if slices.Contains(columns, f.Name) {
				return false
			}
			columns = append(columns, f.Name)
		}
	}
	return len(columns) <= mostColumns
}

// grid shows a section a latency, in it a row a path.
func grid(run *result.Run, groups []string) string {
	compared := compares(run)
	text, first := "", 0
	for _, p := range run.Paths {
		first = max(first, len(p.Name))
	}
	notes := notesOf(run)
	for _, latency := range latenciesOf(run) {
		t := &table{left: 1, first: first, gap: 1, headings: gridHeadings(run, groups, compared)}
		for _, p := range run.Paths {
			if p.Unavailable != "" && askedAt(p, latency) {
				t.addAcross(p.Name, notes.row(p))
			}
			if cells := gridCells(run, groups, p.Name, latency); cells != nil {
				t.add(gridRow(run, cells, groups, compared)...)
			}
		}
		text += "\n" + heading(latency) + "\n" + t.String()
	}
	return text + notes.text()
}

// askedAt says whether the lesson asked for the path at that latency. Runs of a program that didn't note it yet
// count as having asked.
func askedAt(p result.Path, latency lesson.Latency) bool {
	return len(p.Latencies) == 0 || slices.Contains(p.Latencies, latency)
}

func gridHeadings(run *result.Run, groups []string, compared bool) [][]string {
	names, units := []string{"", "round "}, []string{"path", "trip ms "}
	for _, g := range groups {
		for _, f := range metric.For(firstOf(run, g)) {
			name, unit := heads(f)
			if f.Name == "tps" {
				unit = strconv.Itoa(firstOf(run, g).Clients) + " cl."
			}
			names, units = append(names, name+" "), append(units, unit+" ")
			if compared {
				names, units = append(names, ""), append(units, "x ")
			}
		}
	}
	return [][]string{append(names, "", ""), append(units, "errors ", "flags")}
}

func firstOf(run *result.Run, group string) *result.Cell {
	return find(run, func(c *result.Cell) bool { return c.Experiment == group })
}

// gridCells returns a cell a group, nil in a group's place where it has none, or nil where no group has one.
func gridCells(run *result.Run, groups []string, path string, latency lesson.Latency) []*result.Cell {
	cells := make([]*result.Cell, len(groups))
	found := false
	for i, g := range groups {
		cells[i] = find(run, func(c *result.Cell) bool { return c.Experiment == g && c.Path == path && c.Latency == latency })
		found = found || cells[i] != nil
	}
	if !found {
		return nil
	}
	return cells
}

func gridRow(run *result.Run, cells []*result.Cell, groups []string, compared bool) []string {
	present := slices.DeleteFunc(slices.Clone(cells), func(c *result.Cell) bool { return c == nil })
	row := []string{present[0].Path, roundTripOf(present...)}
	for i, c := range cells {
		for _, f := range metric.For(firstOf(run, groups[i])) {
			row = append(row, shown(f, c))
			if compared && c == nil {
				row = append(row, "")
			} else if compared {
				row = append(row, shownRatio(f, c, base(run, c)))
			}
		}
	}
	return append(row, errorsAndFlags(present)...)
}

// errorsAndFlags counts the errors of a row's cells and lists their flags, each with the figure that it belongs to
// where the row has several: "connect: latency; TPS: host late".
func errorsAndFlags(cells []*result.Cell) []string {
	var failed int64
	var all []string
	for _, c := range cells {
		failed += errorsOf(c)
		words := flagsOf(c)
		if len(words) == 0 {
			continue
		}
		slices.Sort(words)
		text := strings.Join(words, " ")
		if len(cells) > 1 {
			text = metric.For(c)[0].Short() + ": " + text
		}
		all = append(all, text)
	}
	return []string{strconv.FormatInt(failed, 10) + " ", strings.Join(all, "; ")}
}
