package run

import (
	"fmt"
	"slices"
	"strings"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
	"pooler-lab/k6/summary"
)

// cellName names a cell as people read it.
func cellName(c lesson.Cell) string { return c.Experiment + ": " + outcome.Name(&result.Cell{Cell: c}) }

// prefix begins what is said of one of two sides; it is empty where there is one.
func (t *trial) prefix(i int) string {
	if t.pair == nil {
		return ""
	}
	return sideNames(t.sides[summary.Of].cell, t.sides[summary.To].cell)[i] + ": "
}

// named puts the cells' names where k6 speaks of sides.
func (t *trial) named(text string) string {
	for i, name := range sideNames(t.sides[summary.Of].cell, t.sides[summary.To].cell) {
		text = strings.ReplaceAll(text, fmt.Sprintf("the side %q", summary.SideNames[i]), name)
	}
	return text
}

// pairName names two cells: what they differ by, and then what they share.
func pairName(of, to lesson.Cell) string {
	own, shared := differ(of, to)
	return strings.Join(append([]string{own[summary.Of] + " : " + own[summary.To]}, shared...), ", ")
}

// sideNames name each of two cells by what the other one isn't.
func sideNames(of, to lesson.Cell) [summary.Sides]string {
	own, _ := differ(of, to)
	return own
}

// differ divides the names of two cells into what each has for itself and what they share.
func differ(of, to lesson.Cell) (own [summary.Sides]string, shared []string) {
	cells := [summary.Sides]lesson.Cell{of, to}
	var parts [summary.Sides][]string
	for side, c := range cells {
		parts[side] = pairParts(c, cells[1-side])
	}
	for side, c := range cells {
		var alone []string
		for _, part := range parts[side] {
			switch both := slices.Contains(parts[1-side], part); {
			case !both:
				alone = append(alone, part)
			case side == summary.Of:
				shared = append(shared, part)
			}
		}
		own[side] = strings.Join(alone, ", ")
		switch {
		case own[side] != "":
		case of.Experiment != to.Experiment:
			own[side] = c.Experiment
		default:
			own[side] = c.ID
		}
	}
	return own, shared
}

// pairParts are those of the cell's name, and what else the other cell of the pair hasn't.
func pairParts(c, other lesson.Cell) []string {
	parts := outcome.Parts(&result.Cell{Cell: c})
	for _, d := range lesson.Dimensions() {
		if d.Heading == "" || d.Name == "link" || d.Name == "latency_ms" { // the name has a latency where there is one
			continue
		}
		text := d.Text(d.Of(&c))
		if text != "" && text != d.Text(d.Of(&other)) && !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	return parts
}
