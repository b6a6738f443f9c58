// Package report makes tables of a run, from its run.json and from nothing else.
package report

import (
	"strings"
	"unicode/utf8"
)

// width is the most columns of a terminal that a table takes.
const width = 120

// A table is rows of words under headings. The last column is free text: it is wrapped, not aligned.
type table struct {
	headings [][]string // lines of headings, each a cell a column
	rows     []line
	left     int // columns from the left that are aligned left; the others hold numbers
	first    int // least width of the first column
	gap      int // spaces between columns
}

// A line is a row of cells, or text across all columns after its first cell.
type line struct {
	cells  []string
	across string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, line{cells: cells}) }
func (t *table) addAcross(first, text string) {
	t.rows = append(t.rows, line{cells: []string{first}, across: text})
}

// String lays the table out, at most width columns wide as long as its figures fit.
func (t *table) String() string {
	widths := t.widths()
	var b strings.Builder
	for _, h := range t.headings {
		t.write(&b, line{cells: h}, widths)
	}
	for _, r := range t.rows {
		t.write(&b, r, widths)
	}
	return b.String()
}

func (t *table) widths() []int {
	widths := []int{t.first}
	measure := func(cells []string) {
		for i, c := range cells {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	for _, h := range t.headings {
		measure(h)
	}
	for _, r := range t.rows {
		measure(r.cells)
	}
	return widths
}

// least is the width that the table takes at least, with room for a word in its last column.
func (t *table) least() int {
	widths := t.widths()
	sum := min(widths[len(widths)-1], lastWidth)
	for _, w := range widths[:len(widths)-1] {
		sum += w + t.gap
	}
	return sum
}

// lastWidth is what the last column is squeezed to at most, where a table is wide.
const lastWidth = 12

func (t *table) write(b *strings.Builder, r line, widths []int) {
	var out strings.Builder
	at := 0 // columns written
	for i, c := range r.cells {
		if i > 0 {
			out.WriteString(strings.Repeat(" ", t.gap))
			at += t.gap
		}
		if i == len(widths)-1 || r.across != "" && i == len(r.cells)-1 && i > 0 {
			break
		}
		out.WriteString(pad(c, widths[i], i >= t.left))
		at += max(widths[i], utf8.RuneCountInString(c))
	}
	free := r.across
	if free == "" && len(r.cells) == len(widths) {
		free = r.cells[len(widths)-1]
	} else if free != "" {
		out.WriteString(strings.Repeat(" ", t.gap))
		at += t.gap
	}
	for i, part := range wrap(free, max(width-at, lastWidth)) {
		if i > 0 {
			out.WriteString("\n" + strings.Repeat(" ", at))
		}
		out.WriteString(part)
	}
	for _, l := range strings.Split(out.String(), "\n") {
		b.WriteString(strings.TrimRight(l, " ") + "\n")
	}
}

func pad(s string, width int, right bool) string {
	space := strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
	if right {
		return space + s
	}
	return s + space
}

// wrap breaks text between words into lines of at most width columns.
func wrap(text string, width int) []string {
	var lines []string
	current := ""
	for _, word := range strings.Fields(text) {
		if current != "" && utf8.RuneCountInString(current+" "+word) > width {
			lines = append(lines, current)
			current = ""
		}
		if current != "" {
			current += " "
		}
		current += word
	}
	return append(lines, current)
}
