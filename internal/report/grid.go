package report

import (
	"slices"
	"strconv"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

// gridFits says whether the run can be shown with a row a path and latency and a column a group: each group has
// one cell there, of the same kind in all rows.
func gridFits(run *result.Run, groups []string) bool {
	type place struct {
		group, path string
		latency     lesson.Latency
	}
	seen, kind := map[place]bool{}, map[string]string{}
	for i := range run.Cells {
		c := &run.Cells[i]
		at := place{c.Group, c.Path, c.Latency}
		k := c.Workload + figureOf(c).heading + figureOf(c).unit + c.Protocol
		if seen[at] || kind[c.Group] != "" && kind[c.Group] != k {
			return false
		}
		seen[at], kind[c.Group] = true, k
	}
	return len(groups) <= 4
}

// grid shows a section a latency, in it a row a path.
func grid(run *result.Run, groups []string) string {
	compared := slices.ContainsFunc(run.Cells, func(c result.Cell) bool { return c.Path == "direct" })
	text, first := "", 0
	for _, p := range run.Paths {
		first = max(first, len(p.Name))
	}
	for n, latency := range latenciesOf(run) {
		t := &table{left: 1, first: first, headings: gridHeadings(run, groups, compared)}
		for _, p := range run.Paths {
			if p.Unavailable != "" && n == 0 {
				t.addAcross(p.Name, "not available: "+p.Unavailable)
			}
			if cells := gridCells(run, groups, p.Name, latency); cells != nil {
				t.add(gridRow(run, cells, compared)...)
			}
		}
		text += "\n" + heading(latency) + "\n" + t.String()
	}
	return text
}

func gridHeadings(run *result.Run, groups []string, compared bool) [][]string {
	names, units := []string{"", "round trip"}, []string{"path", "ms"}
	for _, g := range groups {
		f := figureOf(find(run, func(c *result.Cell) bool { return c.Group == g }))
		names, units = append(names, f.heading+" "), append(units, f.unit+" ")
		if compared {
			names, units = append(names, ""), append(units, "x")
		}
	}
	return [][]string{append(names, "", ""), append(units, "errors", "flags")}
}

// gridCells returns a cell a group, nil in a group's place where it has none, or nil where no group has one.
func gridCells(run *result.Run, groups []string, path string, latency lesson.Latency) []*result.Cell {
	cells := make([]*result.Cell, len(groups))
	found := false
	for i, g := range groups {
		cells[i] = find(run, func(c *result.Cell) bool { return c.Group == g && c.Path == path && c.Latency == latency })
		found = found || cells[i] != nil
	}
	if !found {
		return nil
	}
	return cells
}

func gridRow(run *result.Run, cells []*result.Cell, compared bool) []string {
	present := slices.DeleteFunc(slices.Clone(cells), func(c *result.Cell) bool { return c == nil })
	row := []string{present[0].Path, roundTripOf(present...)}
	for _, c := range cells {
		if c == nil {
			row = append(row, "")
			if compared {
				row = append(row, "")
			}
			continue
		}
		row = append(row, figureOf(c).shown(c))
		if compared {
			row = append(row, figureOf(c).shownRatio(c, base(run, c)))
		}
	}
	return append(row, errorsAndFlags(present)...)
}

func errorsAndFlags(cells []*result.Cell) []string {
	var failed int64
	var words []string
	for _, c := range cells {
		failed += errorsOf(c)
		words = append(words, flagsOf(c)...)
	}
	slices.Sort(words)
	return []string{strconv.FormatInt(failed, 10), join(slices.Compact(words))}
}
