package report

import (
	"slices"
	"unicode/utf8"

	"pooler-lab/internal/result"
)

// doubts count the starred figures that are shown, by why they have a star.
type doubts map[result.FlagKind]int

func (d doubts) add(kinds []result.FlagKind) {
	for _, kind := range kinds {
		d[kind]++
	}
}

// line says in one line of a terminal why figures have a star: first what most of them have it for, and of two alike
// the graver. It is empty where nothing is starred.
func (d doubts) line() string {
	reasons := slices.DeleteFunc(result.FlagKinds(), func(kind result.FlagKind) bool { return d[kind] == 0 })
	slices.SortStableFunc(reasons, func(a, b result.FlagKind) int { return d[b] - d[a] })
	const first, more = "* doubtful: ", "; ... (--details)"
	line := first
	for i, kind := range reasons {
		next := line + kind.Short()
		if i > 0 {
			next = line + "; " + kind.Short()
		}
		room := width
		if i < len(reasons)-1 {
			room -= len(more)
		}
		if utf8.RuneCountInString(next) > room {
			return line + more + "\n"
		}
		line = next
	}
	switch {
	case len(d) == 0:
		return ""
	case len(reasons) == 0: // flags of a later version
		return first + "--details says why\n"
	}
	return line + "\n"
}
