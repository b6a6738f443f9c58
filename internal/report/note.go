package report

import "strings"

// paragraph writes text after first, wrapped, its later lines indented by first's width.
func paragraph(b *strings.Builder, first, text string) {
	for i, l := range wrap(text, width-len(first)) {
		if i > 0 {
			first = strings.Repeat(" ", len(first))
		}
		b.WriteString(first + l + "\n")
	}
}
