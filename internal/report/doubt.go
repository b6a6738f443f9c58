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

// A plain is what a flag means for a figure, in words that a room reads in a second.
type plain struct {
	kind result.FlagKind
	text string
}

// plainly says it of each flag, of the gravest first.
var plainly = []plain{
	{result.FlagErrors, "statements failed"},
	{result.FlagCounts, "counts differ"},
	{result.FlagUncounted, "the servers' counts are unknown"},
	{result.FlagLatency, "the latency wasn't as set"},
	{result.FlagHost, "this machine's CPU was full"},
	{result.FlagStolen, "other virtual machines took CPU"},
	{result.FlagGenerator, "k6 took nearly all of the CPU"},
	{result.FlagLate, "work began late"},
	{result.FlagWarmup, "not all clients could start"},
	{result.FlagThrottled, "a CPU limit was hit"},
	{result.FlagFew, "too few transactions"},
}

// line says in one line of a terminal why figures have a star: first what most of them have it for, and of two alike
// the graver. It is empty where nothing is starred.
func (d doubts) line() string {
	reasons := slices.DeleteFunc(slices.Clone(plainly), func(p plain) bool { return d[p.kind] == 0 })
	slices.SortStableFunc(reasons, func(a, b plain) int { return d[b.kind] - d[a.kind] })
	const first, more = "* doubtful: ", "; ... (--details)"
	line := first
	for i, p := range reasons {
		next := line + p.text
		if i > 0 {
			next = line + "; " + p.text
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
