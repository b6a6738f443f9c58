// Package wording is how things are said to people: in the columns of a terminal, and with the name that was meant.
package wording

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Width is the most columns that a table or a line takes: a room reads it from a projector.
const Width = 80

// Wrap breaks a text between words into lines of at most width columns, and a word only where it is longer than that.
func Wrap(words string, width int) []string {
	wrapped := text.WrapSoft(strings.Join(strings.Fields(words), " "), width)
	return strings.Split(Trim(wrapped), "\n")
}

// NewTable makes a table without lines, whose columns stand gap apart. Trim what it renders.
func NewTable(gap string) table.Writer {
	t := table.NewWriter()
	t.SetStyle(table.Style{Box: table.BoxStyle{MiddleVertical: gap}, Options: table.Options{SeparateColumns: true}})
	return t
}

// Trim ends each line of text where its words do, and the text where its last line does.
func Trim(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}
