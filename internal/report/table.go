package report

import (
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"pooler-lab/internal/wording"
)

const width = wording.Width

// headingWidth is the most columns that a line of a heading takes where its words allow it, proseWidth the fewest that
// a table's last column is squeezed to where it holds words.
const (
	headingWidth = 8
	proseWidth   = 12
)

// space is one that stays: go-pretty cuts plain ones off.
const space = "\u00a0"

// narrow sets thousands apart on a page. In a terminal figures stand as they may be typed.
const narrow = "\u202f"

// lay lays the table out, its last column wrapped where it is of words.
func lay(t Table) string {
	last := len(t.Head) - 1
	room := 0
	if !t.Head[last].Number {
		room = max(proseWidth, width-len(t.gap())-t.columns(0, last).width())
	}
	return wording.Trim(strings.ReplaceAll(t.render(room), space, " ")) + "\n"
}

// render draws the table; words in its last column are wrapped to prose columns, unless that is 0.
func (t Table) render(prose int) string {
	w := wording.NewTable(t.gap())
	var configs []table.ColumnConfig
	for i, h := range t.Head {
		c := table.ColumnConfig{Number: i + 1, VAlignHeader: text.VAlignBottom}
		if h.Number {
			c.Align, c.AlignHeader = text.AlignRight, text.AlignRight
		} else if i == len(t.Head)-1 && prose > 0 {
			c.WidthMax, c.WidthMaxEnforcer = prose, text.WrapSoft
		}
		configs = append(configs, c)
	}
	w.SetColumnConfigs(configs)
	var over, heading table.Row
	for i, h := range t.Head {
		over = append(over, h.Over+strings.Repeat(space, min(1, len(h.Over))))
		heading = append(heading, strings.Join(h.lines(t.Keys > 0), "\n"))
		if h.Over != "" && t.Head[i-1].Over != h.Over {
			heading[i] = space + space + heading[i].(string)
		}
	}
	if slices.ContainsFunc(t.Head, func(h Head) bool { return h.Over != "" }) {
		w.AppendHeader(over, table.RowConfig{AutoMerge: true, AutoMergeAlign: text.AlignRight})
	}
	w.AppendHeader(heading)
	for _, r := range t.Rows {
		var row table.Row
		for i, c := range r.Fields {
			row = append(row, c.inTerminal(t.Head[i].Number))
		}
		w.AppendRow(row)
	}
	return w.Render()
}

// gap stands between columns: there is more room where figures are few.
func (t Table) gap() string { return strings.Repeat(" ", 2-min(1, t.Keys)) }

// inTerminal is the cell's text: a number has its star, or a space in its place.
func (c Field) inTerminal(number bool) string {
	text := strings.ReplaceAll(c.Text, narrow, "") + c.Star()
	if number && !strings.HasSuffix(text, "*") {
		text += space
	}
	return text
}

// lines are the heading's, short ones where it stands above figures that leave little room: the unit stands in the last
// one, with the last word where both fit.
func (h Head) lines(short bool) []string {
	whole := strings.TrimSpace(h.Text + " " + h.Unit)
	if !h.Number {
		return strings.Split(whole, "\n")
	}
	lines := []string{whole}
	if words := strings.Fields(h.Text); short && h.Over == "" && len(words) > 0 {
		n := len(words) - 1
		room := headingWidth
		for _, w := range words {
			room = max(room, len(w))
		}
		lines = wording.Wrap(strings.Join(words[:n], " "), room)
		if end := strings.TrimSpace(words[n] + " " + h.Unit); len(end) <= headingWidth {
			lines = append(lines, end)
		} else {
			lines = append(lines, words[n], h.Unit)
		}
		lines = slices.DeleteFunc(lines, func(l string) bool { return l == "" })
	}
	for i := range lines {
		lines[i] += space
	}
	return lines
}

// width is how many columns of a terminal the table takes, its last one wrapped as far as it can be.
func (t Table) width() int { return text.LongestLineLen(t.render(proseWidth)) }

// columns is the table with its keys, and of the other columns those from and before an index.
func (t Table) columns(from, before int) Table {
	return t.pick(func(i int) bool { return i < t.Keys || i >= from && i < before })
}

// pick is the table with some of its columns.
func (t Table) pick(wanted func(i int) bool) Table {
	part := t
	part.Head, part.Rows = nil, nil
	for i, h := range t.Head {
		if wanted(i) {
			part.Head = append(part.Head, h)
		}
	}
	for _, r := range t.Rows {
		row := Row{Class: r.Class}
		for i, c := range r.Fields {
			if wanted(i) {
				row.Fields = append(row.Fields, c)
			}
		}
		part.Rows = append(part.Rows, row)
	}
	return part
}

// chunks are tables with the keys and some of the other columns each, none of them wider than a terminal if one column
// fits.
func (t Table) chunks() (all []Table) {
	for from := t.Keys; from < len(t.Head); {
		before := from + 1
		for before < len(t.Head) && t.columns(from, before+1).width() <= width {
			before++
		}
		all, from = append(all, t.columns(from, before)), before
	}
	return all
}
