package outcome

import (
	"fmt"

	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// A Reason is why a run can't say more, or what a reader has to know; the zero Reason is none.
type Reason struct {
	Text    string
	Flagged []FlaggedCell // whose flags are the reason
	LeftOut string        // the experiment that the run left out, where that is the reason
}

// A FlaggedCell is a cell with the flags that bear on what was asked of it.
type FlaggedCell struct {
	Cell  *result.Cell
	Flags []result.FlagKind
}

// String is the reason as a phrase: "flagged (pgpool, select, 45 clients: host)".
func (r Reason) String() string {
	if len(r.Flagged) == 0 {
		return r.Text
	}
	text := ""
	for i, f := range r.Flagged {
		if i > 0 {
			text += "; "
		}
		text += Name(f.Cell) + ":"
		for _, kind := range f.Flags {
			text += " " + string(kind)
		}
	}
	return "flagged (" + text + ")"
}

// because is what came out, and why where there is something to say.
func because(text, why string) string {
	if why == "" {
		return text
	}
	return text + ": " + why
}

// flagged says which of the cells have flags that bear on the metric; no reason where none has.
func flagged(f metric.Metric, cells ...*result.Cell) Reason {
	var why Reason
	for _, c := range cells {
		if kinds := f.Flags(c); len(kinds) > 0 {
			why.Flagged = append(why.Flagged, FlaggedCell{Cell: c, Flags: kinds})
		}
	}
	return why
}

// noFigure says that no repeat of the cell measured the metric.
func noFigure(f metric.Metric, c *result.Cell) Reason {
	if f.OneNode(c) {
		return Reason{Text: fmt.Sprintf("%s has no %s: its one session stays on one node", Name(c), f.Name)}
	}
	return Reason{Text: fmt.Sprintf("%s has no %s", Name(c), f.Name)}
}

// noRatio says why there is none between two cells.
func noRatio(f metric.Metric, of, to *result.Cell) Reason {
	for _, c := range []*result.Cell{of, to} {
		if len(f.Values(c)) == 0 {
			return noFigure(f, c)
		}
	}
	if v, _ := f.Middle(to); v == 0 {
		return Reason{Text: fmt.Sprintf("%s of %s is 0, and nothing has a ratio to that", f.Name, Name(to))}
	}
	return Reason{Text: "the two have no block in common"}
}
