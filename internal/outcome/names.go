package outcome

import (
	"slices"
	"strings"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
	"pooler-lab/k6/summary"
)

// FullName is the name of a cell and of its experiment.
func FullName(c lesson.Cell) string { return c.Experiment + ": " + Name(&result.Cell{Cell: c}) }

// PairName names two cells: what they differ by, and then what they share.
func PairName(of, to lesson.Cell) string {
	own, shared := Differ(of, to)
	return strings.Join(append([]string{own[summary.Of] + " : " + own[summary.To]}, shared...), ", ")
}

// Differ divides the names of two cells into what each has for itself and what they share.
func Differ(of, to lesson.Cell) (own [summary.Sides]string, shared []string) {
	parts := [summary.Sides][]string{pairParts(of, to), pairParts(to, of)}
	for side, c := range [summary.Sides]lesson.Cell{of, to} {
		both := func(part string) bool { return slices.Contains(parts[1-side], part) }
		own[side] = strings.Join(slices.DeleteFunc(slices.Clone(parts[side]), both), ", ")
		switch {
		case own[side] != "":
		case of.Experiment != to.Experiment:
			own[side] = c.Experiment
		default:
			own[side] = c.ID
		}
	}
	alone := func(part string) bool { return !slices.Contains(parts[summary.To], part) }
	return own, slices.DeleteFunc(slices.Clone(parts[summary.Of]), alone)
}

// pairParts are those of the cell's name, and what else the other cell of the pair hasn't.
func pairParts(c, other lesson.Cell) []string {
	parts := Parts(&result.Cell{Cell: c})
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
