// Package report makes tables of a run, from its run.json and from nothing else.
package report

import (
	"strings"
	"unicode/utf8"
)

// width is the most columns of a terminal that a table or a line takes: a room reads it from a projector. A table of
// details may be as wide as a terminal of its own reader.
const (
	width     = 80
	wideWidth = 120
)

// A table is rows of words under headings. The last column is free text: it is wrapped, not aligned.
type table struct {
	headings [][]string // lines of headings, each a cell a column
	rows     [][]string
	left     int      // columns from the left that are aligned left; the others hold numbers
	gap      int      // spaces between columns
	over     []string // what stands above the columns after the first, each of them above so many
	each     int
	wide     bool // it is one of details
}

// apart is how many more spaces part the columns that one text stands above from the next.
const apart = 2

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// most is how wide the table may be.
func (t *table) most() int {
	if t.wide {
		return wideWidth
	}
	return width
}

// String lays the table out, as wide as it may be at most as long as its figures fit.
func (t *table) String() string {
	widths := t.widths()
	var b strings.Builder
	if len(t.over) > 0 {
		line := strings.Repeat(" ", widths[0])
		for i, text := range t.over {
			line += strings.Repeat(" ", t.gap+apart) + pad(text, t.group(i, widths), true)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	for _, cells := range append(t.headings, t.rows...) {
		t.write(&b, cells, widths)
	}
	return b.String()
}

// group is the width of the columns below the i-th text.
func (t *table) group(i int, widths []int) int {
	sum := t.gap * (t.each - 1)
	for _, w := range widths[1+i*t.each : 1+(i+1)*t.each] {
		sum += w
	}
	return sum
}

func (t *table) widths() []int {
	var widths []int
	for _, cells := range append(t.headings, t.rows...) {
		for i, c := range cells {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	for i, text := range t.over {
		widths[1+i*t.each] += max(0, utf8.RuneCountInString(text)-t.group(i, widths))
	}
	return widths
}

// space is how many spaces stand before the i-th column.
func (t *table) space(i int) int {
	switch {
	case i == 0:
		return 0
	case t.each > 0 && (i-1)%t.each == 0:
		return t.gap + apart
	}
	return t.gap
}

// fits says whether the table is no wider than it may be, with room for a word in its last column.
func (t *table) fits() bool {
	widths := t.widths()
	last := len(widths) - 1
	sum := 0
	for i, w := range widths[:last] {
		sum += t.space(i) + w
	}
	if w := min(widths[last], lastWidth); w > 0 {
		sum += t.space(last) + w
	}
	return sum <= t.most()
}

// lastWidth is what the last column is squeezed to at most, where a table is wide.
const lastWidth = 12

func (t *table) write(b *strings.Builder, cells []string, widths []int) {
	var out strings.Builder
	last, at := len(widths)-1, 0 // at is columns written
	for i, c := range cells[:min(last, len(cells))] {
		out.WriteString(strings.Repeat(" ", t.space(i)) + pad(c, widths[i], i >= t.left))
		at += t.space(i) + widths[i]
	}
	if len(cells) > last {
		out.WriteString(strings.Repeat(" ", t.space(last)))
		at += t.space(last)
		out.WriteString(strings.Join(wrap(cells[last], max(t.most()-at, lastWidth)), "\n"+strings.Repeat(" ", at)))
	}
	for l := range strings.SplitSeq(out.String(), "\n") {
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
