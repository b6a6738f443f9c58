package report

import (
	"fmt"
	"slices"
	"strings"

	"pooler-lab/internal/result"
)

// notes are the reasons why paths are not available, each once and numbered from 1.
type notes []string

func notesOf(run *result.Run) (n notes) {
	for _, p := range run.Paths {
		if p.Unavailable != "" && !slices.Contains(n, p.Unavailable) {
			n = append(n, p.Unavailable)
		}
	}
	return n
}

// row is what stands in a table in place of the path's figures.
func (n notes) row(p result.Path) string {
	return fmt.Sprintf("not available (%d)", 1+slices.Index(n, p.Unavailable))
}

// text is the reasons themselves.
func (n notes) text() string {
	var b strings.Builder
	for i, reason := range n {
		if i == 0 {
			b.WriteString("\n")
		}
		paragraph(&b, fmt.Sprintf("(%d) ", i+1), reason)
	}
	return b.String()
}

// paragraph writes text after first, wrapped, its later lines indented by first's width.
func paragraph(b *strings.Builder, first, text string) {
	for i, l := range wrap(text, width-len(first)) {
		if i > 0 {
			first = strings.Repeat(" ", len(first))
		}
		b.WriteString(first + l + "\n")
	}
}
