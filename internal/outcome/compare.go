package outcome

import (
	"fmt"
	"strings"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// What a comparison comes to. CantSay and NotAsked are what a condition and a shape may come to as well.
const (
	Less       = "less"                  // the whole interval of the ratio is below 1
	More       = "more"                  // or above
	NoClear    = "no clear difference"   // it includes 1
	NoInterval = "no interval"           // fewer than six common repeats
	CantSay    = "can't say"             // a cell failed, is flagged or isn't there
	NotAsked   = "not asked in this run" // as when --experiments left it out
)

// A Verdict is what a run says of a comparison.
type Verdict struct {
	lesson.Comparison
	Figure metric.Metric
	Of, To *result.Cell // nil where there is none
	Ratio  Interval     // of Of's figure to To's, within each block; N is the blocks that both have
	Word   string
	Why    string // it can't say more, or what a reader has to know; may be empty
}

// Compare judges the comparison by the run.
func Compare(run *result.Run, c lesson.Comparison) Verdict {
	v := Verdict{Comparison: c}
	f, err := metric.Find(c.Metric)
	if err != nil {
		return v.with(CantSay, err.Error())
	}
	v.Figure = f
	var word, why string
	if v.Of, word, why = one(run, c.Of); word != "" {
		return v.with(word, why)
	}
	if v.To, word, why = one(run, c.To); word != "" {
		return v.with(word, why)
	}
	v.Ratio = Summary(f.Ratios(v.Of, v.To))
	if why := worthless(f, v.Of, v.To); why != "" {
		return v.with(CantSay, why)
	}
	switch {
	case v.Ratio.N == 0:
		return v.with(CantSay, noRatio(f, v.Of, v.To))
	case !v.Ratio.Known():
		return v.with(NoInterval, fmt.Sprintf("%d of %d common repeats", v.Ratio.N, Fewest))
	case v.Ratio.Hi < 1:
		return v.with(Less, "")
	case v.Ratio.Lo > 1:
		return v.with(More, "")
	}
	return v.with(NoClear, "")
}

func (v Verdict) with(word, why string) Verdict {
	v.Word, v.Why = word, why
	return v
}

// String is the word, and why where there is something to say.
func (v Verdict) String() string { return because(v.Word, v.Why) }

func because(word, why string) string {
	if why == "" {
		return word
	}
	return word + ": " + why
}

// worthless says why the figure of one of the cells supports no verdict; empty where both do.
func worthless(f metric.Metric, cells ...*result.Cell) string {
	var flagged []string
	for _, c := range cells {
		if words := f.Flags(c); len(words) > 0 {
			flagged = append(flagged, fmt.Sprintf("%s: %s", Name(c), strings.Join(words, " ")))
		}
	}
	if len(flagged) == 0 {
		return ""
	}
	return "flagged (" + strings.Join(flagged, "; ") + ")"
}

// noRatio says why there is none between two cells.
func noRatio(f metric.Metric, of, to *result.Cell) string {
	for _, c := range []*result.Cell{of, to} {
		if len(f.Values(c)) == 0 {
			return Name(c) + " has no " + f.Name
		}
	}
	if v, _ := f.Middle(to); v == 0 {
		return fmt.Sprintf("%s of %s is 0, and nothing has a ratio to that", f.Name, Name(to))
	}
	return "the two have no block in common"
}
